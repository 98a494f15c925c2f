import { atOnce, forEachOf, type Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { BEST_FIRST, KL_FORMULAS, type KlFormula } from './kl-formulas.ts'
import { BFLOAT, roundedFormula } from './kl-rounded.ts'

/** How the KL stored in a dump compares with the formulas, over all trained tokens that the model wrote. */
export interface KlFit {
  readonly tokens: number
  /** Mean and least stored value. */
  readonly mean: number
  readonly least: number
  /** Share of the stored squares that each formula explains when scaled as fits best, 0 to 1, and that scale. */
  readonly explained: Readonly<Record<KlFormula, number>>
  readonly scales: Readonly<Record<KlFormula, number>>
  /** The formula that the stored KL follows; null where none does. k3 where several do, which small differences cannot tell apart. */
  readonly best: KlFormula | null
  /** Of the stored KL, where it follows its formula as far as these decimals tell (`BFLOAT`: numbers of bf16) and no further; null elsewhere. */
  readonly decimals: number | null
  /** The formula that metadata declares in every row that declares one. */
  readonly declared: KlFormula | null
  /** The stored KL follows the formula with policy and reference exchanged. */
  readonly reversed: boolean
  /** It follows its formula with the sign turned; of k1 that is the one with policy and reference exchanged. */
  readonly turned: boolean
  /** It lies below 0 somewhere, by more than rounding, which k2, k3 and abs never do, and neither is nor is meant to be k1, which may. */
  readonly negative: boolean
  /** It is declared to be one formula, follows another, and does not follow that one. */
  readonly undeclared: boolean
}

/** Null where the dump stores no KL beside both logprobs, or on too few tokens. */
export function fitKl(view: DumpView): KlFit | null {
  return atOnce(fittingKl(view))
}

/** The same in steps, once for a dump. */
export const fittingKl = onceForDump(fitting)

function* fitting({ facts, settings }: DumpView): Steps<KlFit | null> {
  const { thresholds } = settings
  let tokens = 0
  let sum = 0
  let squares = 0
  let least = Number.POSITIVE_INFINITY
  const products = KL_FORMULAS.map(() => 0)
  const formulaSquares = KL_FORMULAS.map(() => 0)
  const declarations = new Set<KlFormula>()
  const add = ({ kl }: TrajectoryFacts) => {
    if (kl?.declared) declarations.add(kl.declared)
    if (!kl?.stored) return
    tokens += kl.stored.count
    sum += kl.stored.sum
    squares += kl.stored.squares
    least = Math.min(least, kl.stored.least)
    // Reports of older versions know fewer formulas.
    for (let k = 0; k < KL_FORMULAS.length; k++) {
      products[k] = (products[k] as number) + (kl.stored.products[k] ?? 0)
      formulaSquares[k] = (formulaSquares[k] as number) + (kl.stored.formulaSquares[k] ?? 0)
    }
  }
  const having = new FactColumns(facts).having('kl')
  yield* forEachOf(having, add)
  // An all-zero KL (a first step, where policy and reference are one) follows every formula.
  if (tokens < thresholds['kl-tokens'] || squares === 0) return null
  const byFormula = (of: (k: number) => number) =>
    Object.fromEntries(KL_FORMULAS.map((name, k) => [name, of(k)])) as Record<KlFormula, number>
  const scales = byFormula((k) => (formulaSquares[k] ? (products[k] as number) / (formulaSquares[k] as number) : 0))
  const explained = byFormula((k) =>
    formulaSquares[k] ? (products[k] as number) ** 2 / ((formulaSquares[k] as number) * squares) : 0,
  )
  const unexplained = (name: KlFormula) => 1 - explained[name]
  const closest = Math.min(...KL_FORMULAS.map(unexplained))
  const much = thresholds['kl-worse'] * Math.max(closest, thresholds['kl-rounding'])
  const ruledOut = (name: KlFormula) => unexplained(name) > much
  const follows = (name: KlFormula) => unexplained(name) <= thresholds['kl-unexplained'] && !ruledOut(name)
  const isTurned = (name: KlFormula) => name !== 'k1' && scales[name] < 0
  // Of differences that are all alike every formula is the same but for a factor: one that needs its sign turned for it is not meant.
  const isK1 = follows('k1') && scales.k1 > 0
  const declared = declarations.size === 1 ? ([...declarations][0] as KlFormula) : null
  // Where all differences are of one sign the absolute one is k1, or k1 turned round.
  const isAbsolute = declared === 'abs' && follows('abs') && !isTurned('abs')
  const fitted = isAbsolute ? 'abs' : (BEST_FIRST.find((name) => follows(name) && !(isK1 && isTurned(name))) ?? null)
  // Where most of a small KL was rounded away, no fit is close, and every token may still be what a formula rounds to.
  const rounded = fitted === null || isNegative(least, thresholds) ? yield* roundedFormula(having, thresholds) : null
  const best = fitted ?? rounded?.formula ?? null
  // What bf16 leaves of a small k3 lies on either side of 0.
  const isByRounding =
    rounded?.decimals === BFLOAT && best !== null && rounded.agrees(best) && (fitted === null || scales[fitted] > 0)
  const reversed = best === 'k3-reversed' || (best === 'k1' && scales.k1 < 0)
  // However small: what follows the formula so closely is no rounding.
  const turned = fitted !== null && isTurned(fitted)
  const undeclared =
    declared !== null && best !== null && best !== declared && ruledOut(declared) && !rounded?.agrees(declared)
  return {
    tokens,
    mean: sum / tokens,
    least,
    explained,
    scales: fitted !== null || rounded === null ? scales : { ...scales, [rounded.formula]: 1 },
    best,
    decimals: fitted === null ? (rounded?.decimals ?? null) : null,
    declared,
    reversed,
    turned,
    negative: turned || ((best ?? declared) !== 'k1' && !isByRounding && isNegative(least, thresholds)),
    undeclared,
  }
}

/** Below 0 by more than rounding does. */
export function isNegative(kl: number, thresholds: Thresholds): boolean {
  return kl < thresholds['h03-least-kl']
}

/** Mean k3 over all trained tokens that the model wrote and trainer and reference scored; null where there is none. */
export function meanK3(facts: readonly TrajectoryFacts[]): number | null {
  let count = 0
  let sum = 0
  for (const part of new FactColumns(facts).parts()) {
    const has = part.present('kl')
    const [counts, sums] = [part.numbers('kl', 'count'), part.numbers('kl', 'formulas', KL_FORMULAS.indexOf('k3'))]
    for (let row = has.indexOf(1); row >= 0; row = has.indexOf(1, row + 1)) {
      count += counts[row] as number
      sum += sums[row] as number
    }
  }
  return count === 0 ? null : sum / count
}
