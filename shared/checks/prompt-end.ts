import type { Segmentation } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'

/** Tokens by which a prompt may begin the model's turn for it: a think tag, `Let me solve this step by step.` */
export const LONGEST_PREFILL = 16

/**
 * Token before which the prompt ends by the length that the dump stores; null where it stores none. A prompt length counts the left
 * padding in some dumps and not in others, and rarely says so: of the two places the one is meant where a turn of the model begins, and
 * where neither is such a place, the one that lies nearer to one.
 */
export function storedPromptEnd(
  { promptLength, ids, mask }: Pick<Trajectory, 'promptLength' | 'ids' | 'mask'>,
  segmentation: Segmentation | null,
  padding: { readonly left: number; readonly right: number },
): number | null {
  if (promptLength === null) return null
  const { left, right } = padding
  const without = left + promptLength
  if (left === 0 || promptLength <= left) return without
  if (without > (ids?.length ?? 0) - right) return promptLength
  const turns = segmentation?.turns.filter(({ kind }) => kind === 'assistant') ?? []
  const offBy = (at: number) =>
    turns.reduce((least, { headerEnd, contentStart }) => {
      return Math.min(least, Math.max(headerEnd - at, at - contentStart, 0))
    }, Number.POSITIVE_INFINITY)
  // A mask that is aligned to targets marks the first sampled token one place early.
  const endsPrefill = (at: number) =>
    turns.some(({ contentStart: start }) => {
      return start < at && at <= start + LONGEST_PREFILL && !mask?.subarray(start, at - 1).includes(1)
    })
  // A turn whose loss goes on from there has been sampled from there: no prompt ends behind it, wherever else one might.
  const isSampledFrom = (at: number) =>
    mask?.[at] === 1 && turns.some(({ contentStart: start }) => start < at && at <= start + LONGEST_PREFILL)
  const counted = offBy(promptLength)
  const uncounted = offBy(without)
  // Where both fit, the earlier: a second turn lies as far behind the first as the padding is long only by chance.
  if (counted === 0 || isSampledFrom(promptLength)) return promptLength
  if (uncounted === 0) return without
  if (endsPrefill(promptLength)) return promptLength
  if (endsPrefill(without)) return without
  return counted < uncounted ? promptLength : without
}
