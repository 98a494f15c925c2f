import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import { environmentOf } from './reward-scales.ts'
import { rangeOf, rewardsOf } from './statistics.ts'
import { groupsByStep } from './step-scales.ts'

/** All complete groups of an environment, or those of one step of it, that have one and the same reward, 0 or less. */
export interface ZeroedPart {
  /** Null where the dump names none, so that all of it is one. */
  readonly environment: string | null
  /** Null where it is so in all of them. */
  readonly step: number | null
  readonly groups: readonly GroupView[]
  readonly reward: number
  readonly rollouts: number
  /** Groups of its other steps, or of other environments, and how many of them have no other reward either. */
  readonly others: number
  readonly zeroedOthers: number
}

/**
 * Parts of a dump whose rewards are all 0, where others are rewarded: a reward function that fails in one environment, or did so for one step. An environment
 * is so whatever its steps are where it has groups enough; it may be too hard as well. A step is so where it stands between steps in which its environment is
 * rewarded, so often that chance makes none: what fails everything at first is learning, and at last may have collapsed.
 */
export function* zeroedParts({ groups, settings }: DumpView): Steps<readonly ZeroedPart[]> {
  const { thresholds } = settings
  const environments = new Map<string | null, GroupView[]>()
  const add = (group: GroupView) => {
    if (!group.complete) return
    const environment = environmentOf(group)
    const own = environments.get(environment)
    if (own === undefined) environments.set(environment, [group])
    else own.push(group)
  }
  yield* within(0, 0.5, forEachOf(groups, add))
  const lots = [...environments].map(([environment, own]) => ({ environment, own, reward: oneReward(own) }))
  const parts: ZeroedPart[] = []
  for (const { environment, own, reward } of lots) {
    const others = lots.filter((lot) => lot.own !== own).flatMap((lot) => lot.own)
    if (reward === null) parts.push(...(yield* zeroedSteps(environment, own, lots.length, thresholds)))
    else if (environment !== null && areDealtWith(own, others, thresholds))
      parts.push(partOf(environment, null, own, others, reward))
  }
  return parts
}

/** Enough groups to say something of an environment, beside as many of others that are rewarded. */
function areDealtWith(own: readonly GroupView[], others: readonly GroupView[], thresholds: Thresholds): boolean {
  const least = thresholds['zeroed-groups']
  if (own.length < least || others.length < least) return false
  const differing = others.filter((group) => rangeOf(rewardsOf(group)) > thresholds['same-reward'])
  return differing.length >= least
}

function* zeroedSteps(
  environment: string | null,
  own: readonly GroupView[],
  environments: number,
  thresholds: Thresholds,
): Steps<readonly ZeroedPart[]> {
  const bySteps = yield* groupsByStep(own)
  const steps = [...bySteps].flatMap(([step, groups]) =>
    step === null ? [] : [{ step, groups, reward: oneReward(groups) }],
  )
  const rewarded = steps.filter(({ reward }) => reward === null).map(({ step }) => step)
  const [first, last] = [Math.min(...rewarded), Math.max(...rewarded)]
  return steps.flatMap(({ step, groups, reward }) => {
    if (reward === null || step < first || step > last) return []
    const part = partOf(
      environment,
      step,
      groups,
      own.filter((group) => !groups.includes(group)),
      reward,
    )
    // One more of either kind than were seen, since few groups show no share.
    const share = (part.zeroedOthers + 1) / (part.others + 2)
    return share ** groups.length * steps.length * environments <= thresholds['zeroed-chance'] ? [part] : []
  })
}

function partOf(
  environment: string | null,
  step: number | null,
  groups: readonly GroupView[],
  others: readonly GroupView[],
  reward: number,
): ZeroedPart {
  const rollouts = groups.reduce((sum, { members }) => sum + members.length, 0)
  const zeroedOthers = others.filter((group) => oneReward([group]) === reward).length
  return { environment, step, groups, reward, rollouts, others: others.length, zeroedOthers }
}

/** The one reward, 0 or less, of all members of these groups; null where there are others. */
function oneReward(groups: readonly GroupView[]): number | null {
  const first = groups[0] === undefined ? undefined : rewardsOf(groups[0])[0]
  if (first === undefined || first > 0) return null
  return groups.every((group) => rewardsOf(group).every((reward) => reward === first)) ? first : null
}
