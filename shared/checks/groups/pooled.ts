import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { GroupView } from '../check.ts'
import { type AdvantageFit, isBatchScaled, recomputeAdvantages } from './advantages.ts'
import { slackOf } from './by-component.ts'
import { isUsualWeight } from './scaling.ts'
import { mean, rewardsOf } from './statistics.ts'
import { groupsByStep } from './step-scales.ts'

/** Groups of a step that are compared with each that is off, beyond which its neighbours alone are: cost grows with their square. */
const MOST_COMPARED = 2_000_000
const NEIGHBOURS = 16

/** What took the rewards of a group to its advantages: (r − centre) / divisor. */
interface Line {
  readonly centre: number
  readonly divisor: number
}

/** A group that may have shared its baseline. */
interface Case {
  readonly group: GroupView
  readonly rewards: readonly number[]
  readonly stored: readonly number[]
  readonly isOff: boolean
}

/**
 * Groups whose advantages the formula gives over several prompts of a step and not over each by itself: where a prompt came twice, or a batch is cut
 * into parts smaller than itself, a baseline is that of the part. What took rewards to advantages is then one line for all of it, and its mean and std are those
 * of all its rewards together.
 */
export function* pooledGroups(
  complete: readonly GroupView[],
  isOff: (group: GroupView) => boolean,
  fit: AdvantageFit,
  thresholds: Thresholds,
): Steps<ReadonlySet<GroupView>> {
  const pooled = new Set<GroupView>()
  if (fit.scheme === 'none' || isBatchScaled(fit.scheme)) return pooled
  const steps = yield* within(0, 0.2, groupsByStep(complete))
  let looked = 0
  for (const groups of steps.values()) {
    const cases: Case[] = []
    const addCase = (group: GroupView) => {
      const stored = group.members.flatMap(({ advantage }) => advantage ?? [])
      if (stored.length === group.members.length)
        cases.push({ group, rewards: rewardsOf(group), stored, isOff: isOff(group) })
    }
    yield* within(0.2, 0.5, forEachOf(groups, addCase))
    const off = [...cases.keys()].filter((at) => cases[at]?.isOff)
    const reach = off.length * cases.length > MOST_COMPARED ? NEIGHBOURS : cases.length
    for (const at of off) {
      const own = cases[at] as Case
      if (pooled.has(own.group)) continue
      for (const part of partsWith(cases, at, reach, fit, thresholds)) {
        if (!isOfPart(part, fit, thresholds)) continue
        for (const { group } of part) pooled.add(group)
        break
      }
    }
    yield (1 + ++looked / steps.size) / 2
  }
  return pooled
}

/** What may have been one part of the batch with a group: all that lie on its line, those of them that are off, and each by itself. */
function partsWith(
  cases: readonly Case[],
  at: number,
  reach: number,
  { scheme }: AdvantageFit,
  thresholds: Thresholds,
): readonly Case[][] {
  const own = cases[at] as Case
  // Each reward has a divisor of its own there: no line tells who belongs together.
  if (scheme === 'leave-one-out-std') {
    const near = cases.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1)
    return near.filter((each) => each !== own && each.isOff).map((mate) => [own, mate])
  }
  const line = lineOf(own)
  if (line === null || !isOn(own, line, thresholds)) return []
  const near = cases.slice(Math.max(0, at - reach), at + reach + 1)
  const mates = near.filter((each) => each !== own && isOn(each, line, thresholds))
  if (mates.length === 0) return []
  const off = mates.filter(({ isOff }) => isOff)
  return [...(off.length > 0 ? [[own, ...off]] : []), [own, ...mates], ...mates.map((mate) => [own, mate])]
}

/** Rewards by advantages with least squares; null where one does not rise with the other. */
function lineOf({ rewards, stored }: Case): Line | null {
  const [meanReward, meanStored] = [mean(rewards), mean(stored)]
  let [products, squares] = [0, 0]
  for (let at = 0; at < stored.length; at++) {
    const distance = (stored[at] as number) - meanStored
    products += distance * ((rewards[at] as number) - meanReward)
    squares += distance * distance
  }
  if (!(products > 0)) return null
  const divisor = products / squares
  return { divisor, centre: meanReward - divisor * meanStored }
}

function isOn({ rewards, stored }: Case, { centre, divisor }: Line, thresholds: Thresholds): boolean {
  const slack = slackOf(stored, thresholds)
  return stored.every((each, at) => Math.abs(each - ((rewards[at] as number) - centre) / divisor) <= slack)
}

function isOfPart(part: readonly Case[], fit: AdvantageFit, thresholds: Thresholds): boolean {
  const { scheme, eps, factor, floor } = fit
  const weight = isUsualWeight(factor, thresholds) ? factor : 1
  const rewards = part.flatMap((each) => each.rewards)
  const made = recomputeAdvantages(scheme, rewards, eps ?? 0, undefined, floor)
  const stored = part.flatMap((each) => each.stored)
  const slack = slackOf(stored, thresholds)
  return stored.every((each, at) => Math.abs(each - weight * (made[at] as number)) <= slack)
}
