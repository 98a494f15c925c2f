import { partitionPoint } from '../../model/partition-point.ts'
import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { LONGEST_PREFILL } from '../oracles/prompt-end.ts'
import { isPlaceholder, pairsOf, type ScoredPairs } from './scored.ts'

/**
 * Token after an opening think tag that was put at the beginning of a turn: each of its tokens has a logprob of exactly 0.0, as a format
 * writes what nobody sampled, and the trainer contradicts one of them. Null where there is none.
 */
export function forcedPrefillEnd(view: TrajectoryView, turn: Turn): number | null {
  const end = deniedTagEnd(view, turn)
  return end === null || isOffBehind(view, turn, end) ? null : end
}

/**
 * Token after such a tag where the trainer is surprised at what follows as well: it has another context than the sampler there (L02), which was certain of the
 * tag. Null where there is none.
 */
export function certainTagEnd(view: TrajectoryView, turn: Turn): number | null {
  const end = deniedTagEnd(view, turn)
  return end !== null && isOffBehind(view, turn, end) ? end : null
}

function deniedTagEnd(view: TrajectoryView, { contentStart, contentEnd }: Turn): number | null {
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

/**
 * Whether the token right behind the tag is less likely to the trainer by far more than what follows the beginning of the turn differs by: engines that score
 * one context agree on what was sampled behind a tag, whoever wrote that.
 */
function isOffBehind(view: TrajectoryView, { contentEnd }: Turn, end: number): boolean {
  const { 'turn-head-gap': least, 'turn-head-over-first': times, 'turn-head-tokens': head } = view.thresholds
  const { tokens, sampler, trainer } = pairsOf(view) as ScoredPairs
  const gapAt = (token: number) => (sampler[token] as number) - (trainer[token] as number)
  if (view.mask?.[end] !== 1 || !(gapAt(end) >= least)) return false
  let count = 0
  let sum = 0
  const from = partitionPoint(tokens.length, (at) => (tokens[at] as number) < end + head)
  for (let at = from; at < tokens.length && (tokens[at] as number) < contentEnd; at++) {
    sum += Math.abs(gapAt(tokens[at] as number))
    count++
  }
  return count > 0 && gapAt(end) * count >= times * sum
}
