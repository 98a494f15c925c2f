/** Tokens of a part, a turn or a tool. */
export interface TokenSums {
  total: number
  /** Null where no rollout has a mask. */
  trained: number | null
  /** Of `total`, those without a mask; absent where there are none, and in what was merged from reports of before they were counted. */
  unknown?: number
}

/** Those of which a mask tells whether they are trained. Of the others nobody knows: they are in no share. */
export function maskedTokens({ total, unknown = 0 }: TokenSums): number {
  return total - unknown
}

/** Trained tokens, of those with a mask, from 0 to 1; null where none has one. */
export function trainedShare(sums: TokenSums): number | null {
  const known = maskedTokens(sums)
  return sums.trained === null || known === 0 ? null : sums.trained / known
}
