import { filtered, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import {
  ADVANTAGE_SCHEMES,
  type AdvantageFit,
  type AdvantageScheme,
  atEvenDistances,
  FIT_GROUPS,
  isGroupScaled,
  recomputeAdvantages,
  residualOf,
} from './advantages.ts'
import { isInformative } from './informative.ts'
import { median, rangeOf, rewardsOf, unbiasedStd } from './statistics.ts'
import { NO_STEP, type StepScales } from './step-scales.ts'

/** A formula whose divisor is never below a floor. */
interface Formula {
  readonly scheme: AdvantageScheme
  readonly eps: number
  readonly floor: number
}

/** … and the share of the groups that it gives. */
interface Floored extends Formula {
  readonly share: number
}

/** Groups that tell how low the floor may lie: more would name the same one. */
const FLOORS_TRIED = 12
/** Groups on which each is tried before all are asked. */
const FEW_GROUPS = 64

/** Groups whose own std is above the floor and divides them: one may be so by chance. */
const LEAST_ABOVE = 2

/** Steps have no part in a std of a group. */
const NO_STEPS: StepScales = { ofAll: NO_STEP, ofTraining: NO_STEP, byToken: NO_STEP }

/**
 * The same fit, or one whose std never counts as less than a floor, (r − mean) / max(std, floor), where that gives more of the groups. A floor says
 * something where all groups but a few with a smaller std are divided by it, and where these have several stds or it is a number that a person would
 * write: of one group, whatever made its advantages smaller is some floor.
 */
export function* withFloor(
  { groups, settings }: Pick<DumpView, 'groups' | 'settings'>,
  fit: AdvantageFit,
): Steps<AdvantageFit> {
  const { thresholds, options } = settings
  if (fit.share === 1 || fit.factor !== 1) return fit
  const cases = yield* within(
    0,
    0.2,
    filtered(groups, (group) => group.complete && isInformative(group, thresholds)),
  )
  const compared = atEvenDistances(cases, FIT_GROUPS)
  const few = atEvenDistances(compared, FEW_GROUPS)
  const eps = options.advantageEps ?? 0
  let best: Floored | null = null
  for (const scheme of ADVANTAGE_SCHEMES.filter(isGroupScaled)) {
    if (fit.accepted && isGroupScaled(fit.scheme) && scheme !== fit.scheme) continue
    const plain = new Set(yield* filtered(compared, (group) => isGiven(group, { scheme, eps, floor: 0 }, thresholds)))
    const off = compared.filter((group) => !plain.has(group))
    for (const floor of floorsOf(atEvenDistances(off, FLOORS_TRIED), scheme, eps)) {
      yield 0.5
      const formula = { scheme, eps, floor }
      const least = Math.max(fit.share, best?.share ?? 0, thresholds['fit-share'])
      if (few.filter((group) => isGiven(group, formula, thresholds)).length < (few.length * least) / 2) continue
      const given = yield* filtered(compared, (group) => isGiven(group, formula, thresholds))
      if (given.length <= least * compared.length || !isTold(compared, plain, given, formula, thresholds)) continue
      best = { ...formula, share: given.length / compared.length }
    }
  }
  if (best === null) return fit
  const { scheme, floor } = best
  const written = writtenNear(floor)
  const formula = { scheme, eps, floor: written ?? floor }
  const residual = median(compared.map((group) => residualUnder(group, formula))) as number
  const before = scheme === fit.scheme ? [] : [fit]
  const others = fit.runnersUp.filter((each) => each.scheme !== scheme)
  return { ...fit, ...best, ...formula, residual, accepted: true, runnersUp: [...before, ...others] }
}

function residualUnder(group: GroupView, { scheme, eps, floor }: Formula): number {
  return residualOf(group, scheme, eps, NO_STEPS, 1, floor)
}

function isGiven(group: GroupView, formula: Formula, thresholds: Thresholds): boolean {
  return residualUnder(group, formula) <= thresholds['advantage-tolerance']
}

/**
 * Whether groups tell the floor: those that it makes a difference to, of several stds or to a number that a person would write, and hardly one that
 * is divided by a smaller std of its own. Where no group has a larger one, one constant divides them all, and that has other sources.
 */
function isTold(
  compared: readonly GroupView[],
  plain: ReadonlySet<GroupView>,
  given: readonly GroupView[],
  formula: Formula,
  thresholds: Thresholds,
): boolean {
  const tolerance = thresholds['advantage-tolerance']
  const isBelow = (group: GroupView) => makesADifference(group, formula, tolerance)
  const held = given.filter(isBelow)
  const against = compared.filter((group) => plain.has(group) && isBelow(group))
  if (held.length < thresholds['factor-share'] * (held.length + against.length)) return false
  if (given.length < held.length + LEAST_ABOVE) return false
  const stds = held.map((group) => unbiasedStd(rewardsOf(group)))
  return rangeOf(stds) > tolerance * formula.floor || writtenNear(formula.floor) !== null
}

/** What the floor may be, by these groups, each once as far as the tolerance tells them apart. */
function floorsOf(groups: readonly GroupView[], scheme: AdvantageScheme, eps: number): Iterable<number> {
  const floors = groups.flatMap((group) => divisorsOf(group, scheme, eps))
  return new Map(floors.map((floor) => [floor.toPrecision(2), floor])).values()
}

/**
 * What divides the advantages of the two rows of a group that have the largest, less eps: what may be the floor. Where a reward is no part of its
 * divisor, rows of a group have several.
 */
function divisorsOf({ members }: GroupView, scheme: AdvantageScheme, eps: number): number[] {
  const rows = members.flatMap(({ reward, advantage }) =>
    advantage === null ? [] : [{ reward: reward as number, advantage }],
  )
  const centred = recomputeAdvantages(
    scheme === 'leave-one-out-std' ? 'leave-one-out' : 'centre',
    rows.map(({ reward }) => reward),
    0,
  )
  return rows
    .map(({ advantage }, at) => ({ advantage, divisor: (centred[at] as number) / advantage - eps }))
    .filter(({ divisor }) => divisor > 0 && Number.isFinite(divisor))
    .sort((a, b) => Math.abs(b.advantage) - Math.abs(a.advantage))
    .slice(0, 2)
    .map(({ divisor }) => divisor)
}

function makesADifference(group: GroupView, { scheme, eps, floor }: Formula, tolerance: number): boolean {
  const rewards = rewardsOf(group)
  const plain = recomputeAdvantages(scheme, rewards, eps)
  const floored = recomputeAdvantages(scheme, rewards, eps, NO_STEP, floor)
  return plain.some((each, at) => Math.abs(each - (floored[at] as number)) > tolerance * Math.abs(each))
}

/** The number of one digit that a value is; null where it is none. */
function writtenNear(value: number): number | null {
  const written = Number(value.toPrecision(1))
  return Math.abs(value - written) <= DIGITS * value ? written : null
}

/** By which what is computed of stored digits may be off. */
const DIGITS = 0.002
