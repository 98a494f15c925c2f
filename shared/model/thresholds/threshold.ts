import type { HypothesisId } from '../report.ts'

/** Units that count things take whole numbers only. */
export const COUNTING_UNITS = [
  'tokens',
  'characters',
  'rollouts',
  'groups',
  'steps',
  'turns',
  'places',
  'values',
] as const

export type ThresholdUnit =
  | (typeof COUNTING_UNITS)[number]
  /** Of a whole, 0 to 1. */
  | 'share'
  /** A coefficient, -1 to 1. */
  | 'correlation'
  | 'nats'
  | 'units of reward'
  | 'units of advantage'
  /** A ratio. */
  | 'times'
  | 'standard errors'

/** A number by which a check or a verdict decides. */
export interface Threshold {
  /** What is taken unless a person sets another. */
  readonly value: number
  readonly unit: ThresholdUnit
  /** Least and greatest value that still means something, both allowed. */
  readonly range: readonly [number, number]
  /** Codes of the checks and ids of the hypotheses whose results it moves. */
  readonly usedBy: 'every check' | readonly (string | HypothesisId)[]
  /** Why this number, in a sentence. */
  readonly reason: string
}
