import { isCut } from '../limits/limits.ts'
import type { ToldEnds } from '../truncation/told-ends.ts'
import type { TrajectoryFacts } from './facts.ts'

/**
 * Tokens are known to be lost, the rollout begins inside a turn, a reply in it was cut, or it ends where nothing closes it.
 *
 * @param ends how rollouts end of which others tell it
 */
export function hasLostText(row: TrajectoryFacts, ends: Pick<ToldEnds, 'open' | 'refuted'>): boolean {
  return row.lost > 0 || row.cutLeft !== undefined || row.cutReplies !== undefined || isKnownCut(row, ends)
}

/** It ends where nothing closes it, and that tells more than that its writer leaves end tokens out. */
function isKnownCut(row: TrajectoryFacts, { open, refuted }: Pick<ToldEnds, 'open' | 'refuted'>): boolean {
  return isCut(row) ? !open.has(row) : refuted.has(row)
}

/** A supporting document is not in the ids, which no limit did where the messages tell that the environment never brought it. */
export function hasHiddenDocuments({ supportingDocuments }: Pick<TrajectoryFacts, 'supportingDocuments'>): boolean {
  if (supportingDocuments === null) return false
  const { available, retrieved, visible } = supportingDocuments
  return visible < (retrieved ?? available)
}
