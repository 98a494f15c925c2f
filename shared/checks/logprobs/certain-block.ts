import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'

/**
 * Both engines were certain of every token of the block between header and content, such as an empty thought: the sampler's 0.0 on each of them
 * is then a logprob, and no sign that nobody sampled it. Of a block that a generation prompt forces on the model the trainer is not certain.
 */
export function isCertainBlock(
  { logprobs: { sampler, trainer } }: Pick<Trajectory, 'logprobs'>,
  { headerEnd, contentStart }: Turn,
  thresholds: Thresholds,
): boolean {
  if (sampler === null || trainer === null || headerEnd === contentStart) return false
  for (let i = headerEnd; i < contentStart; i++) {
    if (sampler[i] !== 0 || !((trainer[i] as number) >= -thresholds['not-certain'])) return false
  }
  return true
}
