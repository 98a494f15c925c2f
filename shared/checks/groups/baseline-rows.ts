import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { isLengthStop } from '../oracles/end-reason.ts'

type Rows = GroupView['members']

/** Rows of a group that train something: those that an overlong filter leaves in the baseline. */
export function trainingOf(members: Rows): Rows {
  return members.filter(isTraining)
}

/** All rows but those that were aborted or failed: one that trains nothing because a limit ended it may still be counted. */
export function withoutFailed(members: Rows): Rows {
  return members.filter((row) => isTraining(row) || isEndedByLimit(row))
}

/** All rows but those that train nothing because a limit ended them. */
export function withoutCut(members: Rows): Rows {
  return members.filter((row) => isTraining(row) || !isEndedByLimit(row))
}

/**
 * Rows that the baseline of a group may have been taken over, each choice once: all of them; those that train; and, where rows train nothing for
 * either reason, those that train with those of one reason.
 */
export function baselineRows(members: Rows): readonly Rows[] {
  const training = trainingOf(members)
  if (training.length === members.length) return [members]
  const some = [withoutFailed(members), withoutCut(members)]
  const between = some.filter(({ length }) => length > training.length && length < members.length)
  return [members, training, ...between].filter((rows) => rows === members || rows.length > 1)
}

function isTraining(row: TrajectoryFacts): boolean {
  return row.trained !== 0 && !row.excluded && !mayBeFiltered(row)
}

/** Without a mask an overlong filter shows in the advantage alone: that of a row which a limit ended is 0. */
function mayBeFiltered({ trained, advantage, endReason }: TrajectoryFacts): boolean {
  return trained === null && advantage === 0 && endReason.startsWith('cut')
}

/** By what the dump says of it; where it says nothing, by its ids. */
function isEndedByLimit({ isTruncated, finishReason, endReason }: TrajectoryFacts): boolean {
  return isTruncated === true || isLengthStop(finishReason) || (finishReason === null && endReason.startsWith('cut'))
}
