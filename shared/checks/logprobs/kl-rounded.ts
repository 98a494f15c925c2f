import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { BEST_FIRST, KL_FORMULAS, type KlFormula } from './kl-formulas.ts'

/** The stored KL of a rollout is rounded, to decimals or to bf16: how far the formulas agree with what rounding left. */
export interface KlRounded {
  /** Decimals that it is rounded to; `BFLOAT` where all values are numbers of bf16. */
  readonly decimals: number
  /** Tokens whose rounded KL is not 0: only these tell one formula from another. */
  readonly told: number
  /** Tokens on which each formula rounds to what is stored, in the order of `KL_FORMULAS`. */
  readonly within: readonly number[]
}

/** In the place of a number of decimals. */
export const BFLOAT = 0

/** Fewer leave nothing to recognise, and with more a fit tells by itself. */
const FEWEST = 3
const MOST = 6
/** Relative distance of neighbouring 32-bit floats. */
const EPSILON = 2 ** -23

/** Decimals that all values are rounded to, as far as 32-bit floats hold them; null where they are not. */
export function decimalsOf(values: readonly number[]): number | null {
  let decimals = FEWEST
  for (const value of values) {
    while (!isRounded(value, decimals)) if (++decimals > MOST) return null
  }
  return decimals
}

function isRounded(value: number, decimals: number): boolean {
  const scaled = value * 10 ** decimals
  return Math.abs(scaled - Math.round(scaled)) <= Math.abs(scaled) * EPSILON
}

/** Whether all values are numbers of bf16: its 8 bits of a 32-bit float's 24. */
export function isBfloat(values: readonly number[]): boolean {
  const bits = new Uint32Array(Float32Array.from(values).buffer)
  return bits.every((word) => (word & 0xffff) === 0)
}

/** Half the distance of neighbouring numbers of bf16, as a share of them. */
const BFLOAT_ROUNDING = 2 ** -8

/** The number of bf16 nearest to a number. */
function bfloat(value: number): number {
  BITS_VALUE[0] = value
  const word = BITS[0] as number
  BITS[0] = word + 0x7fff + ((word >>> 16) & 1)
  BITS[0] = (BITS[0] as number) & 0xffff0000
  return BITS_VALUE[0]
}

const BITS = new Uint32Array(1)
const BITS_VALUE = new Float32Array(BITS.buffer)

/**
 * Whether a formula gives the stored KL of a token where it is computed in bf16: the logprobs are rounded, then their distance, its
 * exponential and what is subtracted from it, each time by as much. Of k3 something below 0 may be left.
 *
 * @param formula its value without any rounding
 */
export function isBfloatOf(
  name: KlFormula,
  stored: number,
  formula: number,
  trainer: number,
  reference: number,
): boolean {
  const distance = reference - trainer
  const scale = Math.exp(Math.abs(distance))
  const size = Math.max(Math.abs(trainer), Math.abs(reference))
  if (Math.abs(stored - formula) > BFLOAT_ROUNDING * (2 * scale + size * scale)) return false
  if (name === 'k1' || stored >= 0) return true
  if (name === 'k2' || name === 'abs') return false
  const way = name === 'k3' ? 1 : -1
  const slack = size * 2 * EPSILON
  const ofRounded = bfloat(reference) - bfloat(trainer)
  return isLeftBelowZero(stored, way * distance, slack) || isLeftBelowZero(stored, way * ofRounded, slack)
}

/**
 * Whether bf16 leaves a number below 0 of e^d − d − 1. The exponential lies on a grid, and all that is off by less than a half of its step is
 * gone: the result lies on it too, or as far from it as −d where d is subtracted last. A k3 with its sign turned round does neither.
 */
function isLeftBelowZero(stored: number, d: number, slack: number): boolean {
  const step = 2 ** Math.min(-1, Math.floor(d / Math.LN2)) * 2 * BFLOAT_ROUNDING
  const offGrid = (value: number) => Math.abs(value - Math.round(value / step) * step)
  return offGrid(stored) === 0 || offGrid(stored + d) <= BFLOAT_ROUNDING * (Math.abs(d) + Math.abs(stored)) + slack
}

/**
 * Whether a formula rounds to the stored KL of a token.
 *
 * @param slack how far the formula itself may be off, by the rounding of the logprobs that it is computed from
 */
export function roundsTo(stored: number, formula: number, decimals: number, slack: number): boolean {
  return Math.abs(stored - formula) <= 0.5 * 10 ** -decimals * (1 + 1e-3) + slack
}

/** The formula that rounds to the stored KL on every token; k3 where several do, null where none does or too few tokens tell. */
export function* roundedFormula(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Steps<{ readonly formula: KlFormula; readonly decimals: number; agrees(name: KlFormula): boolean } | null> {
  let [tokens, told] = [0, 0]
  const decimals = new Set<number>()
  const within = KL_FORMULAS.map(() => 0)
  let isRounded = true
  yield* forEachOf(facts, ({ kl, klRounded }) => {
    if (!kl?.stored) return
    if (klRounded === undefined) {
      isRounded = false
      return
    }
    tokens += kl.stored.count
    told += klRounded.told
    // Zeros are numbers of bf16 and of any decimals.
    if (klRounded.told > 0) decimals.add(klRounded.decimals)
    for (let k = 0; k < within.length; k++) within[k] = (within[k] as number) + (klRounded.within[k] ?? 0)
  })
  if (!isRounded || told < thresholds['kl-tokens']) return null
  const agrees = (name: KlFormula) => within[KL_FORMULAS.indexOf(name)] === tokens
  const formula = BEST_FIRST.find(agrees)
  if (formula === undefined) return null
  return { formula, decimals: Math.max(BFLOAT, ...decimals), agrees }
}
