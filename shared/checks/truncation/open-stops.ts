import { count } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { LimitName } from '../../model/streams.ts'
import type { DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { isModelStop } from '../oracles/end-reason.ts'
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
  /** The row was cut, whatever its finish reason says. */
  refutes(row: TrajectoryFacts): boolean
  /** Nearly all others have the token, and none without it ends in the same word. */
  isException(row: TrajectoryFacts): boolean
}

/**
 * Rows that are said to have stopped and lack an end token. A writer that strips the token strips it everywhere, and a run that stops on a string leaves
 * the same last words behind. Where most others have the token, one that is as long as a limit was cut by it. Neither a writer nor a string makes nearly
 * all of such rows as long as a limit: then they are cuts, however many they are. Nor does either end with a call where there is none. Null where there is none.
 * Once for a dump.
 */
export const findingOpenStops = onceForDump(lookingForOpenStops)

function* lookingForOpenStops(view: DumpView): Steps<OpenStops | null> {
  const { thresholds } = view.settings
  const rows = yield* within(0, 0.3, filtered(view.facts, stopsOpen))
  if (rows.length === 0) return null
  const isClosed = ({ endsClosed, finishReason }: TrajectoryFacts) => endsClosed === true && isModelStop(finishReason)
  const { length: closed } = yield* within(0.3, 0.6, filtered(view.facts, isClosed))
  const limits = limitsOfRun(view)
  const atLimit = yield* within(
    0.6,
    0.9,
    filtered(rows, (row) => reachedLimit(row, limits, thresholds) !== null),
  )
  const isPileUp =
    atLimit.length >= thresholds['flagged-rollouts'] && atLimit.length >= thresholds['flagged-share'] * rows.length
  const all = closed + rows.length
  const othersClose = closed >= thresholds['closed-share-for-contrast'] * all
  const areExceptions = closed >= thresholds['flagged-share'] * all
  const lastTokens = yield* within(0.9, 1, lastTokensOf(rows))
  const cutBy = (row: TrajectoryFacts) => (isPileUp || othersClose ? reachedLimit(row, limits, thresholds) : null)
  const deniesCall = ({ stopsWithoutCall }: TrajectoryFacts) => othersClose && stopsWithoutCall === true
  return {
    rows,
    closed,
    piled: isPileUp ? atLimit.length : 0,
    cutBy,
    deniesCall,
    refutes: (row) => cutBy(row) !== null || deniesCall(row),
    isException: ({ lastToken }) => areExceptions && (lastTokens.get(lastToken ?? -1) ?? 0) < 2,
  }
}

/**
 * Why rows that are said to have stopped and lack an end token prove nothing, where too many do for exceptions and others have the token. A string that
 * ends them leaves the same words behind, so that one which ends like no other may be a cut. Null where there are none, or none of these matters.
 */
export function* untoldStops(view: DumpView, matters: (row: TrajectoryFacts) => boolean): Steps<string | null> {
  const stops = yield* within(0, 0.8, findingOpenStops(view))
  if (stops === null || stops.closed === 0) return null
  const { rows, closed } = stops
  const endings = yield* within(0.8, 0.9, lastTokensOf(rows))
  const isAlone = (row: TrajectoryFacts) => endings.get(row.lastToken ?? -1) === 1 && matters(row)
  if ((yield* within(0.9, 1, filtered(rows, isAlone))).length === 0) return null
  return `${count(rows.length)} of ${count(closed + rows.length)} rollouts that are said to have stopped have no end token, and do not end alike: nothing tells whether they were cut or ended on a string`
}

/** How many rows end with each token. */
export function* lastTokensOf(rows: readonly TrajectoryFacts[]): Steps<ReadonlyMap<number, number>> {
  const tokens = new Map<number, number>()
  yield* forEachOf(rows, ({ lastToken }) => {
    if (typeof lastToken === 'number') tokens.set(lastToken, (tokens.get(lastToken) ?? 0) + 1)
  })
  return tokens
}
