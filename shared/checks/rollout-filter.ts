import type { TrajectoryFacts } from './facts.ts'
import { isCut } from './limits.ts'

/**
 * Tokens are known to be lost, the rollout begins inside a turn, a reply in it was cut, or it ends where nothing closes it.
 *
 * @param open those whose end tells nothing (`openEnds`)
 */
export function hasLostText(row: TrajectoryFacts, open: ReadonlySet<TrajectoryFacts>): boolean {
  return row.lost > 0 || row.cutLeft !== undefined || row.cutReplies !== undefined || (isCut(row) && !open.has(row))
}

/** A supporting document is not in the ids, which no limit did where the messages tell that the environment never brought it. */
export function hasHiddenDocuments({ supportingDocuments }: Pick<TrajectoryFacts, 'supportingDocuments'>): boolean {
  if (supportingDocuments === null) return false
  const { available, retrieved, visible } = supportingDocuments
  return visible < (retrieved ?? available)
}
