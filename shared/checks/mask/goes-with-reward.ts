import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { biasedStd, mean, median } from '../groups/statistics.ts'

/** By which a difference of stored advantages may be off, as a share of the largest: bfloat16 keeps eight bits of each. */
const DIGITS = 0.01

interface Baseline {
  readonly mean: number
  readonly std: number
}

/** What a trainer may make of a reward before it discounts it and whitens all: nothing, less the mean of its group, or that over the group's std. */
const MADE_OF: readonly ((reward: number, group: Baseline) => number)[] = [
  (reward) => reward,
  (reward, { mean }) => reward - mean,
  (reward, { mean, std }) => (reward - mean) / std,
]

/**
 * What the last turns get beyond the earlier ones is one multiple of the reward of their rollouts, or of what a baseline leaves of it. Where a run
 * rewards turn by turn, and every turn but the last with the same, it is not: these turns earned a part of the reward themselves.
 *
 * @param share of the rollouts of which it must be so
 */
export function goesWithReward(
  members: readonly TrajectoryFacts[],
  groups: ReadonlyMap<TrajectoryFacts, GroupView>,
  share: number,
): boolean {
  const beyond = members.map(({ earlierCredit }) => (earlierCredit?.last ?? 0) - (earlierCredit?.credit ?? 0))
  const baselines = baselinesOf(members, groups)
  return MADE_OF.some((madeOf) => {
    const made = members.map(({ reward }, at) => madeOf(reward ?? Number.NaN, baselines[at] as Baseline))
    return isMultiple(beyond, made, share)
  })
}

/** Of the group of each; of one without a group nothing is known. */
function baselinesOf(
  members: readonly TrajectoryFacts[],
  groups: ReadonlyMap<TrajectoryFacts, GroupView>,
): readonly Baseline[] {
  const known = new Map<GroupView | undefined, Baseline>([[undefined, { mean: Number.NaN, std: Number.NaN }]])
  return members.map((member) => {
    const group = groups.get(member)
    let baseline = known.get(group)
    if (baseline === undefined) {
      const rewards = group?.members.map(({ reward }) => reward ?? Number.NaN) ?? []
      known.set(group, (baseline = { mean: mean(rewards), std: biasedStd(rewards) }))
    }
    return baseline
  })
}

function isMultiple(stored: readonly number[], made: readonly number[], share: number): boolean {
  const factors = stored.map((value, at) => value / (made[at] as number))
  const factor = median(factors.filter(Number.isFinite))
  if (factor === null || factor <= 0) return false
  let largest = 0
  for (const value of stored) largest = Math.max(largest, Math.abs(value))
  const within = stored.filter((value, at) => Math.abs(value - factor * (made[at] as number)) <= DIGITS * largest)
  return within.length >= share * stored.length
}
