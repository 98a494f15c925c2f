import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { KL_FORMULAS, type KlFormula } from './kl-formulas.ts'

/** The stored KL of a rollout is rounded to decimals: how far the formulas agree with what rounding left. */
export interface KlRounded {
  /** Decimals that it is rounded to. */
  readonly decimals: number
  /** Tokens whose rounded KL is not 0: only these tell one formula from another. */
  readonly told: number
  /** Tokens on which each formula rounds to what is stored, in the order of `KL_FORMULAS`. */
  readonly within: readonly number[]
}

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

/**
 * Whether a formula rounds to the stored KL of a token.
 *
 * @param slack how far the formula itself may be off, by the rounding of the logprobs that it is computed from
 */
export function roundsTo(stored: number, formula: number, decimals: number, slack: number): boolean {
  return Math.abs(stored - formula) <= 0.5 * 10 ** -decimals * (1 + 1e-3) + slack
}

/** The formula that rounds to the stored KL on every token; k3 where several do, null where none does or too few tokens tell. */
export function roundedFormula(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): { readonly formula: KlFormula; readonly decimals: number; agrees(name: KlFormula): boolean } | null {
  let [tokens, told, decimals] = [0, 0, 0]
  const within = KL_FORMULAS.map(() => 0)
  for (const { kl, klRounded } of facts) {
    if (!kl?.stored) continue
    if (klRounded === undefined) return null
    tokens += kl.stored.count
    told += klRounded.told
    decimals = Math.max(decimals, klRounded.decimals)
    for (let k = 0; k < within.length; k++) within[k] = (within[k] as number) + (klRounded.within[k] as number)
  }
  if (told < thresholds['kl-tokens']) return null
  const agrees = (name: KlFormula) => within[KL_FORMULAS.indexOf(name)] === tokens
  const formula = (['k3', 'k1', 'k2', 'k3-reversed'] as const).find(agrees)
  return formula === undefined ? null : { formula, decimals, agrees }
}
