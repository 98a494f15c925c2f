import type { TrajectoryView } from '../check.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { isLogprob, isTrainedSample, logprobBounds } from './scored.ts'

/** Sums over the trained tokens of a rollout that the model wrote, of the one array of logprobs that the dump has: the sampler's or the trainer's. */
export interface OnlyLogprobs {
  /** Tokens that have one; fillers that no logprob is are left out. */
  readonly count: number
  /** In nats. */
  readonly sum: number
  /** Of them, those other than 0. */
  readonly values: number
}

/** Null where both arrays are there, which tell more together (`GapSums`), or none. */
export function onlyLogprobs(view: TrajectoryView): OnlyLogprobs | null {
  const { sampler, trainer } = view.trajectory.logprobs
  const { mask } = view
  if ((sampler === null) === (trainer === null) || mask === null || haveUnfitLogprobs(view.trajectory)) return null
  const logprobs = (sampler ?? trainer) as Float32Array
  const bounds = logprobBounds(view.thresholds)
  let count = 0
  let sum = 0
  let values = 0
  for (let i = 0; i < logprobs.length; i++) {
    // Most tokens of a row are not trained: this comes first.
    if (mask[i] !== 1) continue
    const logprob = logprobs[i] as number
    if (!isLogprob(logprob, bounds) || !isTrainedSample(view, i)) continue
    count++
    sum += logprob
    if (logprob !== 0) values++
  }
  return count === 0 ? null : { count, sum, values }
}
