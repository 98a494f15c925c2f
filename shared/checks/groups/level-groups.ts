import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import { type AdvantageFit, type AdvantageScheme, isGroupScaled } from './advantages.ts'
import { groupsBeyondAll } from './beyond-all.ts'
import { advantageBound, explodedIn, largestAdvantage } from './bounds.ts'
import { roundingOfRewards } from './reward-digits.ts'
import { environmentOf } from './reward-scales.ts'
import { biasedStd, mean, median, rangeOf, rewardsOf, unbiasedStd } from './statistics.ts'
import { orderOf } from './turned-around.ts'

/** Those that give 0 to every rollout of a group with one reward. */
const ZERO_WHERE_LEVEL: ReadonlySet<AdvantageScheme> = new Set([
  'centre',
  'leave-one-out',
  'group-std-unbiased',
  'group-std-biased',
  'batch-std',
  'leave-one-out-std',
])

/** Groups of one reward that were not given 0, by what that is. */
export type LevelOff = ReadonlyMap<GroupView, 'error' | 'warning'>

export const NO_LEVEL: LevelOff = new Map()

/**
 * Groups of one reward whose advantages are not 0, as the formula of the others makes them. Something that rewards lack may be all that differs there, or a
 * run may have a rule for just these groups (an order by length where all are right). So others of the same reward and environment must have 0, at least as
 * many as a formula must give. Where they have not, it is a warning, and only where the formula gives all groups with different rewards and nothing that the dump
 * holds tells the rollouts apart. What is beyond every formula is no rule.
 *
 * @param informative complete groups whose rewards differ
 */
export function* levelOff(
  { facts, groups, settings }: DumpView,
  informative: readonly GroupView[],
  best: AdvantageFit,
): Steps<LevelOff> {
  const { thresholds } = settings
  if (!ZERO_WHERE_LEVEL.has(best.scheme)) return NO_LEVEL
  const complete = groups.filter((group) => group.complete)
  const level = yield* within(
    0,
    0.3,
    filtered(complete, (group) => isLevel(group, thresholds)),
  )
  const slack = slackOf(informative, best, thresholds)
  const { scheme, factor } = best
  // An explosion is A03's to tell, where a std divides.
  const isExploded = (group: GroupView) =>
    isGroupScaled(scheme) &&
    explodedIn(group, scheme, factor * advantageBound(scheme, group.members.length), thresholds).length > 0
  if (level.every((group) => largestAdvantage(group.members) <= slack)) return NO_LEVEL
  const roundingOf = yield* within(0.3, 0.5, roundingOfRewards(complete))
  const kin = new Map<string, { given: number; exploded: number; off: GroupView[] }>()
  const add = (group: GroupView) => {
    const [reward = 0] = rewardsOf(group)
    // What was rounded away may differ.
    if (roundingOf(reward) > 0 || haveUnlikeParts(group, thresholds)) return
    const key = JSON.stringify([environmentOf(group), Number(reward.toPrecision(DIGITS))])
    let own = kin.get(key)
    if (own === undefined) kin.set(key, (own = { given: 0, exploded: 0, off: [] }))
    if (largestAdvantage(group.members) <= slack) own.given++
    else if (!isExploded(group)) own.off.push(group)
    else own.exploded++
  }
  yield* within(0.5, 0.8, forEachOf(level, add))
  const beyond = yield* within(0.8, 1, groupsBeyondAll(complete, facts.length))
  const isGiven = best.share === 1 && !isGroupScaled(best.scheme)
  const environments = new Set(isGiven ? informative.map(environmentOf) : [])
  const found = new Map<GroupView, 'error' | 'warning'>()
  for (const { given, exploded, off } of kin.values()) {
    const areGiven = given > 0 && given >= thresholds['fit-share'] * (given + exploded + off.length)
    for (const group of off) {
      const isTold = !isConstant(group, slack) && !isByLength(group, thresholds)
      if (beyond.has(group)) found.set(group, 'error')
      else if (areGiven) found.set(group, isOfSmallTerm(group, best, thresholds) ? 'warning' : 'error')
      else if (environments.has(environmentOf(group)) && isTold) found.set(group, 'warning')
    }
  }
  return found
}

/** Rewards are the same within these digits. */
const DIGITS = 6

/** All its rewards are the same, and it has two advantages or more. */
function isLevel(group: GroupView, thresholds: Thresholds): boolean {
  return advantagesOf(group).length > 1 && rangeOf(rewardsOf(group)) <= thresholds['same-reward']
}

/** What rounding, and what no reward tells, leaves of advantages that should be 0: as much as the other groups are off. */
function slackOf(informative: readonly GroupView[], { residual }: AdvantageFit, thresholds: Thresholds): number {
  const usual = median(informative.map(({ members }) => largestAdvantage(members))) ?? 0
  const tolerance = thresholds['advantage-tolerance']
  const ofMost = thresholds['off-beside-most'] * Math.min(residual, tolerance)
  return Math.max(thresholds['advantage-digits'], Math.max(tolerance, ofMost) * usual)
}

/** Rewards with one sum and several components, each of which may be normalised by itself. */
function haveUnlikeParts({ members }: GroupView, thresholds: Thresholds): boolean {
  const names = Object.keys(members[0]?.rewards ?? {})
  return names.some(
    (name) => !(rangeOf(members.map(({ rewards }) => rewards?.[name] ?? Number.NaN)) <= thresholds['same-reward']),
  )
}

/** Something small that rewards lack, divided by its own std, has the mean 0 and the std 1, however small it is. */
function isOfSmallTerm(group: GroupView, { scheme }: AdvantageFit, thresholds: Thresholds): boolean {
  const advantages = advantagesOf(group)
  const tolerance = thresholds['advantage-tolerance']
  const isOne = (std: number) => Math.abs(std - 1) <= tolerance
  return (
    isGroupScaled(scheme) &&
    Math.abs(mean(advantages)) <= tolerance &&
    (isOne(unbiasedStd(advantages)) || isOne(biasedStd(advantages)))
  )
}

function isConstant(group: GroupView, slack: number): boolean {
  return rangeOf(advantagesOf(group)) <= slack
}

function isByLength({ members }: GroupView, thresholds: Thresholds): boolean {
  const rows = members.filter(({ advantage }) => advantage !== null)
  const order = orderOf(rows, ({ trained, realLength }) => trained ?? realLength, thresholds)
  return order !== null && Math.abs(order) >= thresholds['agreeing-order']
}

function advantagesOf({ members }: GroupView): readonly number[] {
  return members.flatMap(({ advantage }) => advantage ?? [])
}
