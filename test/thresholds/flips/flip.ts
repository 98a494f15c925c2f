import type { ThresholdId } from '../../../shared/model/thresholds/registry.ts'
import type { Outcome } from '../outcomes.ts'

/** A dump whose result is another one once a threshold is set `to` this value. */
export interface Flip {
  readonly to: number
  readonly outcome: Outcome
  /** The result under the default, and under `to`. */
  readonly from: unknown
  readonly becomes: unknown
}

export type Flips = Partial<Record<ThresholdId, Flip>>

export function flip(outcome: Outcome, to: number, from: unknown, becomes: unknown): Flip {
  return { to, outcome, from, becomes }
}
