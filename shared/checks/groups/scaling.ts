import { atOnce, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import { keptForDump, onceForDump } from '../once-for-dump.ts'
import {
  type AdvantageFit,
  type AdvantageScheme,
  batchDivisor,
  DEFAULT_ADVANTAGE_EPS,
  fittingAdvantages,
  isBatchScaled,
  isScaled,
} from './advantages.ts'
import { withFloor } from './floored.ts'
import { type RewardScale, scalesOf, wholeRange } from './reward-scales.ts'
import { isByRow, measuringRowCredit } from './rows-of-rollout.ts'
import { biasedStd, noiseFloor, rangeOf, rewardRange, rewardsOf, unbiasedStd } from './statistics.ts'
import { measuringStepScales, type StepScale } from './step-scales.ts'

/** How the run scales advantages, as far as it is declared or its stored advantages show. */
export interface Scaling {
  readonly scheme: AdvantageScheme
  readonly scaled: boolean
  readonly eps: number
  /** What a smaller std of a group counts as where it divides, as far as the stored advantages show; else 0. */
  readonly floor: number
  /** A weight that the run gives all its advantages, as far as one that is usual explains them; else 1. */
  readonly weight: number
  readonly origin: 'given' | 'fitted'
  /** What the person says, whatever the stored advantages are; null where nothing is said. */
  readonly declared: DeclaredScaling | null
  /** What the stored advantages say, whoever declared what; null where they say nothing. */
  readonly fit: AdvantageFit | null
}

/** Given by the person unless the stored advantages show otherwise, else fitted; null where neither tells. */
export const scalingOf = keptForDump(findScaling)

/** The scheme that comes nearest to the stored advantages, accepted or not; null where nothing can be compared. */
export function fitOf(view: DumpView): AdvantageFit | null {
  return atOnce(fitting(view))
}

/** The same in steps, once for a dump: it tries some thirty formulas on every group. */
export const fitting = onceForDump(fit)

function* fit(view: DumpView): Steps<AdvantageFit | null> {
  const credit = yield* within(0, 0.1, measuringRowCredit(view))
  const isOne = !isByRow(credit, view.settings.thresholds)
  const plain = isOne ? yield* within(0.1, 0.8, fittingAdvantages(view)) : null
  const floored = plain === null ? null : yield* within(0.8, 0.9, withFloor(view, plain))
  return floored === null ? null : yield* within(0.9, 1, withAnyEps(view, floored))
}

/** The same fit, or one with another eps than the person says, where with theirs nothing fits. */
function* withAnyEps({ groups, settings }: DumpView, fit: AdvantageFit): Steps<AdvantageFit> {
  const { advantageEps, ...options } = settings.options
  if (fit.accepted || advantageEps === undefined) return fit
  const free = yield* fittingAdvantages({ groups, settings: { ...settings, options } })
  return free?.accepted === true && isScaled(free.scheme) ? free : fit
}

function findScaling(view: DumpView): Scaling | null {
  const { scaleRewards, advantageEps } = view.settings.options
  const fit = fitOf(view)
  const eps = (fit?.accepted ? fit.eps : null) ?? advantageEps ?? fit?.eps ?? DEFAULT_ADVANTAGE_EPS
  const floor = fit?.accepted ? fit.floor : 0
  const weight = fit?.accepted && isUsualWeight(fit.factor, view.settings.thresholds) ? fit.factor : 1
  const common = { floor, weight, declared: scaleRewards ?? null, fit }
  if (scaleRewards !== undefined && !refutes(fit, scaleRewards)) {
    const own = fit?.accepted === true ? fitAmong(fit, scaleRewards) : null
    const scheme = own?.scheme ?? GIVEN_SCHEMES[scaleRewards]
    return { ...common, scheme, scaled: isScaled(scheme), eps: own?.eps ?? eps, origin: 'given' }
  }
  if (fit === null || !fit.accepted) return null
  return { ...common, scheme: fit.scheme, scaled: isScaled(fit.scheme), eps, origin: 'fitted' }
}

/**
 * Whether the stored advantages are made otherwise than by what is declared, so that they decide. Where a division by the std of the group is declared,
 * it may still be done to what is stored.
 */
function refutes(fit: AdvantageFit | null, declared: DeclaredScaling): boolean {
  return declared !== 'group' && isOtherwise(fit, declared)
}

/** Whether the stored advantages fit a formula, and no formula of what is declared gives as many of them. */
export function isOtherwise(fit: AdvantageFit | null, declared: DeclaredScaling): boolean {
  return fit?.accepted === true && fitAmong(fit, declared) === null
}

/** Several formulas may give the same numbers, as where a step has one group: then the declaration tells which of them is in use. */
function fitAmong(fit: AdvantageFit, declared: DeclaredScaling): Pick<AdvantageFit, 'scheme' | 'eps'> | null {
  const among = DECLARED[declared]
  return [fit, ...fit.runnersUp].find(({ scheme, share }) => among.includes(scheme) && share >= fit.share) ?? null
}

/** Whether a constant that multiplies all advantages may be a weight that the run gives them: one of several parts, or their sum. */
export function isUsualWeight(factor: number, thresholds: Thresholds): boolean {
  return factor >= thresholds['least-weight'] && factor <= thresholds['largest-weight']
}

export type DeclaredScaling = NonNullable<DumpView['settings']['options']['scaleRewards']>

/** What a declared `--scale-rewards` may mean. */
const DECLARED: Readonly<Record<DeclaredScaling, readonly AdvantageScheme[]>> = {
  group: ['group-std-unbiased', 'group-std-biased', 'leave-one-out-std'],
  batch: ['batch-std', 'batch-mean-std', 'centre-batch-std'],
  none: ['centre', 'leave-one-out', 'none'],
}

/** Taken where nothing is stored. */
const GIVEN_SCHEMES = { group: 'group-std-unbiased', batch: 'batch-std', none: 'centre' } as const

/** One complete group under a scaling. */
export interface GroupSpread {
  readonly group: GroupView
  readonly rewards: readonly number[]
  /** Unbiased. */
  readonly std: number
  /** Greatest minus least reward. */
  readonly gap: number
  /** The gap is more than rounding. */
  readonly contrast: boolean
  /** What it is held against. */
  readonly scale: RewardScale
  /** 1 / (the std that divides + eps); 1 where nothing divides. */
  readonly amplification: number
}

export interface Spreads {
  readonly groups: readonly GroupSpread[]
  /** Range of all rewards of complete groups. */
  readonly range: number
  /** Those of its groups, each once, in the order of the first of each. */
  readonly scales: readonly RewardScale[]
}

/** The spread of every complete group, and how far `scaling` blows it up. */
export function spreadsOf(view: DumpView, scaling: Scaling | null): Spreads {
  return atOnce(measuringSpreads(view, scaling))
}

/** The same in steps, once for a dump: what asks afterwards has them at once. */
export function* measuringSpreads(view: DumpView, scaling: Scaling | null): Steps<Spreads> {
  const spreads = yield* within(0, 0.6, measuringPlainSpreads(view))
  if (scaling === null || !scaling.scaled) return spreads
  const known = amplified.get(view)
  if (known?.scaling === scaling) return known.spreads
  const { groups, range, scales } = spreads
  const scaleOf = yield* within(0.6, 0.7, measuringStepScales(groups.map(({ group }) => group)))
  const own: GroupSpread[] = []
  const amplify = (spread: GroupSpread) => {
    const { group, rewards, std } = spread
    own.push({ ...spread, amplification: amplificationOf(scaling, rewards, std, scaleOf(group)) })
  }
  yield* within(0.7, 1, forEachOf(groups, amplify))
  const made = { groups: own, range, scales }
  amplified.set(view, { scaling, spreads: made })
  return made
}

const amplified = new WeakMap<DumpView, { readonly scaling: Scaling; readonly spreads: Spreads }>()

/** As if nothing divided. */
const measuringPlainSpreads = onceForDump(plainSpreads)

function* plainSpreads({ groups, settings }: DumpView): Steps<Spreads> {
  const { thresholds } = settings
  const complete = groups.filter((group) => group.complete)
  const sameReward = thresholds['same-reward']
  const scaleOf = scalesOf(complete, thresholds)
  const spreads: GroupSpread[] = []
  const measure = (group: GroupView) => {
    const rewards = rewardsOf(group)
    const gap = rangeOf(rewards)
    const scale = scaleOf.get(group) as RewardScale
    spreads.push({
      group,
      rewards,
      std: unbiasedStd(rewards),
      gap,
      contrast: gap > sameReward,
      scale,
      amplification: 1,
    })
  }
  yield* forEachOf(complete, measure)
  return {
    groups: spreads,
    range: rewardRange(complete),
    scales: [...new Set(spreads.map(({ scale }) => scale))],
  }
}

function amplificationOf(
  { scheme, eps, floor }: Scaling,
  rewards: readonly number[],
  std: number,
  step: StepScale,
): number {
  const ofGroup = Math.max(floor, scheme === 'group-std-biased' ? biasedStd(rewards) : std)
  return 1 / ((isBatchScaled(scheme) ? batchDivisor(scheme, step) : ofGroup) + eps)
}

/** A spread below the noise floor of its scale. A group without any is none: its advantages are all 0, and nothing is blown up. */
export function isNoise({ contrast, std, scale }: GroupSpread): boolean {
  return contrast && std < scale.floor
}

/** The same by the range as it was observed, rare extremes with it. */
export function isNoiseInWhole({ contrast, std, scale }: GroupSpread, thresholds: Thresholds): boolean {
  return contrast && std < noiseFloor(wholeRange(scale), scale.fixedFloor, thresholds)
}

/** Least and greatest std below which a spread is noise: one number unless groups are held against several scales. */
export function noiseFloors(scales: readonly RewardScale[], thresholds: Thresholds): [number, number] {
  const floors = scales.map(({ floor }) => floor)
  // Without a complete group, the fixed floor is all there is.
  if (floors.length === 0) return [thresholds['noise-std'], thresholds['noise-std']]
  return [floors.reduce((a, b) => Math.min(a, b)), floors.reduce((a, b) => Math.max(a, b))]
}
