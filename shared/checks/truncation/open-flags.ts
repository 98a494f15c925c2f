import { count } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { isLengthStop, isModelStop } from '../oracles/end-reason.ts'
import { endsInAnswer, limitsOfRun, reachedLimit } from './ending.ts'
import { lastTokensOf } from './open-stops.ts'

/** Rows that are flagged as whole and lack an end token, and of which neither a limit nor a finish reason tells more. */
export interface OpenFlags {
  readonly rows: readonly TrajectoryFacts[]
  /** Rollouts that are flagged as whole and have the token. */
  readonly closed: number
  /** Nearly all others have the token, the row ends in words of the model, and none without a token ends in the same word. */
  isException(row: TrajectoryFacts): boolean
}

/**
 * Asked of the other rows as a stop without an end token is (`open-stops.ts`): a run that stops on a string and a writer without end tokens flag such rows
 * rightly, and of either there are many, or they end alike. Null where there is none. Once for a dump.
 */
export const findingOpenFlags = onceForDump(lookingForOpenFlags)

function* lookingForOpenFlags(view: DumpView): Steps<OpenFlags | null> {
  const { thresholds } = view.settings
  if (new FactColumns(view.facts).isEmpty('isTruncated')) return null
  const limits = limitsOfRun(view)
  const isOpen = (row: TrajectoryFacts) => isLeftOpen(row) && reachedLimit(row, limits, thresholds) === null
  const rows = yield* within(0, 0.5, filtered(view.facts, isOpen))
  if (rows.length === 0) return null
  const closed = yield* within(0.5, 0.7, filtered(view.facts, closesAnswer))
  const answers = rows.filter(endsInAnswer)
  const areExceptions = closed.length >= thresholds['flagged-share'] * (closed.length + answers.length)
  const lastTokens = yield* within(0.7, 0.8, lastTokensOf(rows))
  const share = thresholds['closed-share-for-contrast']
  const byEnvironment = closing(closed, answers, ({ environment }) => environment ?? null, share)
  const likeEnvironment = yield* within(0.8, 0.9, byEnvironment)
  const likeGroup = yield* within(
    0.9,
    1,
    closing(closed, answers, ({ group }) => group, share),
  )
  return {
    rows,
    closed: closed.length,
    // A string that ends calls may be left out of what is stored, and what stands behind a reply is the environment's.
    isException: (row) =>
      areExceptions &&
      row.endReason === 'cut-prose' &&
      (lastTokens.get(row.lastToken ?? -1) ?? 0) < 2 &&
      likeEnvironment(row) &&
      likeGroup(row),
  }
}

/** Whether of the rollouts that are like a row enough close their answers: one environment, or one prompt, may be stopped on a string by itself. */
function* closing(
  closed: readonly TrajectoryFacts[],
  open: readonly TrajectoryFacts[],
  keyOf: (row: TrajectoryFacts) => string | null,
  share: number,
): Steps<(row: TrajectoryFacts) => boolean> {
  const [ended, all] = [new Map<string | null, number>(), new Map<string | null, number>()]
  const add = (counts: typeof all, row: TrajectoryFacts) => counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1)
  const addClosed = (row: TrajectoryFacts) => {
    add(ended, row)
    add(all, row)
  }
  yield* within(0, 0.9, forEachOf(closed, addClosed))
  yield* within(
    0.9,
    1,
    forEachOf(open, (row) => add(all, row)),
  )
  return (row) => keyOf(row) === null || (ended.get(keyOf(row)) ?? 0) >= share * (all.get(keyOf(row)) ?? 0)
}

/** Flagged as whole, ends where nothing closes it, and may have been cut there. */
function isLeftOpen({ endReason, endsClosed, endsAtTag, isTruncated, finishReason }: TrajectoryFacts): boolean {
  if (isTruncated !== false || endsClosed !== false || endsAtTag === true) return false
  // A reason that says more is judged by itself.
  if (isModelStop(finishReason) || isLengthStop(finishReason)) return false
  if (finishReason !== null && BROKEN_OFF.test(finishReason)) return false
  return endsInAnswer({ endReason }) || endReason === 'cut-reply'
}

/** The rollout was given up amid a turn, which no flag of a limit tells. */
const BROKEN_OFF = /abort|error|fail|exception|time_?out|interrupt|cancel|kill/i

function closesAnswer({ isTruncated, endReason, endsClosed, unanswered }: TrajectoryFacts): boolean {
  return isTruncated === false && endReason === 'stop' && endsClosed === true && unanswered === undefined
}

/** Why rows that are flagged as whole and lack an end token prove nothing, where they are no exceptions; null where there are none, or they end alike. */
export function* untoldFlags(view: DumpView): Steps<string | null> {
  const flags = yield* within(0, 0.8, findingOpenFlags(view))
  if (flags === null || flags.closed === 0) return null
  const { rows, closed } = flags
  const endings = yield* within(0.8, 1, lastTokensOf(rows))
  // Rows that end alike may have ended on a string that is not stored; of one that ends as no other does nothing tells it.
  const own = rows.filter(({ lastToken }) => endings.get(lastToken ?? -1) === 1).length
  if (own === 0) return null
  const of = `of ${count(closed + rows.length)} rollouts that are not flagged as truncated`
  if (rows.length === 1) {
    return `1 ${of} has no end token: nothing tells whether it was cut or ended on a string`
  }
  const alike =
    own === rows.length
      ? 'no two of them end alike'
      : `${count(own)} of them ${own === 1 ? 'ends' : 'end'} as no other does`
  return `${count(rows.length)} ${of} have no end token, and ${alike}: nothing tells whether they were cut or ended on a string`
}
