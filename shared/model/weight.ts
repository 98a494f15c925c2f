/** How finely weights are added: a 2^40th of a token's, far below what a weight of 32 bits tells apart. */
const UNITS = 2 ** 40

/**
 * A weight as a whole number of units, so that a sum of weights does not hang on the order in which parts of a run are added.
 * What is no finite number weighs nothing.
 */
export function weightUnits(weight: number): bigint {
  return Number.isFinite(weight) ? BigInt(Math.round(weight * UNITS)) : 0n
}

/** The weight of so many units. */
export function weightOf(units: bigint): number {
  return Number(units) / UNITS
}
