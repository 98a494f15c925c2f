import type { Segmentation } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'

/** Tokens by which a prompt may begin the model's turn for it: a think tag, `Let me solve this step by step.` */
const LONGEST_PREFILL = 16

/**
 * Token before which the prompt ends by the length that the dump stores; null where it stores none. A prompt length counts the left
 * padding in some dumps and not in others, and rarely says so: of the two places the one where a turn of the model begins is meant.
 */
export function storedPromptEnd(
  { promptLength, ids }: Pick<Trajectory, 'promptLength' | 'ids'>,
  segmentation: Segmentation | null,
  padding: { readonly left: number; readonly right: number },
): number | null {
  if (promptLength === null) return null
  const { left, right } = padding
  const without = left + promptLength
  if (left === 0 || promptLength <= left) return without
  if (without > (ids?.length ?? 0) - right) return promptLength
  const begins = (at: number, prefill: number) =>
    segmentation?.turns.some(
      ({ kind, headerEnd, contentStart }) => kind === 'assistant' && headerEnd <= at && at <= contentStart + prefill,
    ) ?? false
  // Where both fit, the earlier: a second turn lies as far behind the first as the padding is long only by chance.
  if (begins(promptLength, 0)) return promptLength
  return !begins(without, 0) && begins(promptLength, LONGEST_PREFILL) ? promptLength : without
}
