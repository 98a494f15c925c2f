import type { MeasureUnit } from './compare.ts'

/** What is told of each training step, in the order in which it is shown. */
export const STEP_MEASURES = ['reward', 'gap', 'kl', 'cut', 'trained', 'tokens'] as const
export type StepMeasure = (typeof STEP_MEASURES)[number]

/** Training steps `from` to `to`, both of them in it: one step, or where a run has more than a drawing has room for several together. */
export interface StepPoint {
  readonly from: number
  readonly to: number
  readonly rollouts: number
}

/** One number of a run over its steps. */
export interface StepSeries {
  readonly of: StepMeasure
  readonly title: string
  readonly unit: MeasureUnit
  /** What it is a mean over, or a share of. */
  readonly over: string
  /** One for each point; null where no rollout of its steps tells. */
  readonly values: readonly (number | null)[]
}

export interface RunSteps {
  /** Ascending; none where no rollout says of which step it is. */
  readonly points: readonly StepPoint[]
  /** One for each of `STEP_MEASURES` of which a step tells. */
  readonly series: readonly StepSeries[]
}

export interface StepRequests {
  /** How rewards, lengths, logprobs, ends and the mask go by training step, over what was read so far. */
  runSteps: { input: Record<string, never>; output: RunSteps }
}
