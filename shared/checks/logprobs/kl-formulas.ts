/** The formulas that a stored KL may follow; d = reference − trainer logprob: −d, d²/2, e^d − d − 1, that of −d, and |d|. */
export const KL_FORMULAS = ['k1', 'k2', 'k3', 'k3-reversed', 'abs'] as const
export type KlFormula = (typeof KL_FORMULAS)[number]

/** In the order in which one is named where several fit. */
export const BEST_FIRST = ['k3', 'k1', 'k2', 'k3-reversed', 'abs'] as const satisfies readonly KlFormula[]

/** k1, k2, k3, the reversed k3 and the absolute distance of a token into `into`. */
export function formulasAt(trainer: number, reference: number, into: Float64Array): void {
  const d = reference - trainer
  into[0] = -d
  into[1] = (d * d) / 2
  into[2] = Math.exp(d) - d - 1
  into[3] = Math.exp(-d) + d - 1
  into[4] = Math.abs(d)
}
