import { isOneRollout } from '../../formats/one-rollout.ts'
import type { TrajectoryView } from '../check.ts'

/**
 * Whether positions that begin anew at token `at` do so where no document of a packed row can begin. That a row is one rollout only what
 * is told of it as a whole shows: by its ids alone one may be packed of pieces that were cut anywhere, each with positions of its own.
 *
 * @param positions of all tokens of the row; the one at `at` does not go on from the one before
 */
export function restartsNowhere(view: TrajectoryView, positions: Int32Array, at: number): boolean {
  if (isFiller(view.ids, positions, at) || isParted(view, at)) return false
  // No document has a single token, so that a position that is there twice begins none.
  if (positions[at] === positions[at - 1]) return true
  return isOneRollout(view.trajectory) && !showsBeginning(view, at)
}

/** Tokens of one id that all have the same position, or the last of a row, may be padding that nothing declares. */
function isFiller(ids: Int32Array, positions: Int32Array, at: number): boolean {
  if (at === ids.length - 1) return true
  const isLike = (other: number) => ids[other] === ids[at] && positions[other] === positions[at]
  return isLike(at - 1) || isLike(at + 1)
}

/** The numbers of sequences, or of attention masks, say that another document begins. */
function isParted({ trajectory: { sequenceIds, attentionMask } }: TrajectoryView, at: number): boolean {
  return [sequenceIds, attentionMask].some((numbers) => numbers !== null && numbers[at] !== numbers[at - 1])
}

/** The ids look as if another text began: by a token that begins one or, before it, one that ends one, or by a system turn. */
function showsBeginning({ ids, tokenizer, segmentation }: TrajectoryView, at: number): boolean {
  const frame = tokenizer?.frame ?? null
  if (frame?.bos.includes(ids[at] as number)) return true
  let before = at - 1
  while (before > 0 && frame?.newlines.has(ids[before] as number)) before--
  if (frame?.textEnds.includes(ids[before] as number)) return true
  return segmentation?.turns.some(({ kind, start }) => kind === 'system' && start === at) ?? false
}
