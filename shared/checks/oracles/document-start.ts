import type { Trajectory } from '../../model/trajectory.ts'

/** Whether a further document of a packed row begins at token `at`: its positions start anew there, or its sequence id is another. */
export function beginsDocument(
  { positionIds, sequenceIds }: Pick<Trajectory, 'positionIds' | 'sequenceIds'>,
  at: number,
): boolean {
  if (at <= 0) return false
  if (positionIds !== null && positionIds[at] === 0 && positionIds[at - 1] !== 0) return true
  return sequenceIds !== null && sequenceIds[at] !== sequenceIds[at - 1]
}
