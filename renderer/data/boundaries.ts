import { useEffect } from 'react'
import type { BoundaryRow, EngineRequests, Histogram } from '../../shared/session/protocol.ts'
import type { RunName } from '../../shared/session/requests/compare.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { useSecond } from '../state/second.ts'
import { observable, useObservable } from './observable.ts'

export type LengthOf = EngineRequests['lengths']['input']['of']

const NO_ROWS: readonly BoundaryRow[] = []
const boundaries = observable<{ key: string; rows: readonly BoundaryRow[] }>({ key: '', rows: NO_ROWS })
const histograms = observable<ReadonlyMap<string, Histogram>>(new Map())

/** Edges of every kind over a whole run, asked for again as more is read. */
export function useBoundaries(run: RunName = 'open'): readonly BoundaryRow[] {
  const revision = useFiles((files) => files.revision)
  const second = useSecond((state) => state.run?.dumpHash)
  const key = run === 'open' ? `${revision}` : `${revision}:${second}`
  useEffect(() => {
    if (boundaries.get().key === key) return
    ask('boundaries', { run }).then((rows) => boundaries.set({ key, rows }), report)
  }, [key, run])
  const known = useObservable(boundaries)
  // Rows of before are shown until newer ones arrive, but never those of the other run.
  return known.key.includes(':') === (run === 'second') ? known.rows : NO_ROWS
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
