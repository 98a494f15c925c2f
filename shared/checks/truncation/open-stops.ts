import { filtered, type Steps, within } from '../../model/steps.ts'
import type { LimitName } from '../../model/streams.ts'
import type { DumpView } from '../check.ts'
import { isModelStop } from '../end-reason.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { limitsOfRun, reachedLimit } from './ending.ts'

/** The finish reason says that the model stopped, and the ids do not hold the token that it stopped with. */
export function stopsOpen({ endReason, endsClosed, isTruncated, finishReason }: TrajectoryFacts): boolean {
  return endReason === 'stop' && endsClosed === false && isTruncated !== true && isModelStop(finishReason)
}

export interface OpenStops {
  readonly rows: readonly TrajectoryFacts[]
  /** Rollouts that are said to have stopped and have the token. */
  readonly closed: number
  /** Of `rows`, how many are as long as a limit, where nearly all of them are; else 0. */
  readonly piled: number
  /** The limit that a row was cut by, against its finish reason; null where nothing tells that one did. */
  cutBy(row: TrajectoryFacts): { readonly name: LimitName; readonly value: number } | null
  /** A row that is said to have stopped with a call, and was cut before one. */
  deniesCall(row: TrajectoryFacts): boolean
}

/**
 * Rows that are said to have stopped and lack an end token. A writer that strips the token strips it everywhere, and a run that stops on a string leaves
 * the same last words behind. Where most others have the token, one that is as long as a limit was cut by it. Neither a writer nor a string makes nearly
 * all of such rows as long as a limit: then they are cuts, however many they are. Nor does either end with a call where there is none. Null where there is none.
 */
export function* findingOpenStops(view: DumpView): Steps<OpenStops | null> {
  const { thresholds } = view.settings
  const rows = yield* within(0, 0.3, filtered(view.facts, stopsOpen))
  if (rows.length === 0) return null
  const isClosed = ({ endsClosed, finishReason }: TrajectoryFacts) => endsClosed === true && isModelStop(finishReason)
  const { length: closed } = yield* within(0.3, 0.6, filtered(view.facts, isClosed))
  const limits = limitsOfRun(view)
  const atLimit = yield* within(
    0.6,
    1,
    filtered(rows, (row) => reachedLimit(row, limits, thresholds) !== null),
  )
  const isPileUp =
    atLimit.length >= thresholds['flagged-rollouts'] && atLimit.length >= thresholds['flagged-share'] * rows.length
  const othersClose = closed >= thresholds['closed-share-for-contrast'] * (closed + rows.length)
  return {
    rows,
    closed,
    piled: isPileUp ? atLimit.length : 0,
    cutBy: (row) => (isPileUp || othersClose ? reachedLimit(row, limits, thresholds) : null),
    deniesCall: ({ stopsWithoutCall }) => othersClose && stopsWithoutCall === true,
  }
}
