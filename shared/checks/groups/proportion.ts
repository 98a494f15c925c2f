import { median } from './statistics.ts'

/** Stored advantages of a group beside those that a scheme makes of its rewards, [n] each, member by member. */
export interface Pairs {
  readonly stored: readonly number[]
  readonly made: readonly number[]
}

export interface Proportion {
  /** The median over groups of what multiplies each best; 0 where a scheme makes nothing but zeros. */
  readonly factor: number
  /** Share of the groups whose stored advantages are that many times those that were made, within `tolerance` of the group's largest. */
  readonly share: number
  /** Median over groups of the largest difference, as a share of the group's largest advantage. */
  readonly residual: number
}

/**
 * How well the advantages of many groups are one constant times what a scheme makes of their rewards.
 *
 * @param groups at least one; of each, the pairs under every baseline that it may have been made with, of which the nearest counts
 */
export function proportionOf(groups: readonly (readonly Pairs[])[], tolerance: number): Proportion {
  const factors = groups.map((each) => {
    const own = each.map((pairs) => ownFactor(pairs))
    const residuals = each.map((pairs, at) => residualAt(pairs, own[at] as number))
    return own[residuals.indexOf(Math.min(...residuals))] ?? 0
  })
  const factor = median(factors) as number
  const residuals = groups.map((each) => Math.min(...each.map((pairs) => residualAt(pairs, factor))))
  const share = residuals.filter((residual) => residual <= tolerance).length / groups.length
  return { factor, share, residual: median(residuals) as number }
}

/** Least squares through the origin. */
function ownFactor({ stored, made }: Pairs): number {
  let products = 0
  let squares = 0
  for (let at = 0; at < stored.length; at++) {
    products += (stored[at] as number) * (made[at] as number)
    squares += (made[at] as number) ** 2
  }
  return squares === 0 ? 0 : products / squares
}

function residualAt({ stored, made }: Pairs, factor: number): number {
  let worst = 0
  let largest = 0
  for (let at = 0; at < stored.length; at++) {
    worst = Math.max(worst, Math.abs((stored[at] as number) - factor * (made[at] as number)))
    largest = Math.max(largest, Math.abs(stored[at] as number))
  }
  // Nothing is a multiple of zeros.
  return largest === 0 ? Number.POSITIVE_INFINITY : worst / largest
}
