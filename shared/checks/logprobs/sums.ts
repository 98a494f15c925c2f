import { Hash64 } from '../../model/hash.ts'
import type { TrajectoryView } from '../check.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { type BrokenKl, brokenKl } from './broken-kl.ts'
import { loneZerosOf } from './fillers.ts'
import { formulasAt, KL_FORMULAS, type KlFormula } from './kl-formulas.ts'
import { BFLOAT, decimalsOf, isBfloat, isBfloatOf, type KlRounded, roundsTo } from './kl-rounded.ts'
import { type LaterDenials, laterDenialsOf } from './later-denials.ts'
import type { LoneZero } from './lone-zeros.ts'
import { type Lifted, liftedTokens } from './most-likely.ts'
import { type OnlyLogprobs, onlyLogprobs } from './only-logprobs.ts'
import { isLogprob, isTrainedSample, logprobBounds, pairsOf } from './scored.ts'
import { type Tilt, tiltOf } from './tilt.ts'
import { type VersionGaps, versionGapsOf } from './version-gaps.ts'
import { zeroTurnsOf } from './zero-turns.ts'

/** Sums over the trained tokens of a rollout that sampler and trainer both scored; gaps are sampler − trainer, in nats. */
export interface GapSums {
  readonly count: number
  readonly sum: number
  readonly absolute: number
  readonly squares: number
  readonly largest: number
  readonly trainerSum: number
  /** Logprobs of the sampler other than 0, and 16 hex digits over all of the sampler's: the same text scored by the same weights. */
  readonly samplerValues: number
  readonly samplerHash: string
}

/** Sums over the trained tokens of a rollout that the model wrote (`isTrainedSample`) and trainer and reference both scored. Lists are in the order of `KL_FORMULAS`. */
export interface KlSums {
  readonly count: number
  readonly formulas: readonly number[]
  /** Largest k3 of a token, and where. */
  readonly largest: number
  readonly largestToken: number
  readonly trainerSum: number
  readonly referenceSum: number
  /** Of the KL that the dump stores on the same tokens; null where it stores none. */
  readonly stored: {
    readonly count: number
    readonly sum: number
    /** Least value, and where. */
    readonly least: number
    readonly leastToken: number
    readonly squares: number
    /** Σ stored · formula and Σ formula², for the share of the one that the other explains. */
    readonly products: readonly number[]
    readonly formulaSquares: readonly number[]
  } | null
  /** The formula that the record's metadata declares, null where it declares none. */
  readonly declared: KlFormula | null
}

/** What is kept of a trajectory's logprobs; a field is absent where the dump lacks one of its streams. */
export interface LogprobFacts {
  readonly gap?: GapSums
  readonly onlyLogprobs?: OnlyLogprobs
  readonly zeroTurns?: number
  readonly tilt?: Tilt
  readonly lifted?: Lifted
  readonly loneZeros?: readonly LoneZero[]
  readonly versionGaps?: VersionGaps
  readonly laterDenials?: LaterDenials
  readonly kl?: KlSums
  readonly klRounded?: KlRounded
  readonly brokenKl?: BrokenKl
}

export function logprobFacts(view: TrajectoryView): LogprobFacts {
  const facts = soundFacts(view)
  const broken = brokenKl(view)
  return broken === null ? facts : { ...facts, brokenKl: broken }
}

function soundFacts(view: TrajectoryView): LogprobFacts {
  const gap = gapFacts(view)
  const kl = klSums(view)
  if (kl === null) return gap
  const klRounded = kl.stored === null ? null : roundedKl(view)
  const ofKl = klRounded === null ? { kl } : { kl, klRounded }
  return { ...gap, ...ofKl }
}

function gapFacts(view: TrajectoryView): LogprobFacts {
  const gap = gapSums(view)
  if (gap === null) {
    const only = onlyLogprobs(view)
    const zeroTurns = zeroTurnsOf(view)
    if (zeroTurns === null) return only === null ? NOTHING : { onlyLogprobs: only }
    return { ...(only === null ? {} : { onlyLogprobs: only }), zeroTurns }
  }
  const tilt = tiltOf(view)
  const loneZeros = loneZerosOf(view)
  const lifted = tilt === null ? null : liftedTokens(view)
  const told = tilt === null ? { gap } : lifted === null ? { gap, tilt } : { gap, tilt, lifted }
  const versionGaps = versionGapsOf(view)
  const laterDenials = laterDenialsOf(view)
  if (loneZeros === null && versionGaps === null && laterDenials === null) return told
  return {
    ...told,
    ...(loneZeros === null ? {} : { loneZeros }),
    ...(versionGaps === null ? {} : { versionGaps }),
    ...(laterDenials === null ? {} : { laterDenials }),
  }
}

const NOTHING: LogprobFacts = {}

function gapSums(view: TrajectoryView): GapSums | null {
  const pairs = pairsOf(view)
  if (pairs === null || pairs.tokens.length === 0) return null
  const { tokens, sampler, trainer } = pairs
  const bits = new Int32Array(sampler.buffer, sampler.byteOffset, sampler.length)
  const scored = new Int32Array(tokens.length)
  let sum = 0
  let absolute = 0
  let squares = 0
  let largest = 0
  let trainerSum = 0
  let samplerValues = 0
  for (let k = 0; k < tokens.length; k++) {
    const i = tokens[k] as number
    const gap = (sampler[i] as number) - (trainer[i] as number)
    const size = Math.abs(gap)
    sum += gap
    absolute += size
    squares += gap * gap
    if (size > largest) largest = size
    trainerSum += trainer[i] as number
    if (sampler[i] !== 0) samplerValues++
    scored[k] = bits[i] as number
  }
  return {
    count: tokens.length,
    sum,
    absolute,
    squares,
    largest,
    trainerSum,
    samplerValues,
    samplerHash: new Hash64().words(scored).digest(),
  }
}

function klSums(view: TrajectoryView): KlSums | null {
  const { logprobs, kl, meta } = view.trajectory
  const { trainer, reference } = logprobs
  if (trainer === null || reference === null || view.mask === null || haveUnfitLogprobs(view.trajectory)) return null
  const bounds = logprobBounds(view.thresholds)
  const at = new Float64Array(KL_FORMULAS.length)
  const formulas = new Float64Array(KL_FORMULAS.length)
  const products = new Float64Array(KL_FORMULAS.length)
  const formulaSquares = new Float64Array(KL_FORMULAS.length)
  let count = 0
  let largest = 0
  let largestToken = -1
  let trainerSum = 0
  let referenceSum = 0
  let storedCount = 0
  let storedSum = 0
  let storedSquares = 0
  let least = Number.POSITIVE_INFINITY
  let leastToken = -1
  for (let i = 0; i < trainer.length; i++) {
    const own = trainer[i] as number
    const other = reference[i] as number
    if (!isLogprob(own, bounds) || !isLogprob(other, bounds) || !isTrainedSample(view, i)) continue
    formulasAt(own, other, at)
    count++
    trainerSum += own
    referenceSum += other
    if ((at[2] as number) > largest) {
      largest = at[2] as number
      largestToken = i
    }
    const stored = kl?.[i] ?? Number.NaN
    for (let k = 0; k < at.length; k++) formulas[k] = (formulas[k] as number) + (at[k] as number)
    if (!Number.isFinite(stored)) continue
    storedCount++
    storedSum += stored
    storedSquares += stored * stored
    if (stored < least) {
      least = stored
      leastToken = i
    }
    for (let k = 0; k < at.length; k++) {
      const value = at[k] as number
      products[k] = (products[k] as number) + stored * value
      formulaSquares[k] = (formulaSquares[k] as number) + value * value
    }
  }
  if (count === 0) return null
  return {
    count,
    formulas: [...formulas],
    largest,
    largestToken,
    trainerSum,
    referenceSum,
    stored:
      storedCount === 0
        ? null
        : {
            count: storedCount,
            sum: storedSum,
            least,
            leastToken,
            squares: storedSquares,
            products: [...products],
            formulaSquares: [...formulaSquares],
          },
    declared: declaredFormula(meta.kl_estimator ?? meta.kl_penalty),
  }
}

/** How far each formula rounds to the stored KL; null where that is rounded neither to decimals nor to bf16. */
function roundedKl(view: TrajectoryView): KlRounded | null {
  const { logprobs, kl } = view.trajectory
  const { trainer, reference } = logprobs
  if (trainer === null || reference === null || kl === null) return null
  const bounds = logprobBounds(view.thresholds)
  const tokens: number[] = []
  for (let i = 0; i < trainer.length; i++) {
    const isScored = isLogprob(trainer[i] as number, bounds) && isLogprob(reference[i] as number, bounds)
    if (isScored && Number.isFinite(kl[i] ?? Number.NaN) && isTrainedSample(view, i)) tokens.push(i)
  }
  const values = tokens.map((i) => kl[i] as number)
  const decimals = isBfloat(values) ? BFLOAT : decimalsOf(values)
  if (decimals === null) return null
  const at = new Float64Array(KL_FORMULAS.length)
  const within = KL_FORMULAS.map(() => 0)
  let told = 0
  for (const i of tokens) {
    const [own, other, stored] = [trainer[i] as number, reference[i] as number, kl[i] as number]
    formulasAt(own, other, at)
    if (stored !== 0) told++
    const slack = (Math.abs(own) + Math.abs(other)) * 2 ** -23 * Math.exp(Math.abs(other - own))
    for (const [k, name] of KL_FORMULAS.entries()) {
      const formula = at[k] as number
      const agrees =
        decimals === BFLOAT ? isBfloatOf(name, stored, formula, own, other) : roundsTo(stored, formula, decimals, slack)
      if (agrees) within[k] = (within[k] as number) + 1
    }
  }
  return { decimals, told, within }
}

/** The spellings of trainers: k1 is verl's `kl`, k2 its `mse`, k3 its `low_var_kl`; a `+` behind any changes the gradient alone, not the value. */
function declaredFormula(value: unknown): KlFormula | null {
  if (typeof value !== 'string') return null
  const name = value.toLowerCase().replace(/\+$/, '')
  if (name === 'abs') return 'abs'
  if (name === 'k1' || name === 'kl') return 'k1'
  if (name === 'k2' || name === 'mse') return 'k2'
  return name === 'k3' || name === 'low_var_kl' ? 'k3' : null
}
