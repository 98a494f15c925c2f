import { useEffect } from 'react'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import type { Row } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { observable, useObservable } from './observable.ts'

/** Rows kept before all are let go; a screen shows some forty. */
const MOST_ROWS = 20_000

const cache = new Map<number, Row>()
const asked = new Set<number>()
const arrivals = observable(0)
let generation = 0

/** Forgets every row: another dump, other settings, or the codes became final. */
export function forgetRows(): void {
  cache.clear()
  asked.clear()
  generation++
  arrivals.set(arrivals.get() + 1)
}

/** The row if it is here. */
export function knownRow(index: number): Row | null {
  return cache.get(index) ?? null
}

/** The facts of one rollout, asked for by themselves; null where the dump went away meanwhile. */
export async function factsOf(index: number): Promise<TrajectoryFacts | null> {
  const { dumpHash } = useFiles.getState()
  try {
    const [row] = await ask('rows', { indices: [index] })
    return row === undefined || dumpHash !== useFiles.getState().dumpHash ? null : row.facts
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
    return null
  }
}

/** Fetches the rows that are not here yet; arrivals redraw whoever uses `useRows`. */
export async function fetchRows(indices: readonly number[]): Promise<void> {
  const missing = indices.filter((index) => !cache.has(index) && !asked.has(index))
  if (missing.length === 0) return
  for (const index of missing) asked.add(index)
  const started = generation
  try {
    const rows = await ask('rows', { indices: missing })
    if (started !== generation) return
    if (cache.size + rows.length > MOST_ROWS) cache.clear()
    for (const row of rows) cache.set(row.index, row)
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
  } finally {
    if (started === generation) {
      for (const index of missing) asked.delete(index)
      arrivals.set(arrivals.get() + 1)
    }
  }
}

/** Asks for these rows and redraws when any arrive; read them with `knownRow`. */
export function useRows(indices: readonly number[]): void {
  const arrived = useObservable(arrivals)
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that were let go are asked for again on each arrival
  useEffect(() => {
    void fetchRows(indices)
  }, [indices, arrived])
}

/** Goes through rows in chunks without keeping them, until `visit` returns false. */
export async function scanRows(total: number, visit: (row: Row) => boolean | undefined): Promise<void> {
  const chunk = 1000
  const started = generation
  for (let from = 0; from < total; from += chunk) {
    const indices = Array.from({ length: Math.min(chunk, total - from) }, (_, k) => from + k)
    const rows = await ask('rows', { indices })
    if (started !== generation) return
    for (const row of rows) if (visit(row) === false) return
  }
}
