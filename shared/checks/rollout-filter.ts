import type { RolloutFilter } from '../model/report.ts'
import type { TrajectoryFacts } from './facts.ts'
import { completionLength, isCut } from './limits.ts'

/**
 * Whether a rollout is one of those that a filter means.
 *
 * @param beginsLater the start of its prompt is missing, which its siblings alone tell (`cutAgainstSiblings`)
 */
export function fitsFilter(row: TrajectoryFacts, filter: RolloutFilter, beginsLater = false): boolean {
  if (filter.lengths !== undefined && !filter.lengths.some((range) => hasLength(row, range))) return false
  if (filter.lostText && !hasLostText(row) && !beginsLater) return false
  return !(filter.documentsHidden && !hasHiddenDocuments(row))
}

/** Tokens are known to be lost, the rollout begins inside a turn, a reply in it was cut, or it ends where nothing closes it. */
export function hasLostText(row: TrajectoryFacts): boolean {
  return row.lost > 0 || row.cutLeft !== undefined || row.cutReplies !== undefined || isCut(row)
}

/** A supporting document is not in the ids, which no limit did where the messages tell that the environment never brought it. */
export function hasHiddenDocuments({ supportingDocuments }: Pick<TrajectoryFacts, 'supportingDocuments'>): boolean {
  if (supportingDocuments === null) return false
  const { available, retrieved, visible } = supportingDocuments
  return visible < (retrieved ?? available)
}

type LengthRange = NonNullable<RolloutFilter['lengths']>[number]

function hasLength(row: TrajectoryFacts, { of, atLeast, below }: LengthRange): boolean {
  const fits = (length: number) => length >= atLeast && (below === undefined || length < below)
  switch (of) {
    case 'sequence':
      return row.idsHash !== null && fits(row.realLength)
    case 'prompt':
      return row.promptLength !== null && fits(row.promptLength)
    case 'completion':
      return row.promptLength !== null && fits(completionLength(row))
    case 'assistant-turn':
      return row.assistantLengths.some(fits)
    case 'tool-reply':
      return row.toolReplyLengths.some(fits)
  }
}
