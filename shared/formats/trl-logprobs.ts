import type { Trajectory } from '../model/trajectory.ts'
import type { Fields } from './fields.ts'
import type { SequenceArrays } from './sequence.ts'

/** Names of the arrays in the output of `_generate_and_score_completions` (trl/trainer/grpo_trainer.py), by what they hold. */
const NAMES = {
  sampler: 'sampling_per_token_logps',
  trainer: 'old_per_token_logps',
  reference: 'ref_per_token_logps',
} as const
export const TRL_LOGPROBS: readonly string[] = Object.values(NAMES)
/** The array in which 0.0 stands for what the engine did not sample. */
export const TRL_SAMPLER = NAMES.sampler

/**
 * Logprobs of a batch of TRL, null where it has none: [R] over the completion, index i scores its token i, in nats at the sampling temperature.
 * What the engine sampled was padded with 0.0, as replies of tools are filled; trainer and reference score whatever stands there, the
 * padding too. On what the masks leave out none of these is a logprob of the rollout.
 *
 * @param prompt where the completion begins; null in a row that has no pair of prompt and completion
 * @param mask the loss mask, by token
 */
export function readTrlLogprobs(
  fields: Fields,
  arrays: SequenceArrays,
  prompt: number | null,
  mask: Uint8Array | null,
): Trajectory['logprobs'] | null {
  if (prompt === null || !TRL_LOGPROBS.some((name) => fields.has(name))) return null
  const read = (name: string) => arrays.floats(name, fields.take(name), prompt)
  const sampler = read(NAMES.sampler)
  const trainer = read(NAMES.trainer)
  const reference = read(NAMES.reference)
  for (const values of [sampler, trainer, reference]) {
    // Of a row that trains nothing the masks do not tell what it is padded with.
    for (let i = prompt; values !== null && mask?.includes(1) && i < values.length; i++) {
      if (mask[i] === 0 && (values !== sampler || values[i] === 0)) values[i] = Number.NaN
    }
  }
  return { sampler, trainer, reference }
}
