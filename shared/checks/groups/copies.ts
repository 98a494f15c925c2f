import type { Thresholds } from '../../model/thresholds/registry.ts'
import { chanceOfAtLeast } from '../chance.ts'
import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { sampledTokens } from '../limits.ts'

/** Members with the same ids, where they are long enough to be no chance, and the policy is not so sure of these words that they are one. */
export function copiesIn(group: GroupView, thresholds: Thresholds): TrajectoryFacts[][] {
  return equalIn(group).filter(
    (same) => !isShort(same[0] as TrajectoryFacts, thresholds) && !isByChance(same, group.members.length, thresholds),
  )
}

/** A group nearly all of which says the same, at some length, because the policy is sure of it. */
export interface SureAnswer {
  readonly members: readonly TrajectoryFacts[]
  /** Of the answer by the sampler's logprobs. */
  readonly probability: number
}

/** Fewer rollouts say nothing by being all alike, or all but one. */
const FEWEST = 4

/** What nearly all members of a group say, where it is long and no chance tells it from a copy; null where there is none. */
export function sureAnswerIn(group: GroupView, thresholds: Thresholds): SureAnswer | null {
  const { members } = group
  if (members.length < FEWEST) return null
  const same = equalIn(group).find(({ length }) => length >= members.length - 1)
  if (same === undefined || isShort(same[0] as TrajectoryFacts, thresholds)) return null
  const probability = probabilityOf(same[0] as TrajectoryFacts)
  return probability !== null && isByChance(same, members.length, thresholds) ? { members: same, probability } : null
}

/** Members with the same ids that the policy gives so often that they are no copies. */
export function equalByChance(group: GroupView, thresholds: Thresholds): TrajectoryFacts[] {
  return equalIn(group).flatMap((same) => (isByChance(same, group.members.length, thresholds) ? same : []))
}

function equalIn({ members }: GroupView): TrajectoryFacts[][] {
  const equal = new Map<string, TrajectoryFacts[]>()
  for (const member of members) {
    if (member.idsHash === null) continue
    const same = equal.get(member.idsHash)
    if (same === undefined) equal.set(member.idsHash, [member])
    else same.push(member)
  }
  return [...equal.values()].filter((same) => same.length > 1)
}

function isShort(facts: TrajectoryFacts, thresholds: Thresholds): boolean {
  return sampledTokens(facts) < thresholds['duplicate-tokens']
}

/** Whether as many of so many samples are the same by chance, at the probability that the sampler gave them. */
function isByChance(same: readonly TrajectoryFacts[], samples: number, thresholds: Thresholds): boolean {
  const probability = probabilityOf(same[0] as TrajectoryFacts)
  return probability !== null && chanceOfAtLeast(same.length, samples, probability) >= thresholds['chance-of-copies']
}

/**
 * The probability of a completion by the sampler's logprobs; null where they are not known for all of it, its end tokens aside. A 0 on every
 * token is what fillers say, and greedy sampling, and nothing that a policy is.
 */
function probabilityOf(facts: TrajectoryFacts): number | null {
  const { gap, assistantTurns } = facts
  const sampled = sampledTokens(facts)
  if (gap === undefined || sampled === 0 || gap.count + assistantTurns < sampled) return null
  const sum = gap.trainerSum + gap.sum
  return sum === 0 || gap.samplerValues === 0 ? null : Math.min(1, Math.exp(sum))
}
