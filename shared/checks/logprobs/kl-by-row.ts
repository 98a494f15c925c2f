import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { KL_FORMULAS, type KlFormula } from './kl-formulas.ts'
import type { KlSums } from './sums.ts'

/** The formula that the stored KL of one rollout follows. */
export interface RowFormula {
  readonly name: KlFormula
  /** With policy and reference exchanged. */
  readonly reversed: boolean
  /** It gives the KL as far as rounding left it, and not to the last digit. */
  readonly rounded: boolean
}

export interface KlByRow {
  /** Of rollouts whose formula is known. */
  readonly rows: ReadonlyMap<TrajectoryFacts, RowFormula>
  /** How many of them follow which, those aside that follow the one they declare. */
  readonly counts: ReadonlyMap<KlFormula, number>
}

/**
 * Rollouts that were written by different code follow different formulas, and all together none, or nearly that of most. Each is asked by itself, and
 * counted only where one formula alone gives its KL: to the last digit, or on every token as far as rounding left it, where enough tokens rule out each
 * of the others.
 */
export function* klByRow(rows: readonly TrajectoryFacts[], thresholds: Thresholds): Steps<KlByRow> {
  const counts = new Map<KlFormula, number>()
  const known = new Map<TrajectoryFacts, RowFormula>()
  yield* forEachOf(rows, (row) => {
    const formula = row.kl === undefined ? null : (formulaOf(row.kl, thresholds) ?? roundedFormulaOf(row, thresholds))
    if (formula === null) return
    known.set(row, formula)
    if (formula.reversed || formula.name !== row.kl?.declared)
      counts.set(formula.name, (counts.get(formula.name) ?? 0) + 1)
  })
  return { rows: known, counts }
}

function formulaOf({ stored }: KlSums, thresholds: Thresholds): RowFormula | null {
  if (stored === null || stored.count < thresholds['kl-tokens'] || stored.squares === 0) return null
  const { products, formulaSquares, squares } = stored
  const { 'kl-rounding': rounding, 'kl-worse': worse, 'kl-unexplained': most } = thresholds
  let found = -1
  for (let k = 0; k < KL_FORMULAS.length; k++) {
    const own = formulaSquares[k] ?? 0
    const unexplained = own === 0 ? 1 : 1 - (products[k] as number) ** 2 / (own * squares)
    if (unexplained > worse * rounding) continue
    // Two that cannot be told apart, or one that rounding does not leave so far.
    if (found >= 0 || unexplained > Math.min(rounding, most)) return null
    found = k
  }
  const name = KL_FORMULAS[found]
  if (name === undefined) return null
  const isTurned = (products[found] as number) < 0
  if (isTurned && name !== 'k1') return null
  return { name, reversed: name === 'k3-reversed' || isTurned, rounded: false }
}

function roundedFormulaOf({ kl, klRounded }: TrajectoryFacts, thresholds: Thresholds): RowFormula | null {
  const count = kl?.stored?.count ?? 0
  const fewest = thresholds['kl-tokens']
  if (klRounded === undefined || klRounded.told < fewest) return null
  let found: KlFormula | null = null
  for (const [k, name] of KL_FORMULAS.entries()) {
    const off = count - (klRounded.within[k] ?? 0)
    if (off >= fewest) continue
    // A few tokens may be those that rounding hit worst.
    if (off > 0 || found !== null) return null
    found = name
  }
  return found === null ? null : { name: found, reversed: found === 'k3-reversed', rounded: true }
}
