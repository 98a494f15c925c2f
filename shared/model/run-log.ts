/** What trainers log under many names, as this program calls it. Each is a mean over the rollouts or tokens of a step. */
export const RUN_METRICS = [
  'reward',
  'reward-std',
  'flat-groups',
  'kl',
  'grad-norm',
  'completion-length',
  'clipped-ratio',
  'entropy',
  'loss',
  'learning-rate',
  'sampler-gap',
] as const
export type RunMetric = (typeof RUN_METRICS)[number]

/** One number of a run over its steps. `steps` ascend and are as many as `values`; a step that was logged twice has its last value. */
export interface RunSeries {
  /** As the trainer calls it: `critic/rewards/mean`. */
  readonly name: string
  /** What it is, where its name is known; of several series of one metric the first alone has it. */
  readonly metric: RunMetric | null
  readonly steps: Float64Array
  readonly values: Float64Array
}

/** A log file of a run: numbers by step, and no rollouts. */
export interface RunLog {
  /** `trainer-state`, `metric-lines`, `table`, `tensorboard`, `console`. */
  readonly kind: string
  readonly title: string
  /** What it was recognised by. */
  readonly evidence: string
  readonly series: readonly RunSeries[]
  /** Sentences on what a reader should know: lines that could not be read, steps that were counted. */
  readonly notes: readonly string[]
}
