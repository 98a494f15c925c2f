/** The formulas that a stored KL may follow; d = reference − trainer logprob: −d, d²/2, e^d − d − 1, and that of −d. */
export const KL_FORMULAS = ['k1', 'k2', 'k3', 'k3-reversed'] as const
export type KlFormula = (typeof KL_FORMULAS)[number]

/** k1, k2, k3 and the reversed k3 of a token into `into`. */
export function formulasAt(trainer: number, reference: number, into: Float64Array): void {
  const d = reference - trainer
  into[0] = -d
  into[1] = (d * d) / 2
  into[2] = Math.exp(d) - d - 1
  into[3] = Math.exp(-d) + d - 1
}
