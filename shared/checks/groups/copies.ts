import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { sampledTokens } from '../limits/limits.ts'
import { chanceOfAtLeast } from '../reporting/chance.ts'

/** All sequences that a member was stored as: itself, mostly. */
export function partsOf({ parts }: GroupView, member: TrajectoryFacts): readonly TrajectoryFacts[] {
  return parts?.get(member) ?? [member]
}

/** What is the same in two rollouts that are the same: the ids of all their sequences, each once; null where they have none. */
export function idsOf(parts: readonly TrajectoryFacts[]): string | null {
  const ids = new Set(parts.map(({ idsHash }) => idsHash))
  return ids.has(null) ? null : [...ids].join(' ')
}

/** Tokens that were sampled for a member: calls that are sequences of their own mostly repeat what went before, which counts once. */
export function sampledFor(group: GroupView, member: TrajectoryFacts): number {
  return partsOf(group, member).reduce((most, part) => Math.max(most, sampledTokens(part)), 0)
}

/** Members with the same ids, where they are long enough to be no chance, and the policy is not so sure of these words that they are one. */
export function copiesIn(group: GroupView, thresholds: Thresholds): TrajectoryFacts[][] {
  return equalIn(group).filter(
    (same) => !isShort(group, same[0] as TrajectoryFacts, thresholds) && !isByChance(group, same, thresholds),
  )
}

/** A group nearly all of which says the same, at some length, because the policy is sure of it. */
export interface SureAnswer {
  readonly members: readonly TrajectoryFacts[]
  /** Of the answer by its logprobs. */
  readonly probability: number
}

/** Fewer rollouts say nothing by being all alike, or all but one. */
const FEWEST = 4

/** What nearly all members of a group say, where it is long and no chance tells it from a copy; null where there is none. */
export function sureAnswerIn(group: GroupView, thresholds: Thresholds): SureAnswer | null {
  const { members } = group
  if (members.length < FEWEST) return null
  const same = equalIn(group).find(({ length }) => length >= members.length - 1)
  if (same === undefined || isShort(group, same[0] as TrajectoryFacts, thresholds)) return null
  const probability = probabilityOf(group, same[0] as TrajectoryFacts)
  return probability !== null && isByChance(group, same, thresholds) ? { members: same, probability } : null
}

/** Members with the same ids that the policy gives so often that they are no copies. */
export function equalByChance(group: GroupView, thresholds: Thresholds): TrajectoryFacts[] {
  return equalIn(group).flatMap((same) => (isByChance(group, same, thresholds) ? same : []))
}

/** Two rollouts that begin with the same call are not the same: all sequences that they were stored as are compared. */
function equalIn(group: GroupView): TrajectoryFacts[][] {
  const equal = new Map<string, TrajectoryFacts[]>()
  for (const member of group.members) {
    const ids = member.idsHash === null ? null : idsOf(partsOf(group, member))
    if (ids === null) continue
    const same = equal.get(ids)
    if (same === undefined) equal.set(ids, [member])
    else same.push(member)
  }
  return [...equal.values()].filter((same) => same.length > 1)
}

function isShort(group: GroupView, member: TrajectoryFacts, thresholds: Thresholds): boolean {
  return sampledFor(group, member) < thresholds['duplicate-tokens']
}

/** Whether as many of so many samples are the same by chance, at the probability that their logprobs give. */
function isByChance(group: GroupView, same: readonly TrajectoryFacts[], thresholds: Thresholds): boolean {
  const probability = probabilityOf(group, same[0] as TrajectoryFacts)
  if (probability === null) return false
  return chanceOfAtLeast(same.length, group.members.length, probability) >= thresholds['chance-of-copies']
}

/**
 * The probability of a completion by the sampler's logprobs, by the trainer's where there are no others; null where they are not known for all of it, its end tokens aside. Of a rollout
 * that is several sequences it is at most that of the least probable one, be it known in part: how much of one stands in another is not.
 */
function probabilityOf(group: GroupView, member: TrajectoryFacts): number | null {
  const parts = partsOf(group, member)
  if (parts.length === 1) return isKnown(member) ? shownBy(member) : null
  const known = parts.flatMap((part) => shownBy(part) ?? [])
  return known.length === 0 ? null : Math.min(...known)
}

function isKnown(facts: TrajectoryFacts): boolean {
  const sampled = sampledTokens(facts)
  const scored = facts.gap?.count ?? facts.onlyLogprobs?.count ?? 0
  return scored > 0 && sampled > 0 && scored + facts.assistantTurns >= sampled
}

/** Of the tokens that have logprobs. A 0 on every token is what fillers say, and greedy sampling, and nothing that a policy is. */
function shownBy({ gap, onlyLogprobs: only }: TrajectoryFacts): number | null {
  const values = gap?.samplerValues ?? only?.values ?? 0
  const sum = gap === undefined ? (only?.sum ?? 0) : gap.trainerSum + gap.sum
  return sum === 0 || values === 0 ? null : Math.min(1, Math.exp(sum))
}
