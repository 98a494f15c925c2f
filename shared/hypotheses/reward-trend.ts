import type { DumpView } from '../checks/check.ts'
import { mean, rewardsOf } from '../checks/groups/statistics.ts'
import { kendall } from '../checks/logprobs/trend.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'

/** Mean reward by training step, and how it goes. */
export interface RewardTrend {
  readonly steps: number
  /** Means over the first and the last third of the steps. */
  readonly first: number
  readonly last: number
  readonly rank: number
  /** Steps before the mean stays level to the end, and their rank correlation with all after each; null where it does not, or where it is level throughout. */
  readonly beforeLevel: { readonly steps: number; readonly rank: number } | null
  /** From the first step to the last by the least-squares line through the means, and its standard error by how they scatter about it. */
  readonly gain: number
  readonly error: number
  /**
   * `does-not-rise`: over enough steps, and more of a gain than a run that does not learn could have is out of the question; it is level or
   * falls. `no-room`: so near the greatest reward from beginning to end that it could not gain what a run that learns does. `no-contrast`: it is level,
   * and in so few places do rewards differ that there was nothing to learn from. `open`: none is known.
   */
  readonly course: 'rises' | 'does-not-rise' | 'no-room' | 'no-contrast' | 'open'
  /** Complete groups, and those whose rewards differ; of steps where no group is known. */
  readonly contrast: Contrast
  /** The greatest reward that there is, as far as it is known. */
  readonly greatest: number
  /** It loses by as much as it would have to gain in order to rise. */
  readonly falls: boolean
}

/** In how many of the places that rewards are compared in they differ. */
export interface Contrast {
  readonly places: number
  readonly differing: number
  readonly of: 'group' | 'step'
}

/** What rewards are meant to reach, unless some are greater: one that never shows has not been reached. */
const FULL_REWARD = 1

/** Null with fewer steps than a trend can be told from. */
export function rewardTrend({ facts, groups }: Rewarded, thresholds: Thresholds): RewardTrend | null {
  const rewards = new Map<number, number[]>()
  let greatest = FULL_REWARD
  for (const { step, reward } of facts) {
    if (step === null || reward === null || !Number.isFinite(reward)) continue
    if (reward > greatest) greatest = reward
    const list = rewards.get(step)
    if (list === undefined) rewards.set(step, [reward])
    else list.push(reward)
  }
  const complete = groups.filter((group) => group.complete)
  return trendOf(
    [...rewards].sort(([a], [b]) => a - b).map(([, list]) => mean(list)),
    thresholds,
    greatest,
    complete.length > 0
      ? { places: complete.length, differing: complete.filter((group) => differ(rewardsOf(group))).length, of: 'group' }
      : { places: rewards.size, differing: [...rewards.values()].filter(differ).length, of: 'step' },
  )
}

type Rewarded = Pick<DumpView, 'facts' | 'groups'>

function differ(rewards: readonly number[]): boolean {
  return rewards.some((reward) => reward !== rewards[0])
}

/** The same of the mean rewards themselves, one a step, in order. Means of rewards that differ are not all the same. */
export function trendOf(
  means: readonly number[],
  thresholds: Thresholds,
  greatest: number = FULL_REWARD,
  contrast: Contrast = { places: means.length, differing: differ(means) ? means.length : 0, of: 'step' },
): RewardTrend | null {
  if (means.length < thresholds['trend-steps']) return null
  const third = Math.floor(means.length / 3)
  const rank = kendall(means)
  const { gain, error } = lineThrough(means)
  const chance = thresholds['run-standard-errors'] * error
  const least = Math.max(thresholds['h06-library-gain'], chance)
  const beforeLevel = levelAtEnd(means, thresholds)
  // Once the task is learnt the order of the steps is that of the noise.
  const isInOrder = Math.max(rank, beforeLevel?.rank ?? rank) >= thresholds['h06-library-rank']
  const rises = isInOrder && gain >= least
  const [first, last] = [mean(means.slice(0, third)), mean(means.slice(-third))]
  const rise = thresholds['h06-library-rise']
  // Means beyond it, as a log has them, tell of a scale of which nothing else is known.
  const lacksRoom = Math.min(first, last) + rise > greatest && means.every((value) => value <= greatest)
  const doesNotRise = means.length >= thresholds['h06-library-steps'] && gain + chance < rise
  const falls = gain < -least
  const lacksContrast = !falls && contrast.differing < thresholds['h06-library-contrast'] * contrast.places
  const level = doesNotRise ? (lacksContrast ? 'no-contrast' : 'does-not-rise') : 'open'
  return {
    steps: means.length,
    first,
    last,
    rank,
    beforeLevel,
    gain,
    error,
    course: rises ? 'rises' : lacksRoom ? 'no-room' : level,
    contrast,
    greatest,
    falls,
  }
}

/** Where a run may have become level is looked for at as many places. */
const MOST_PLACES = 64

/** The longest end of the steps over which the mean neither rises nor falls by more than chance; no shorter than a trend is told from. */
function levelAtEnd(means: readonly number[], thresholds: Thresholds): RewardTrend['beforeLevel'] {
  const stride = Math.ceil(means.length / MOST_PLACES)
  for (let from = 0; from + thresholds['trend-steps'] <= means.length; from += stride) {
    const { gain, error } = lineThrough(means.slice(from))
    if (Math.abs(gain) > thresholds['run-standard-errors'] * error) continue
    return from === 0 ? null : { steps: from, rank: kendall(means, from) }
  }
  return null
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
