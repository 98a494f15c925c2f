import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { LONGEST_PREFILL } from '../prompt-end.ts'
import { isPlaceholder, pairsOf } from './scored.ts'

/**
 * Token after an opening think tag that was put at the beginning of a turn: each of its tokens has a logprob of exactly 0.0, as a format
 * writes what nobody sampled, and the trainer contradicts one of them. Null where there is none.
 */
export function forcedPrefillEnd(view: TrajectoryView, { contentStart, contentEnd }: Turn): number | null {
  const { sampler } = view.trajectory.logprobs
  if (sampler === null || sampler[contentStart] !== 0) return null
  const longest = Math.min(contentEnd, contentStart + LONGEST_PREFILL)
  let end = contentStart
  for (let to = contentStart + 1; to <= longest && sampler[to - 1] === 0; to++) {
    if (/^\s*<think>\s*$/.test(view.text({ start: contentStart, end: to }))) end = to
  }
  const pairs = pairsOf(view)
  // Where the words behind it have none either, it is not the tag that was put there (L05).
  if (pairs === null || pairs.onlyFillers || isPlaceholder(pairs, end)) return null
  for (let at = contentStart; at < end; at++) if (isPlaceholder(pairs, at)) return end
  return null
}
