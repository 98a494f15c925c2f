/**
 * Weights w that minimise |Σ w_i · columns_i − target|², by the normal equations with Gaussian elimination. A column that the
 * others already make up (a constant, a copy) gets weight 0. Where it is made up of several, or is one of them, the same sum has
 * other weights as well: these are not `determined`.
 */
export function leastSquares(
  columns: readonly (readonly number[])[],
  target: readonly number[],
): { readonly weights: readonly number[]; readonly determined: readonly boolean[] } {
  const n = columns.length
  const rows = columns.map((a) => [...columns.map((b) => dot(a, b)), dot(a, target)])
  const scale = columns.map((column) => dot(column, column))
  const weights = new Array<number>(n).fill(0)
  const pivots: number[] = []
  for (let column = 0; column < n; column++) {
    const pivotRow = rows[column] as number[]
    if ((pivotRow[column] as number) <= COLLINEAR * (scale[column] as number)) continue
    pivots.push(column)
    for (let other = 0; other < n; other++) {
      if (other === column) continue
      const row = rows[other] as number[]
      const factor = (row[column] as number) / (pivotRow[column] as number)
      if (factor === 0) continue
      for (let k = 0; k <= n; k++) row[k] = (row[k] as number) - factor * (pivotRow[k] as number)
    }
  }
  const determined = scale.map((square) => square > 0)
  for (const column of pivots) {
    const row = rows[column] as number[]
    weights[column] = (row[n] as number) / (row[column] as number)
    for (let other = 0; other < n; other++) {
      if (pivots.includes(other) || scale[other] === 0) continue
      // How much of this column is in the one that was left out.
      const part = (row[other] as number) / (row[column] as number)
      if (part ** 2 * (scale[column] as number) <= PART_OF * (scale[other] as number)) continue
      determined[column] = false
      determined[other] = false
    }
  }
  return { weights, determined }
}

/** Share of a column's square from which another one is a part of it. */
const PART_OF = 1e-6

/** What is left of a column's square once the others are taken out of it, below which it is one of their sums. */
const COLLINEAR = 1e-9

/** Of columns of one length. */
export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
