import { count } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { mean, rangeOf, shown } from '../groups/statistics.ts'
import { endingOf, limitsOfRun } from './ending.ts'
import { rewardByEnd } from './reward-splits.ts'
import { endOf, findingToldEnds } from './told-ends.ts'

/**
 * C06. Rollouts that a limit cut all get one value below everything else: that of a text which could not be parsed. That a cut rollout
 * earns as little as a wrong one is no fault, for it has no answer.
 */
export const cutAsParseError: Check = {
  code: 'C06',
  name: 'cut-as-parse-error',
  title: 'Cut rollouts are punished as parse errors',
  hypotheses: ['H04', 'H05'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'rewards', 'tokenizer'],
  looksAt: 'trained rollouts that a limit cut',
  why: 'Length is punished as if it were bad format: the model learns to be short, or to guess, whatever it had found.',
  fix: 'Mask cut rollouts or give them a reward of their own, and keep the penalty for texts that ended and do not parse.',
  cite: 'tinker-cookbook#506',
  dump: lookAtCutRows,
}

function* lookAtCutRows(view: DumpView, report: DumpReporter): Steps<void> {
  const { thresholds } = view.settings
  const limits = limitsOfRun(view)
  const isRewarded = ({ reward, excluded }: TrajectoryFacts) => reward !== null && Number.isFinite(reward) && !excluded
  const rewarded = yield* within(0, 0.3, filtered(view.facts, isRewarded))
  const ends = yield* within(0.3, 0.4, findingToldEnds(view))
  const isCut = (row: TrajectoryFacts) =>
    row.trained !== 0 && (endingOf(row, limits, thresholds) === 'cut' || ends.refuted.has(row))
  const cut = yield* within(0.4, 0.6, filtered(rewarded, isCut))
  if (cut.length === 0) return
  const closed: number[] = []
  const addClosed = (row: TrajectoryFacts) => {
    if (endOf(row, ends) === 'stop' && !ends.doubted.has(row)) closed.push(row.reward as number)
  }
  yield* within(0.6, 0.8, forEachOf(rewarded, addClosed))
  const penalty = penaltyOf(
    cut.map(({ reward }) => reward as number),
    closed,
    thresholds,
  )
  const meanOfClosed = mean(closed)
  const closedAlike =
    penalty === null ? 0 : closed.filter((reward) => same(reward, penalty, thresholds['same-reward'])).length
  if (penalty !== null) report.context({ penalty, mean_reward_by_end: rewardByEnd(rewarded, ends) })
  const look = (facts: TrajectoryFacts) => {
    report.unit(penalty !== null)
    report.place(penalty !== null)
    if (penalty === null) return
    report.fault({
      member: facts,
      affectedTokens: facts.trained ?? 0,
      affectedWeight: facts.weight ?? 0,
      message: `The rollout was cut and has reward ${shown(penalty)}, as all ${count(cut.length)} that were cut; those that ended earn ${shown(meanOfClosed)} on average`,
      evidence: {
        reward: penalty,
        cut_rollouts: cut.length,
        closed_rollouts: closed.length,
        closed_rollouts_with_this_reward: closedAlike,
        mean_reward_closed: meanOfClosed,
        end: endOf(facts, ends),
        finish_reason: facts.finishReason,
      },
    })
  }
  yield* within(0.8, 1, forEachOf(cut, look))
}

/** The one reward of all cut rollouts, if it lies below what closed ones earn even when they fail; else null. */
function penaltyOf(cut: readonly number[], closed: readonly number[], thresholds: Thresholds): number | null {
  const { 'same-reward': sameReward, 'cut-rollouts': enough } = thresholds
  const [penalty] = cut
  if (penalty === undefined || cut.length < enough || rangeOf(cut) > sameReward) return null
  const above = closed.filter((reward) => reward > penalty + sameReward)
  // Closed rollouts must fail as well, at another value: else the lowest reward is simply that of failure.
  if (rangeOf(above) <= sameReward || closed.some((reward) => reward < penalty - sameReward)) return null
  const atPenalty = closed.filter((reward) => same(reward, penalty, sameReward)).length
  const few = thresholds['penalty-among-closed'] * closed.length
  return atPenalty <= few && failTogether(above, few - atPenalty, thresholds) ? penalty : null
}

/**
 * Whether enough closed rollouts fail at one value: the lowest that any of them has, or the one that most of those that fall short of the best have. A sum
 * of components has rare sums below it.
 *
 * @param above rewards of closed rollouts above the penalty
 * @param rare how many of them may lie below the value at which most fail
 */
function failTogether(above: readonly number[], rare: number, thresholds: Thresholds): boolean {
  const { 'same-reward': sameReward, 'cut-rollouts': enough } = thresholds
  const sorted = Float64Array.from(above).sort()
  const best = sorted.at(-1) as number
  const short = sorted.filter((reward) => reward < best - sameReward)
  for (let from = 0, to = 0; from < short.length && from <= rare; from = to) {
    while (to < short.length && same(short[to] as number, short[from] as number, sameReward)) to++
    const failing = to - from
    if (failing >= enough && (from === 0 || failing * 2 > short.length)) return true
  }
  return false
}

function same(a: number, b: number, within: number): boolean {
  return Math.abs(a - b) <= within
}
