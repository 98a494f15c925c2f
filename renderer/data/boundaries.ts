import { useEffect } from 'react'
import type { BoundaryRow, EngineRequests, Histogram } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { observable, useObservable } from './observable.ts'

export type LengthOf = EngineRequests['lengths']['input']['of']

const boundaries = observable<{ revision: number; rows: readonly BoundaryRow[] }>({ revision: -1, rows: [] })
const histograms = observable<ReadonlyMap<string, Histogram>>(new Map())

/** Edges of every kind over the whole dump, asked for again as more is read. */
export function useBoundaries(): readonly BoundaryRow[] {
  const revision = useFiles((files) => files.revision)
  useEffect(() => {
    if (boundaries.get().revision === revision) return
    ask('boundaries', {}).then((rows) => boundaries.set({ revision, rows }), report)
  }, [revision])
  return useObservable(boundaries).rows
}

/** Lengths over the whole dump; null until they arrive. */
export function useLengths(of: LengthOf): Histogram | null {
  const revision = useFiles((files) => files.revision)
  const key = `${revision}:${of}`
  const known = useObservable(histograms)
  useEffect(() => {
    if (histograms.get().has(key)) return
    ask('lengths', { of }).then((histogram) => {
      const current = [...histograms.get()].filter(([other]) => other.startsWith(`${revision}:`))
      histograms.set(new Map([...current, [key, histogram]]))
    }, report)
  }, [key, of, revision])
  return known.get(key) ?? null
}

function report(error: unknown): void {
  if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
}
