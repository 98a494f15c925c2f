import { useEffect } from 'react'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { Row } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { observable, useObservable } from './observable.ts'

/** Rows kept; a screen shows some forty, and each holds some kilobytes. */
const MOST_ROWS = 8_000
/** Rows are asked for in pages of so many places of the list. */
const PAGE = 64
/** A list that is still being dragged is asked for once it has stood still for so long (milliseconds). */
const REST = 60

const cache = new Map<number, Row>()
const arrivals = observable(0)
let generation = 0

/** What the engine is being asked for: the places of the list, and the means to take the question back. */
let asking: { readonly wanted: ReadonlySet<number>; readonly stop: AbortController } | null = null
let askedAt = 0

/** Forgets every row: another dump, other settings, or the codes became final. */
export function forgetRows(): void {
  cache.clear()
  asking?.stop.abort()
  asking = null
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

/** Asks for the rows in a window of the list and redraws when they arrive; read them with `knownRow`. What was scrolled past is no longer asked for, and nothing is as long as the list flies by. */
export function useRows(list: Int32Array, first: number, end: number, isFlying: boolean): void {
  const arrived = useObservable(arrivals)
  const from = Math.floor(first / PAGE) * PAGE
  const to = Math.min(list.length, Math.ceil(end / PAGE) * PAGE)
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that were let go are asked for again on each arrival
  useEffect(() => {
    if (isFlying) return
    const wanted = list.subarray(from, to)
    const missing = [...wanted].filter((index) => !cache.has(index))
    if (asking !== null && missing.every((index) => asking?.wanted.has(index))) return
    asking?.stop.abort()
    asking = null
    if (missing.length === 0) return
    const now = performance.now()
    const isMoving = now - askedAt < REST
    askedAt = now
    if (!isMoving) {
      void fetchRows(missing)
      return
    }
    const timer = setTimeout(() => void fetchRows(missing), REST)
    return () => clearTimeout(timer)
  }, [list, from, to, arrived, isFlying])
}

/** Fetches those of these rows that are not here, whatever the window shows meanwhile. Rejects with a sentence. */
export async function loadRows(indices: Int32Array): Promise<void> {
  const missing = [...indices].filter((index) => !cache.has(index))
  const started = generation
  const rows = missing.length === 0 ? [] : await ask('rows', { indices: missing })
  if (started === generation) keep(rows)
}

function keep(rows: readonly Row[]): void {
  for (const row of rows) cache.set(row.index, row)
  for (const oldest of cache.keys()) {
    if (cache.size <= MOST_ROWS) break
    cache.delete(oldest)
  }
}

async function fetchRows(missing: readonly number[]): Promise<void> {
  const own = { wanted: new Set(missing), stop: new AbortController() }
  asking = own
  const started = generation
  try {
    const rows = await ask('rows', { indices: missing }, own.stop.signal)
    if (started !== generation) return
    keep(rows)
  } catch (error) {
    // Told once: rows that cannot be read are asked for again when the list moves, not over and over.
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
    return
  } finally {
    if (asking === own) asking = null
  }
  if (started === generation) arrivals.set(arrivals.get() + 1)
}
