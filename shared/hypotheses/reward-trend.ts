import type { TrajectoryFacts } from '../checks/facts.ts'
import { mean, unbiasedStd } from '../checks/groups/statistics.ts'
import { kendall } from '../checks/logprobs/trend.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'

/** Mean reward by training step, and whether it rises. */
export interface RewardTrend {
  readonly steps: number
  readonly first: number
  readonly last: number
  readonly rank: number
  readonly rises: boolean
}

/** Null with fewer steps than a trend can be told from. */
export function rewardTrend(facts: readonly TrajectoryFacts[], thresholds: Thresholds): RewardTrend | null {
  const rewards = new Map<number, number[]>()
  for (const { step, reward } of facts) {
    if (step === null || reward === null || !Number.isFinite(reward)) continue
    const list = rewards.get(step)
    if (list === undefined) rewards.set(step, [reward])
    else list.push(reward)
  }
  return trendOf(
    [...rewards].sort(([a], [b]) => a - b).map(([, list]) => mean(list)),
    thresholds,
  )
}

/** The same of the mean rewards themselves, one a step, in order. */
export function trendOf(means: readonly number[], thresholds: Thresholds): RewardTrend | null {
  if (means.length < thresholds['trend-steps']) return null
  const third = Math.floor(means.length / 3)
  const [early, late] = [means.slice(0, third), means.slice(-third)]
  const error = Math.sqrt((unbiasedStd(early) ** 2 + unbiasedStd(late) ** 2) / third)
  const gain = mean(late) - mean(early)
  const rank = kendall(means)
  const enough = Math.max(thresholds['h06-library-gain'], thresholds['run-standard-errors'] * error)
  return {
    steps: means.length,
    first: mean(early),
    last: mean(late),
    rank,
    rises: rank >= thresholds['h06-library-rank'] && gain >= enough,
  }
}
