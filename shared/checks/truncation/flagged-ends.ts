import { count } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { completionLength, limitOfRow } from '../limits/limits.ts'
import { LIMITED_LENGTHS, leftToLimit } from '../limits/limits-left.ts'
import { isLengthStop, saysCut } from '../oracles/end-reason.ts'

export function isFlagged({ isTruncated, finishReason }: TrajectoryFacts): boolean {
  return isTruncated !== null || finishReason !== null
}

/** Rows that end properly with one id. */
interface RowsOfEnd {
  readonly closed: TrajectoryFacts[]
  flagged: number
}

/** Rows among which nearly all that end with one id are flagged as cut: all of the dump, or those of one environment. */
interface Doubted {
  readonly environment: string | null
  readonly rollouts: number
  readonly flagged: number
}

/** C05: an id that ends turns properly and is flagged as a cut every time is one that the flag's author did not know. */
export function* lookAtFlaggedEnds(view: DumpView, report: DumpReporter): Steps<void> {
  const ends = new Map<number, RowsOfEnd>()
  const add = (facts: TrajectoryFacts) => {
    if (facts.endReason !== 'stop' || !isFlagged(facts) || facts.lastToken === undefined || facts.lastToken === null)
      return
    const end = ends.get(facts.lastToken) ?? { closed: [], flagged: 0 }
    end.closed.push(facts)
    if (saysCut(facts)) end.flagged++
    ends.set(facts.lastToken, end)
  }
  yield* within(0, 0.5, forEachOf(view.facts, add))
  const table = [...ends].map(([token, { closed, flagged }]) => ({
    last_token: token,
    rollouts: closed.length,
    flagged,
  }))
  for (const [at, [token, end]] of [...ends].entries()) {
    if (end.flagged === 0) continue
    const doubtedBy = doubting(end, view.settings.thresholds)
    const look = (facts: TrajectoryFacts) => {
      if (!saysCut(facts)) return
      // An end that was appended behind what a limit had cut is no sign of a wrong flag.
      const mayBeWrong = facts.lost === 0 && facts.appendedEnd !== true && !isNearLimit(facts, view)
      const doubted = mayBeWrong ? doubtedBy(facts) : null
      report.unit(doubted !== null)
      report.place(doubted !== null)
      if (doubted === null) return
      const { environment, rollouts, flagged } = doubted
      const [start, behind] = facts.flaggedEnd ?? []
      report.fault({
        member: facts,
        tokens: start === undefined || behind === undefined ? null : { start, end: behind },
        affectedTokens: facts.trained ?? 0,
        affectedWeight: facts.weight ?? 0,
        message: `The rollout is flagged as truncated and ends with token ${token}, as ${count(flagged)} of ${count(rollouts)} ${environment === null ? '' : `of environment ${environment} `}that end so are`,
        evidence: {
          is_truncated: facts.isTruncated,
          finish_reason: facts.finishReason,
          last_token: token,
          flags_by_last_token: table,
          ...(environment === null ? {} : { environment, flagged_in_environment: flagged, of_rollouts: rollouts }),
          trained_tokens: facts.trained,
        },
      })
    }
    yield* within(0.5 + at / ends.size / 2, 0.5 + (at + 1) / ends.size / 2, forEachOf(end.closed, look))
  }
}

/** Among which rows the flag of a row is doubted; null where it is not. */
function doubting({ closed, flagged }: RowsOfEnd, thresholds: Thresholds): (row: TrajectoryFacts) => Doubted | null {
  const all = { environment: null, rollouts: closed.length, flagged }
  if (areMostFlagged(flagged, closed.length, thresholds)) return () => all
  const environments = doubtedEnvironments(closed, thresholds)
  return (row) =>
    (row.environment !== undefined && isSaidByReason(row) ? environments.get(row.environment) : null) ?? null
}

/**
 * Environments whose rows are all said to have stopped for their length, while those of others that end with the same id are not. A flag alone an
 * environment may set for reasons of its own.
 */
function doubtedEnvironments(closed: readonly TrajectoryFacts[], thresholds: Thresholds): Map<string, Doubted> {
  const rows = new Map<string, { flagged: TrajectoryFacts[]; rollouts: number }>()
  for (const row of closed) {
    if (row.environment === undefined) continue
    const own = rows.get(row.environment) ?? { flagged: [], rollouts: 0 }
    own.rollouts++
    if (isSaidByReason(row)) own.flagged.push(row)
    rows.set(row.environment, own)
  }
  const doubted = new Map<string, Doubted>()
  for (const [environment, { flagged, rollouts }] of rows) {
    if (areMostFlagged(flagged.length, rollouts, thresholds) && !endAtOneLength(flagged, thresholds))
      doubted.set(environment, { environment, rollouts, flagged: flagged.length })
  }
  return doubted
}

/** Its finish reason names a limit, and it ends in an answer. */
function isSaidByReason(row: TrajectoryFacts): boolean {
  return saysCut(row) && isLengthStop(row.finishReason) && row.flaggedEnd !== undefined
}

function areMostFlagged(flagged: number, rollouts: number, thresholds: Thresholds): boolean {
  return flagged >= thresholds['flagged-rollouts'] && flagged >= thresholds['flagged-share'] * rollouts
}

/** Most are as long as the longest of them: a limit cut them, and the framework wrote the end token behind. One word is as long in all rows anyway. */
function endAtOneLength(rows: readonly TrajectoryFacts[], thresholds: Thresholds): boolean {
  const shares = (lengthOf: (row: TrajectoryFacts) => number) => {
    let [longest, there] = [0, 0]
    for (const row of rows) {
      const length = lengthOf(row)
      if ((row.assistantLengths.at(-1) ?? 0) < thresholds['pile-up-tokens'] || length < longest) continue
      there = length > longest ? 1 : there + 1
      longest = length
    }
    return there >= thresholds['pile-up-rollouts'] && 2 * there > rows.length
  }
  return (
    shares(({ assistantLengths }) => assistantLengths.at(-1) ?? 0) ||
    shares((row) => (row.promptLength === null ? 0 : completionLength(row))) ||
    shares(({ realLength }) => realLength)
  )
}

/** A limit explains the flag, whatever the last token. */
function isNearLimit(facts: TrajectoryFacts, view: DumpView): boolean {
  const near = view.settings.thresholds['near-limit-tokens']
  const turns = limitOfRow('max_turns', view, facts)
  if (turns !== null && facts.assistantTurns >= turns) return true
  // A turn that is as long reaches it, whatever it counts.
  const sampled = limitOfRow('max_completion_length', view, facts)
  if (sampled !== null && facts.assistantLengths.some((length) => length >= sampled - near)) return true
  return LIMITED_LENGTHS.some((of) => (leftToLimit(facts, of, view) ?? Number.POSITIVE_INFINITY) <= near)
}
