import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { type AdvantageFit, isBatchScaled, recomputeAdvantages } from './advantages.ts'
import { baselineRows, trainingOf, withoutCut, withoutFailed } from './baseline-rows.ts'
import { givenByComponents, slackOf } from './by-component.ts'
import { givenByEnvironment } from './by-environment.ts'
import { sharedByLength } from './by-length.ts'
import { isInformative } from './informative.ts'
import { pooledGroups } from './pooled.ts'
import { roundingOfRewards } from './reward-digits.ts'
import { fitting, isUsualWeight } from './scaling.ts'
import { mean, rangeOf } from './statistics.ts'
import { groupsByStep, measuringSteps, type StepScale, type StepScales, stepOf } from './step-scales.ts'

/**
 * What a run makes of the advantages that a formula gives before it stores them, or what else gives them. All of it is meant: they are clipped; whitened
 * once more over the step, or divided by the std of a step of which rows are no longer in the dump; each prompt has a baseline that no rollout of the dump
 * tells, as a greedy one (ReMax, arXiv 2310.10505) or a running mean; each reward component is normalised by itself; rewards are stored with fewer
 * digits than they were made of; several prompts of a step share a baseline; an environment has a rule of its own; or the best rollouts of a group share
 * what they are given by their length.
 */
export interface Reshaping {
  /** Whether a group that the formula does not give is given by one of these. */
  explains(group: GroupView): boolean
  /** The bound of |A| that the formula has in a group, behind what was made of the advantages of its step; none is known of sums, nor of what several groups share. */
  carried(group: GroupView, bound: number): number
}

/** stored = factor · (what the formula gives) + offset */
interface Line {
  readonly factor: number
  readonly offset: number
}

/** That of all groups of a step with different rewards. */
interface StepMap extends Line {
  /** Whether it is that of a group of one reward as well. */
  readonly takes: (group: GroupView) => boolean
}

/** Stored advantages of rows of a group beside their rewards and what the formula gives them, [n] each. */
interface Beside {
  readonly rows: readonly TrajectoryFacts[]
  readonly rewards: readonly number[]
  readonly stored: readonly number[]
  readonly made: readonly number[]
}

/** Of the formula that the stored advantages fit; where they fit none, components alone may explain them. */
export const reshaping = onceForDump(findReshaping)

function* findReshaping(view: DumpView): Steps<Reshaping> {
  const { thresholds } = view.settings
  const fit = yield* within(0, 0.2, fitting(view))
  const components = yield* within(0.2, 0.3, givenByComponents(view))
  if (components !== null) {
    return { explains: components, carried: (group, bound) => (components(group) ? Number.POSITIVE_INFINITY : bound) }
  }
  if (fit?.accepted !== true) return { explains: () => false, carried: (_, bound) => bound }
  const complete = view.groups.filter((group) => group.complete)
  const informative = yield* within(
    0.3,
    0.4,
    filtered(complete, (group) => isInformative(group, thresholds)),
  )
  const scaleOf = yield* within(0.4, 0.6, measuringSteps(complete))
  const besideOf = (group: GroupView) => besidesOf(group, fit, scaleOf(group), thresholds)
  const ends = yield* within(0.6, 0.65, clippingEnds(complete))
  const roundingOf = yield* within(0.65, 0.7, roundingOfRewards(complete))
  const steps = yield* within(0.7, 0.75, groupsByStep(informative))
  const maps = yield* within(0.75, 0.9, mapsOfSteps(steps, fit, thresholds))
  const isOff = (group: GroupView) => !besideOf(group).some((beside) => isMade(beside, thresholds))
  const pooled = yield* within(0.9, 0.95, pooledGroups(complete, isOff, fit, thresholds))
  const byEnvironment = yield* within(0.95, 0.98, givenByEnvironment(view, informative, isOff))
  const off = informative.filter(isOff)
  const byLength = yield* within(
    0.98,
    1,
    sharedByLength(off, (group) => fewestOff(besideOf(group), thresholds), thresholds),
  )
  return {
    explains: (group) =>
      maps.get(stepOf(group))?.takes(group) === true ||
      pooled.has(group) ||
      byEnvironment.has(group) ||
      byLength.has(group) ||
      besideOf(group).some(
        (beside) =>
          isClipped(beside, ends, thresholds) ||
          isOfMoreDigits(beside, roundingOf, thresholds) ||
          (fit.scheme === 'none' && hasBaselineOfItsOwn(beside, thresholds)),
      ),
    carried: (group, bound) => {
      if (pooled.has(group) || byEnvironment.has(group) || byLength.has(group)) return Number.POSITIVE_INFINITY
      const map = maps.get(stepOf(group))
      return map === undefined ? bound : map.factor * bound + Math.abs(map.offset)
    },
  }
}

/** By the rows of each baseline that a trainer may have taken. */
function besidesOf(group: GroupView, fit: AdvantageFit, step: StepScales, thresholds: Thresholds): readonly Beside[] {
  const weight = isUsualWeight(fit.factor, thresholds) ? fit.factor : 1
  return baselineRows(group.members).map((rows) =>
    besideOf(rows, fit, weight, rows === group.members ? step.ofAll : step.ofTraining),
  )
}

function besideOf(
  rows: readonly TrajectoryFacts[],
  { scheme, eps, floor }: Pick<AdvantageFit, 'scheme' | 'eps' | 'floor'>,
  weight: number,
  step: StepScale,
): Beside {
  const rewards = rows.map(({ reward }) => reward as number)
  const made = recomputeAdvantages(scheme, rewards, eps ?? 0, step, floor)
  const stored = rows.map(({ advantage }) => advantage)
  const at = [...rows.keys()].filter((row) => stored[row] !== null)
  return {
    rows: at.map((row) => rows[row] as TrajectoryFacts),
    rewards: at.map((row) => rewards[row] as number),
    stored: at.map((row) => stored[row] as number),
    made: at.map((row) => weight * (made[row] as number)),
  }
}

/** The least and the greatest advantage of the dump, each null where it is nothing that a person would clip at and only one row has it. */
interface Ends {
  readonly least: number | null
  readonly greatest: number | null
}

function* clippingEnds(groups: readonly GroupView[]): Steps<Ends> {
  let [least, greatest, atLeast, atGreatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
  yield* forEachOf(groups, ({ members }) => {
    for (const { advantage } of members) {
      if (advantage === null) continue
      if (advantage < least) [least, atLeast] = [advantage, 0]
      if (advantage > greatest) [greatest, atGreatest] = [advantage, 0]
      if (advantage === least) atLeast++
      if (advantage === greatest) atGreatest++
    }
  })
  const isRound = (value: number) => Number.isInteger(2 * value)
  return {
    least: atLeast > 1 || isRound(least) ? least : null,
    greatest: atGreatest > 1 || isRound(greatest) ? greatest : null,
  }
}

/** Every row has what the formula gives. */
function isMade(beside: Beside, thresholds: Thresholds): boolean {
  return rowsOff(beside, thresholds).length === 0
}

/** Those that have something else than the formula gives. */
function rowsOff({ rows, stored, made }: Beside, thresholds: Thresholds): readonly TrajectoryFacts[] {
  const slack = slackOf(stored, thresholds)
  return rows.filter((_, at) => Math.abs((stored[at] as number) - (made[at] as number)) > slack)
}

/** By the baseline that leaves fewest of them. */
function fewestOff(besides: readonly Beside[], thresholds: Thresholds): readonly TrajectoryFacts[] {
  return besides
    .map((beside) => rowsOff(beside, thresholds))
    .reduce((fewest, rows) => (rows.length < fewest.length ? rows : fewest))
}

/** Every row has what the formula gives, or an end that lies before that. */
function isClipped(beside: Beside, { least, greatest }: Ends, thresholds: Thresholds): boolean {
  const slack = slackOf(beside.stored, thresholds)
  return beside.stored.every((stored, at) => {
    const made = beside.made[at] as number
    return (
      Math.abs(stored - made) <= slack || (stored === greatest && made > stored) || (stored === least && made < stored)
    )
  })
}

/**
 * The rewards that they were made of had more digits than those stored. A reward that is off by half a unit moves an advantage by as much, over what
 * divides it; so does the mean of the group, and the std by up to as much again.
 */
function isOfMoreDigits(beside: Beside, roundingOf: (reward: number) => number, thresholds: Thresholds): boolean {
  const rounding = beside.rewards.reduce((most, reward) => Math.max(most, roundingOf(reward)), 0)
  const divided = rangeOf(beside.made) / rangeOf(beside.rewards)
  const slack = slackOf(beside.stored, thresholds) + MOVED * rounding * divided
  return rounding > 0 && beside.stored.every((stored, at) => Math.abs(stored - (beside.made[at] as number)) <= slack)
}

/** By the reward itself, the mean of its group and the std. */
const MOVED = 3

/** Rewards less one number. */
function hasBaselineOfItsOwn(beside: Beside, thresholds: Thresholds): boolean {
  const less = beside.stored.map((stored, at) => stored - (beside.made[at] as number))
  const baseline = mean(less)
  return less.every((each) => Math.abs(each - baseline) <= slackOf(beside.stored, thresholds))
}

/** Where a std of the whole step divides, what it is depends on rows that may be missing: the formula without it. */
const UNDIVIDED: StepScale = { mean: 0, std: 1, centredMean: 0, centredStd: 1 }

/** The one map that takes what the formula gives to what is stored in every group of a step; steps that have none are absent. */
function* mapsOfSteps(
  steps: ReadonlyMap<number | null, readonly GroupView[]>,
  fit: AdvantageFit,
  thresholds: Thresholds,
): Steps<ReadonlyMap<number | null, StepMap>> {
  const maps = new Map<number | null, StepMap>()
  const isOfStep = isBatchScaled(fit.scheme)
  const formula = isOfStep ? { scheme: fit.scheme, eps: 0, floor: 0 } : fit
  let looked = 0
  for (const [step, groups] of steps) {
    yield looked++ / steps.size
    // One group by itself is some multiple of the formula, whatever was made of it.
    if (groups.length < 2 && !isOfStep) continue
    for (const rowsOf of [allOf, trainingOf, withoutFailed, withoutCut]) {
      const undivided = (group: GroupView) => besideOf(rowsOf(group.members), formula, 1, UNDIVIDED)
      const besides = groups.map(undivided)
      const map = mapOf(besides)
      if (!isUsualWeight(map.factor, thresholds) && !isOfStep) continue
      const takes = (group: GroupView) => isMapped(undivided(group), map, thresholds)
      if (map.factor > 0 && besides.every((beside) => isMapped(beside, map, thresholds)))
        maps.set(step, { ...map, takes })
    }
  }
  return maps
}

const allOf = (members: GroupView['members']) => members

function isMapped(beside: Beside, { factor, offset }: Line, thresholds: Thresholds): boolean {
  const slack = slackOf(beside.stored, thresholds)
  return beside.stored.every((stored, at) => Math.abs(stored - factor * (beside.made[at] as number) - offset) <= slack)
}

/** Least squares over all rows. */
function mapOf(besides: readonly Beside[]): Line {
  const stored = besides.flatMap((beside) => beside.stored)
  const made = besides.flatMap((beside) => beside.made)
  const [meanStored, meanMade] = [mean(stored), mean(made)]
  let [products, squares] = [0, 0]
  for (let at = 0; at < stored.length; at++) {
    const distance = (made[at] as number) - meanMade
    products += distance * ((stored[at] as number) - meanStored)
    squares += distance * distance
  }
  const factor = squares === 0 ? 0 : products / squares
  return { factor, offset: meanStored - factor * meanMade }
}
