import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Segmentation, Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { MASK_UNKNOWN } from './states.ts'

/** Zeros in the loss beside which one that the trainer finds less likely than any is none of them: chance makes it so in less than one of twenty. */
const LEAST_ZEROS = 20

/**
 * Below which logprob of the trainer an end token that the mask leaves out was written by another than the model, as where an environment stops it on a
 * string: the sampler says 0.0 of it, as a tensor is filled where nothing was sampled, and the trainer is less certain of it than of every 0.0 in
 * the loss. Null where nothing tells: one such end with a logprob was sampled, and the 0.0 of another is then a legal one (M10).
 *
 * @param mask as it is judged, also where the dump stores it shifted
 */
export function appendedBelow(
  { logprobs: { sampler, trainer } }: Pick<Trajectory, 'logprobs'>,
  mask: Uint8Array | null,
  { turns }: Segmentation,
  thresholds: Thresholds,
): number | null {
  if (sampler === null || trainer === null || mask === null) return null
  let zeroEnds = 0
  for (const turn of turns) {
    if (!isMaskedEnd(turn, mask)) continue
    if (sampler[turn.endToken] !== 0) return null
    zeroEnds++
  }
  if (zeroEnds === 0) return null
  let below = -thresholds['not-certain']
  let zeros = 0
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] !== 1 || sampler[i] !== 0) continue
    zeros++
    if ((trainer[i] as number) < below) below = trainer[i] as number
  }
  return zeros >= LEAST_ZEROS ? below : null
}

function isMaskedEnd({ kind, endToken }: Turn, mask: Uint8Array): boolean {
  return kind === 'assistant' && endToken >= 0 && mask[endToken] !== 1 && mask[endToken] !== MASK_UNKNOWN
}
