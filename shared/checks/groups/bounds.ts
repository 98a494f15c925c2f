import { minus } from '../../model/number-text.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { type AdvantageScheme, isGroupScaled } from './advantages.ts'
import { rewardsOf } from './statistics.ts'

/**
 * |A| that a group of n cannot exceed under a group-scaled scheme, whatever its rewards. Where a reward is no part of the std that divides it, it may
 * lie as far out as it will: under `leave-one-out-std` what is beyond needs a reason (`explodedIn`).
 */
export function advantageBound(scheme: AdvantageScheme, n: number): number {
  return scheme === 'group-std-biased' ? Math.sqrt(n - 1) : (n - 1) / Math.sqrt(n)
}

/**
 * The same for every scheme: |A| that a group of n cannot exceed where all rewards lie within `range`. Null where no bound follows from
 * n and the range alone: rewards themselves, and scaling by a std that a reward is no part of, or of a whole step.
 */
export function boundOf(scheme: AdvantageScheme, n: number, range: number): number | null {
  if (scheme === 'leave-one-out-std') return null
  if (isGroupScaled(scheme)) return advantageBound(scheme, n)
  if (scheme === 'centre') return (range * (n - 1)) / n
  return scheme === 'leave-one-out' ? range : null
}

/**
 * Members of a complete group whose stored advantage no rewards give under a scheme that is group-scaled. One that the others' std divides explodes
 * where these all have one reward, and what divides is rounding.
 *
 * @param bound of |A| in this group
 * @param sizeOf |A| of a member
 */
export function explodedIn(
  group: GroupView,
  scheme: AdvantageScheme,
  bound: number,
  thresholds: Thresholds,
  sizeOf: (member: TrajectoryFacts) => number = oneSize,
): readonly TrajectoryFacts[] {
  const limit = bound * (1 + thresholds['bound-slack'])
  const beyond = group.members.filter((member) => sizeOf(member) > limit)
  if (scheme !== 'leave-one-out-std' || beyond.length === 0) return beyond
  const rewards = rewardsOf(group).toSorted((a, b) => a - b)
  const at = (index: number) => rewards.at(index) as number
  const rangeOfOthers = (reward: number) =>
    reward === at(0) ? at(-1) - at(1) : at(reward === at(-1) ? -2 : -1) - at(0)
  return beyond.filter(({ reward }) => rangeOfOthers(reward as number) <= thresholds['same-reward'])
}

/** Of a rollout whose tokens all have one advantage; 0 of others, to which something was added turn by turn or token by token (A12). */
export function oneSize({ advantage }: TrajectoryFacts): number {
  return Math.abs(advantage ?? 0)
}

/** The advantage of a member that is of such a size, with its sign; null where tokens have it, of which only the size is kept. */
export function withSign({ advantage }: TrajectoryFacts, size: number): number | null {
  return advantage !== null && Math.abs(advantage) === size ? advantage : null
}

/** What a message says of it. */
export function advantageText(member: TrajectoryFacts, size: number): string {
  const advantage = withSign(member, size)
  const digits = minus(String(Number((advantage ?? size).toPrecision(4))))
  return advantage === null ? `An advantage of size ${digits}` : `An advantage of ${digits}`
}

/** The largest |A| among rollouts whose tokens all have one advantage. */
export function largestAdvantage(members: readonly TrajectoryFacts[]): number {
  return members.reduce((largest, member) => Math.max(largest, oneSize(member)), 0)
}

/** Of the token that has the largest. */
export function largestSize({ advantage, maxAdvantage }: TrajectoryFacts): number {
  return Math.max(Math.abs(advantage ?? 0), maxAdvantage ?? 0)
}
