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
  const complete = groups.filter((group) => group.complete)
  const add = (group: GroupView) => {
    const environment = environmentOf(group)
    const own = environments.get(environment)
    if (own === undefined) environments.set(environment, [group])
    else own.push(group)
  }
  yield* within(0, 0.5, forEachOf(complete, add))
  const lots = [...environments].map(([environment, own]) => ({ environment, own, reward: oneReward(own) }))
  const all = {
    groups: complete.length,
    differing: complete.filter((group) => rangeOf(rewardsOf(group)) > thresholds['same-reward']).length,
    zeroed: zeroedByReward(complete),
  }
  const parts: ZeroedPart[] = []
  for (const { environment, own, reward } of lots) {
    if (reward === null) {
      for (const part of yield* zeroedSteps(environment, own, lots.length, thresholds)) parts.push(part)
      continue
    }
    if (environment === null || own.length < thresholds['zeroed-groups']) continue
    // None of its own groups differs, and all of them have this reward.
    if (all.differing < thresholds['zeroed-groups']) continue
    const zeroedOthers = (all.zeroed.get(reward) as number) - own.length
    parts.push(partOf(environment, null, own, reward, { others: all.groups - own.length, zeroedOthers }))
  }
  return parts
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
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { step, reward } of steps) {
    if (reward !== null) continue
    first = Math.min(first, step)
    last = Math.max(last, step)
  }
  const zeroed = zeroedByReward(own)
  return steps.flatMap(({ step, groups, reward }) => {
    if (reward === null || step < first || step > last) return []
    const zeroedOthers = (zeroed.get(reward) as number) - groups.length
    const part = partOf(environment, step, groups, reward, { others: own.length - groups.length, zeroedOthers })
    // One more of either kind than were seen, since few groups show no share.
    const share = (part.zeroedOthers + 1) / (part.others + 2)
    return share ** groups.length * steps.length * environments <= thresholds['zeroed-chance'] ? [part] : []
  })
}

function partOf(
  environment: string | null,
  step: number | null,
  groups: readonly GroupView[],
  reward: number,
  others: Pick<ZeroedPart, 'others' | 'zeroedOthers'>,
): ZeroedPart {
  const rollouts = groups.reduce((sum, { members }) => sum + members.length, 0)
  return { environment, step, groups, reward, rollouts, ...others }
}

/** How many groups have one reward, 0 or less, by that reward. */
function zeroedByReward(groups: readonly GroupView[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const group of groups) {
    const reward = oneReward([group])
    if (reward !== null) counts.set(reward, (counts.get(reward) ?? 0) + 1)
  }
  return counts
}

/** The one reward, 0 or less, of all members of these groups; null where there are others. */
function oneReward(groups: readonly GroupView[]): number | null {
  const first = groups[0] === undefined ? undefined : rewardsOf(groups[0])[0]
  if (first === undefined || first > 0) return null
  return groups.every((group) => rewardsOf(group).every((reward) => reward === first)) ? first : null
}
