import { copyBeside } from '../../containers/kernel/numbers.ts'
import type { MaskAlignment } from '../../model/policy.ts'
import { TokenState } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { countOf } from './spans.ts'

/** Of a mask, where the dump does not say whether a token is trained. */
export const MASK_UNKNOWN = 255

/**
 * The mask that the loss really used, length S, index i marking token i; null where the dump does not tell.
 *
 * A target-aligned mask marks at index i the prediction of token i + 1, so it moves by one; the first token is never predicted.
 * A row that its source excludes from the loss trains nothing, whatever its mask says. Where a format documents that exactly the
 * sampled tokens are trained, those stand for a mask that is not there.
 */
export function effectiveMask(trajectory: Trajectory, alignment: MaskAlignment, implied: boolean): Uint8Array | null {
  const stored = trajectory.mask ?? (implied ? trajectory.sampled : null)
  if (stored === null) return null
  if (trajectory.excluded) return new Uint8Array(stored.length)
  if (alignment === 'token' || trajectory.mask === null) return stored
  const moved = new Uint8Array(stored.length)
  moved.set(stored.subarray(0, -1), 1)
  return moved
}

/** The loss weights, aligned as the mask is; null where they say no more than the mask. */
export function effectiveWeights(trajectory: Trajectory, alignment: MaskAlignment): Float32Array | null {
  const stored = trajectory.weights
  if (stored === null || trajectory.excluded) return null
  if (alignment === 'token') return stored
  const moved = new Float32Array(stored.length)
  moved.set(stored.subarray(0, -1), 1)
  return moved
}

/**
 * One `TokenState` per token. Padding that carries loss is `trained`: what is trained is never hidden behind another
 * word, and `by_part` still counts it as padding.
 */
export function tokenStates(
  length: number,
  mask: Uint8Array | null,
  padding: { readonly left: number; readonly right: number },
): Uint8Array {
  const states = mask === null ? new Uint8Array(length).fill(TokenState.unknown) : copyBeside(mask)
  // 0 and 1 are the same words in both.
  if (mask !== null && countOf(mask, MASK_UNKNOWN) > 0) {
    for (let i = 0; i < length; i++) if (states[i] === MASK_UNKNOWN) states[i] = TokenState.unknown
  }
  for (let i = 0; i < padding.left; i++) if (states[i] !== TokenState.trained) states[i] = TokenState.padding
  for (let i = length - padding.right; i < length; i++) {
    if (states[i] !== TokenState.trained) states[i] = TokenState.padding
  }
  return states
}
