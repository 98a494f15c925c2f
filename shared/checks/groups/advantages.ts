import { filtered, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import { baselineRows } from './baseline-rows.ts'
import { isInformative } from './informative.ts'
import { type Pairs, proportionOf } from './proportion.ts'
import { biasedStd, mean, rewardsOf, unbiasedStd } from './statistics.ts'
import { measuringSteps, NO_STEP, type StepScale, type StepScales, stepOf } from './step-scales.ts'

/**
 * How a trainer makes advantages of the rewards r of a group of n; s is a standard deviation.
 * - `none`: r
 * - `centre`: r − mean
 * - `leave-one-out`: r − mean of the others
 * - `group-std-unbiased`, `group-std-biased`: (r − mean) / (s of the group + eps), over n − 1 or over n
 * - `batch-std`: (r − mean) / (s of all rewards of the step + eps)
 * - `leave-one-out-std`: (r − mean of the others) / (s of the others + eps), undivided where that s is 0
 * - `batch-mean-std`: (r − mean of the step) / (s of all rewards of the step + eps), which is REINFORCE++ (arXiv 2501.03262)
 * - `centre-batch-std`: c = r − mean, then (c − mean of all c of the step) / (s of all c of the step + eps), its variant with a baseline
 *
 * The last two are means over tokens where a trainer whitens what it has for each token: every reward counts once for each token that its
 * rollout trains (verl, verl/trainer/ppo/core_algos.py, masked_whiten).
 */
export const ADVANTAGE_SCHEMES = [
  'none',
  'centre',
  'leave-one-out',
  'group-std-unbiased',
  'group-std-biased',
  'batch-std',
  'leave-one-out-std',
  'batch-mean-std',
  'centre-batch-std',
] as const
export type AdvantageScheme = (typeof ADVANTAGE_SCHEMES)[number]

/** eps of the old verifiers trainer and of TRL; assumed where nothing tells. */
export const DEFAULT_ADVANTAGE_EPS = 1e-4

/** The eps that trainers use, tried when a formula is fitted to stored advantages. */
const ADVANTAGE_EPS_CANDIDATES: readonly number[] = [0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-1]

/** Groups that formulas are tried on, evenly spread over the dump: more would not change which one fits. */
export const FIT_GROUPS = 2000
/** Of those, so many are tried in one step of judging. */
const GROUPS_OF_A_STEP = 32

export function isGroupScaled(scheme: AdvantageScheme): boolean {
  return scheme === 'group-std-unbiased' || scheme === 'group-std-biased' || scheme === 'leave-one-out-std'
}

export function isScaled(scheme: AdvantageScheme): boolean {
  return isGroupScaled(scheme) || isBatchScaled(scheme)
}

/** Whether what divides is one number for all groups of a step. */
export function isBatchScaled(scheme: AdvantageScheme): boolean {
  return scheme === 'batch-std' || scheme === 'batch-mean-std' || scheme === 'centre-batch-std'
}

/** Whether what it gives has the mean 0 and the std 1 over a whole step. */
function isWhitened(scheme: AdvantageScheme): boolean {
  return scheme === 'batch-mean-std' || scheme === 'centre-batch-std'
}

/** The std that divides all advantages of a step under a scheme that `isBatchScaled`. */
export function batchDivisor(scheme: AdvantageScheme, { std, centredStd }: StepScale): number {
  return scheme === 'centre-batch-std' ? centredStd : std
}

/**
 * The advantages that `scheme` gives.
 *
 * @param rewards of one group, [n]
 * @param step used by the schemes that `isBatchScaled` only
 * @param floor the least that a std of the group counts as, where it divides
 * @returns [n], in the order of `rewards`
 */
export function recomputeAdvantages(
  scheme: AdvantageScheme,
  rewards: readonly number[],
  eps: number,
  step: StepScale = NO_STEP,
  floor = 0,
): number[] {
  const spread = spreadOf(rewards)
  return rewards.map((reward) => advantageOf(reward, scheme, spread, eps, step, floor))
}

/** What every scheme takes from the rewards of a group. */
interface Spread {
  readonly n: number
  readonly centre: number
  readonly unbiased: number
  readonly biased: number
  /** Sum of the squared deviations. */
  readonly squares: number
}

function spreadOf(rewards: readonly number[]): Spread {
  const centre = mean(rewards)
  let squares = 0
  for (let i = 0; i < rewards.length; i++) squares += ((rewards[i] as number) - centre) ** 2
  return { n: rewards.length, centre, unbiased: unbiasedStd(rewards), biased: biasedStd(rewards), squares }
}

/** The advantage of one reward of a group. */
function advantageOf(
  reward: number,
  scheme: AdvantageScheme,
  spread: Spread,
  eps: number,
  step: StepScale,
  floor = 0,
): number {
  const { n, centre } = spread
  switch (scheme) {
    case 'none':
      return reward
    case 'centre':
      return reward - centre
    case 'leave-one-out':
      return ((reward - centre) * n) / (n - 1)
    case 'group-std-unbiased':
      return scaled(reward, centre, Math.max(spread.unbiased, floor) + eps)
    case 'group-std-biased':
      return scaled(reward, centre, Math.max(spread.biased, floor) + eps)
    case 'batch-std':
      return scaled(reward, centre, step.std + eps)
    case 'batch-mean-std':
      return scaled(reward, step.mean, step.std + eps)
    case 'centre-batch-std':
      return scaled(reward - centre, step.centredMean, step.centredStd + eps)
    case 'leave-one-out-std':
      return scaledByOthers(reward, spread, eps, floor)
  }
}

/** Rounding leaves this share of a sum of squares where nothing should be left. */
const ROUNDING = 1e-12

/**
 * Without reward r the others' mean is (n·mean − r) / (n − 1) and their squared deviations are SS − (r − mean)²·n / (n − 1): one
 * pass, since a group may be a whole dump. Where the others have one reward nothing divides, as in NeMo-RL
 * (nemo_rl/algorithms/advantage_estimator.py, GRPOAdvantageEstimator).
 */
function scaledByOthers(reward: number, spread: Spread, eps: number, floor: number): number {
  const distance = ((reward - spread.centre) * spread.n) / (spread.n - 1)
  const std = Math.max(floor, stdOfOthers(reward, spread))
  return std === 0 ? distance : distance / (std + eps)
}

function stdOfOthers(reward: number, { n, centre, squares }: Spread): number {
  const left = squares - ((reward - centre) ** 2 * n) / (n - 1)
  return n < 3 || left <= ROUNDING * squares ? 0 : Math.sqrt(left / (n - 2))
}

/** 0 where the divisor is 0: every reward is then the mean. */
function scaled(reward: number, centre: number, divisor: number): number {
  return divisor === 0 ? 0 : (reward - centre) / divisor
}

export interface AdvantageFit {
  readonly scheme: AdvantageScheme
  /** The eps that fits best; null where the scheme has none. */
  readonly eps: number | null
  /** What the scheme gives is multiplied by this number throughout the dump; 1 where the scheme alone gives what is stored. */
  readonly factor: number
  /** What a smaller std of a group counts as where it divides; 0 where any does as it is. */
  readonly floor: number
  /** The groups that were compared: 2,000 at most, spread over those that could be. */
  readonly groups: number
  /** Complete groups with a spread of rewards and two stored advantages or more. */
  readonly comparable: number
  /** Share of them that the scheme reproduces within `advantage-tolerance` of the group's largest advantage. */
  readonly share: number
  /** Median over groups of the largest difference, as a share of the group's largest advantage. */
  readonly residual: number
  /** Whether enough groups fit to call this the scheme in use. */
  readonly accepted: boolean
  /** The other schemes, each with its best eps, best first. */
  readonly runnersUp: readonly SchemeFit[]
}

/** How well one scheme reproduces the stored advantages; the fields are those of `AdvantageFit`. */
export type SchemeFit = Pick<AdvantageFit, 'scheme' | 'eps' | 'share' | 'residual'>

/**
 * The scheme that reproduces the stored advantages of most groups, decided group by group so that a few exploded ones do not
 * hide it. Rows without a single advantage (masked rows, per-token advantages) are left out of the comparison; their rewards count.
 * Null where nothing is stored to compare, or no group has a spread.
 */
export function* fittingAdvantages({
  groups,
  settings,
}: Pick<DumpView, 'groups' | 'settings'>): Steps<AdvantageFit | null> {
  const { options, thresholds } = settings
  const tolerance = thresholds['advantage-tolerance']
  const cases = groups.filter((group) => group.complete).map((group) => ({ group, rewards: rewardsOf(group) }))
  yield 0.1
  const comparable = yield* within(
    0.1,
    0.3,
    filtered(cases, ({ group }) => isInformative(group, thresholds)),
  )
  const informative = atEvenDistances(comparable, FIT_GROUPS)
  if (informative.length === 0) return null
  // Only then: of a million rollouts without an advantage their rewards would be gathered three times for nothing.
  const scaleOf = yield* within(0.3, 0.4, measuringSteps(cases.map(({ group }) => group)))
  const fits = new Map<AdvantageScheme, SchemeFit>()
  const steps = new Set(cases.map(({ group }) => stepOf(group)))
  // Where each step has one group, its mean is that of the group, and so is the name.
  const tried = candidates(options.advantageEps).filter(
    ({ scheme }) => steps.size < cases.length || !isWhitened(scheme),
  )
  // Group by group and not scheme by scheme: V8 compiles once for all of them what it would throw away with each that it had not met.
  const residuals: number[][] = tried.map(() => [])
  const compared: Baseline[][] = []
  for (const [at, { group }] of informative.entries()) {
    const baselines = baselinesOf(group, scaleOf(group))
    compared.push(baselines)
    for (const [i, { scheme, eps }] of tried.entries()) residuals[i]?.push(leastResidual(baselines, scheme, eps ?? 0))
    if (at % GROUPS_OF_A_STEP === 0) yield 0.4 + at / (2 * informative.length)
  }
  for (const [i, { scheme, eps }] of tried.entries()) {
    const own = residuals[i] as number[]
    const share = own.filter((each) => each <= tolerance).length / own.length
    const fit = { scheme, eps, share, residual: own.sort((a, b) => a - b)[own.length >> 1] as number }
    const known = fits.get(scheme)
    if (known === undefined || isBetter(fit, known)) fits.set(scheme, fit)
    yield 0.9
  }
  const [first, ...others] = fits.values()
  const best = others.reduce((best, fit) => (isBetter(fit, best) ? fit : best), first as SchemeFit)
  const runnersUp = [...fits.values()]
    .filter((fit) => fit !== best)
    .sort((a, b) => b.share - a.share || a.residual - b.residual)
  // Where nothing tells the steps, all rewards are those of one step only if there was but one; then every group fits, and half of them by chance.
  const mustAllFit = isBatchScaled(best.scheme) && cases.every(({ group }) => hasNoStep(group))
  const accepted = mustAllFit ? best.share === 1 : best.share >= thresholds['fit-share']
  const multiple = accepted ? null : multipleOf(compared, tried, thresholds)
  return {
    factor: 1,
    floor: 0,
    ...(multiple ?? best),
    groups: informative.length,
    comparable: comparable.length,
    accepted: accepted || multiple !== null,
    runnersUp: multiple === null ? runnersUp : [best, ...runnersUp].filter(({ scheme }) => scheme !== multiple.scheme),
  }
}

/**
 * The scheme that gives all stored advantages once they are divided by one constant; null where none does. Only what divides by a std
 * is looked for: there the weight of a reward cancels out, while of a scheme that only subtracts, any constant may be that weight. So
 * it is none, too, where the stds hardly differ and what is not divided fits with a constant of its own.
 */
function multipleOf(
  compared: readonly Baseline[][],
  tried: readonly Candidate[],
  thresholds: Thresholds,
): (SchemeFit & { readonly factor: number }) | null {
  if (compared.length < thresholds['factor-groups']) return null
  const fitOf = (groups: readonly Baseline[][], { scheme, eps }: Candidate) => {
    const pairs = groups.map((baselines) => pairsOf(baselines, scheme, eps ?? 0))
    return { scheme, eps, ...proportionOf(pairs, thresholds['advantage-tolerance']) }
  }
  const least = thresholds['factor-share']
  const undivide = (each: Baseline) => ({ ...each, step: { ...each.step, std: 1, centredStd: 1 } })
  const undivided = compared.map((baselines) => baselines.map(undivide))
  const plain = tried
    .filter(({ scheme }) => !isGroupScaled(scheme))
    .map(({ scheme }) => fitOf(undivided, { scheme, eps: 0 }))
  if (plain.some(({ share }) => share >= least)) return null
  const [first, ...others] = tried.filter(({ scheme }) => isScaled(scheme)).map((each) => fitOf(compared, each))
  const best = others.reduce((best, fit) => (isBetter(fit, best) ? fit : best), first as (typeof others)[number])
  return best.share >= least && best.factor > 0 ? best : null
}

/** What is stored of a group beside what a scheme makes of its rewards, for each baseline that it may have been made with. */
function pairsOf(baselines: readonly Baseline[], scheme: AdvantageScheme, eps: number): Pairs[] {
  return baselines
    .filter((each) => each.isOwnTo(scheme))
    .map(({ rewards, spread, advantages, step }) => {
      const known = [...rewards.keys()].filter((at) => advantages[at] !== null)
      return {
        stored: known.map((at) => advantages[at] as number),
        made: known.map((at) => advantageOf(rewards[at] as number, scheme, spread, eps, step)),
      }
    })
}

function hasNoStep({ members }: GroupView): boolean {
  return members.every(({ step }) => step === null)
}

/** Neighbouring eps differ by less than the stored digits: a later candidate must be clearly better. */
function isBetter(fit: SchemeFit, than: SchemeFit): boolean {
  return fit.share > than.share || (fit.share === than.share && fit.residual < than.residual / 2)
}

/** At most `count` of the values, at even distances. */
export function atEvenDistances<Value>(values: readonly Value[], count: number): readonly Value[] {
  if (values.length <= count) return values
  return Array.from({ length: count }, (_, i) => values[Math.floor((i * values.length) / count)] as Value)
}

export interface Candidate {
  readonly scheme: AdvantageScheme
  readonly eps: number | null
}

export function candidates(givenEps: number | undefined): Candidate[] {
  const usual = ADVANTAGE_EPS_CANDIDATES.filter((eps) => eps !== DEFAULT_ADVANTAGE_EPS)
  const tried = givenEps === undefined ? [DEFAULT_ADVANTAGE_EPS, ...usual] : [givenEps]
  return ADVANTAGE_SCHEMES.flatMap((scheme) =>
    isScaled(scheme) ? tried.map((eps): Candidate => ({ scheme, eps })) : [{ scheme, eps: null }],
  )
}

/**
 * The largest difference between the stored advantages of a group and those that `scheme` gives, as a share of the largest stored one;
 * infinite where all stored ones are 0 and not all of those that `scheme` gives. A trainer may leave rows that train nothing out of the
 * baseline, all of them or some (`baselineRows`): the nearest counts.
 *
 * @param weight by which all that `scheme` gives is multiplied
 * @param floor as in `recomputeAdvantages`
 */
export function residualOf(
  group: GroupView,
  scheme: AdvantageScheme,
  eps: number,
  step: StepScales,
  weight = 1,
  floor = 0,
): number {
  return leastResidual(baselinesOf(group, step), scheme, eps, weight, floor)
}

/** Rollouts of a group over which a baseline may have been taken, [n] each; an advantage is null where it is not stored. */
interface Baseline {
  readonly rewards: readonly number[]
  readonly spread: Spread
  readonly advantages: readonly (number | null)[]
  readonly step: StepScale
  /** The schemes to which it is another than those before it. */
  readonly isOwnTo: (scheme: AdvantageScheme) => boolean
}

function baselinesOf({ members }: GroupView, { ofAll, ofTraining, byToken }: StepScales): Baseline[] {
  const baseline = (rows: GroupView['members'], step: StepScale): Baseline => {
    const rewards = rows.map(({ reward }) => reward as number)
    const advantages = rows.map(({ advantage }) => advantage)
    return { rewards, spread: spreadOf(rewards), advantages, step, isOwnTo: () => true }
  }
  const all = baseline(members, ofAll)
  const weighted = { ...all, step: byToken, isOwnTo: isWhitened }
  const others = baselineRows(members).slice(1)
  if (others.length === 0) return [all, weighted, { ...all, step: ofTraining, isOwnTo: isBatchScaled }]
  return [all, weighted, ...others.map((rows) => baseline(rows, ofTraining))]
}

function leastResidual(
  baselines: readonly Baseline[],
  scheme: AdvantageScheme,
  eps: number,
  weight = 1,
  floor = 0,
): number {
  let least = Number.POSITIVE_INFINITY
  for (const each of baselines)
    if (each.isOwnTo(scheme)) least = Math.min(least, residualAmong(each, scheme, eps, weight, floor))
  return least
}

function residualAmong(
  { rewards, spread, advantages, step }: Baseline,
  scheme: AdvantageScheme,
  eps: number,
  weight: number,
  floor: number,
): number {
  let worst = 0
  let largest = 0
  for (let i = 0; i < advantages.length; i++) {
    const advantage = advantages[i] as number | null
    if (advantage === null) continue
    const reward = rewards[i] as number
    const recomputed = weight * advantageOf(reward, scheme, spread, eps, step, floor)
    let off = Math.abs(advantage - recomputed)
    // A trainer that divides all the same has an explosion there (A03), and no other formula.
    if (scheme === 'leave-one-out-std' && floor === 0 && eps > 0 && stdOfOthers(reward, spread) === 0)
      off = Math.min(off, Math.abs(advantage - recomputed / eps))
    worst = Math.max(worst, off)
    largest = Math.max(largest, Math.abs(advantage))
  }
  if (largest > 0) return worst / largest
  // The rows that train may all have one reward, where the group as a whole has not.
  return worst <= ROUNDING ? 0 : Number.POSITIVE_INFINITY
}
