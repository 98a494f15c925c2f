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
/** What was last told, and what had been read of which dump when it was asked for. */
interface Told<T> {
  readonly key: string
  readonly dump: string | null
  readonly value: T
}

const boundaries = observable<ReadonlyMap<RunName, Told<readonly BoundaryRow[]>>>(new Map())
const histograms = observable<ReadonlyMap<LengthOf, Told<Histogram>>>(new Map())

/** Edges of every kind over a whole run, asked for again as more is read. */
export function useBoundaries(run: RunName = 'open'): readonly BoundaryRow[] {
  const revision = useFiles((files) => files.revision)
  const own = useFiles((files) => files.dumpHash)
  const second = useSecond((state) => state.run?.dumpHash ?? null)
  const dump = run === 'open' ? own : second
  const key = `${revision}:${dump}`
  useEffect(() => {
    if (boundaries.get().get(run)?.key === key) return
    ask('boundaries', { run }).then(
      (value) => boundaries.set(new Map([...boundaries.get(), [run, { key, dump, value }]])),
      report,
    )
  }, [key, dump, run])
  const last = useObservable(boundaries).get(run)
  // Rows of before are shown until newer ones arrive, but never those of another run.
  return last?.dump === dump ? last.value : NO_ROWS
}

/** Lengths over the whole dump, asked for again as more is read; null until the first arrive. */
export function useLengths(of: LengthOf): Histogram | null {
  const revision = useFiles((files) => files.revision)
  const dump = useFiles((files) => files.dumpHash)
  const key = `${revision}:${dump}`
  useEffect(() => {
    if (histograms.get().get(of)?.key === key) return
    ask('lengths', { of }).then(
      (value) => histograms.set(new Map([...histograms.get(), [of, { key, dump, value }]])),
      report,
    )
  }, [key, dump, of])
  const last = useObservable(histograms).get(of)
  return last?.dump === dump ? last.value : null
}

function report(error: unknown): void {
  if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
}
