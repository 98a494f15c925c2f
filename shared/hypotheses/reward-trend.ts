import type { TrajectoryFacts } from '../checks/facts.ts'
import { mean } from '../checks/groups/statistics.ts'
import { kendall } from '../checks/logprobs/trend.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'

/** Mean reward by training step, and how it goes. */
export interface RewardTrend {
  readonly steps: number
  /** Means over the first and the last third of the steps. */
  readonly first: number
  readonly last: number
  readonly rank: number
  /** From the first step to the last by the least-squares line through the means, and its standard error by how they scatter about it. */
  readonly gain: number
  readonly error: number
  /**
   * `does-not-rise`: over enough steps, and more of a gain than a run that does not learn could have is out of the question; it is level or
   * falls. `no-room`: so near the greatest reward from beginning to end that it could not gain what a run that learns does. `open`: none is known.
   */
  readonly course: 'rises' | 'does-not-rise' | 'no-room' | 'open'
  /** The greatest reward that there is, as far as it is known. */
  readonly greatest: number
  /** It loses by as much as it would have to gain in order to rise. */
  readonly falls: boolean
}

/** What rewards are meant to reach, unless some are greater: one that never shows has not been reached. */
const FULL_REWARD = 1

/** Null with fewer steps than a trend can be told from. */
export function rewardTrend(facts: readonly TrajectoryFacts[], thresholds: Thresholds): RewardTrend | null {
  const rewards = new Map<number, number[]>()
  let greatest = FULL_REWARD
  for (const { step, reward } of facts) {
    if (step === null || reward === null || !Number.isFinite(reward)) continue
    if (reward > greatest) greatest = reward
    const list = rewards.get(step)
    if (list === undefined) rewards.set(step, [reward])
    else list.push(reward)
  }
  return trendOf(
    [...rewards].sort(([a], [b]) => a - b).map(([, list]) => mean(list)),
    thresholds,
    greatest,
  )
}

/** The same of the mean rewards themselves, one a step, in order. */
export function trendOf(
  means: readonly number[],
  thresholds: Thresholds,
  greatest: number = FULL_REWARD,
): RewardTrend | null {
  if (means.length < thresholds['trend-steps']) return null
  const third = Math.floor(means.length / 3)
  const rank = kendall(means)
  const { gain, error } = lineThrough(means)
  const chance = thresholds['run-standard-errors'] * error
  const least = Math.max(thresholds['h06-library-gain'], chance)
  const rises = rank >= thresholds['h06-library-rank'] && gain >= least
  const [first, last] = [mean(means.slice(0, third)), mean(means.slice(-third))]
  const rise = thresholds['h06-library-rise']
  // Means beyond it, as a log has them, tell of a scale of which nothing else is known.
  const lacksRoom = Math.min(first, last) + rise > greatest && means.every((value) => value <= greatest)
  const doesNotRise = means.length >= thresholds['h06-library-steps'] && gain + chance < rise
  return {
    steps: means.length,
    first,
    last,
    rank,
    gain,
    error,
    course: rises ? 'rises' : lacksRoom ? 'no-room' : doesNotRise ? 'does-not-rise' : 'open',
    greatest,
    falls: gain < -least,
  }
}

/** Gain over all steps of the least-squares line, with its standard error; from three values on. */
function lineThrough(values: readonly number[]): { readonly gain: number; readonly error: number } {
  const steps = values.length
  const [middle, average] = [(steps - 1) / 2, mean(values)]
  const spread = (steps * (steps * steps - 1)) / 12
  const slope = values.reduce((sum, value, k) => sum + (k - middle) * (value - average), 0) / spread
  const scatter = values.reduce((sum, value, k) => sum + (value - average - slope * (k - middle)) ** 2, 0)
  return { gain: slope * (steps - 1), error: Math.sqrt(scatter / (steps - 2) / spread) * (steps - 1) }
}
