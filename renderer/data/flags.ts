import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { useFiles } from '../state/files.ts'
import { markKey, useMarks } from '../state/marks.ts'
import { database, type InspectorDatabase } from './database.ts'
import { changeMarks, standsHere } from './marks.ts'

/** The identity of what a mark is left on. */
export function markedAs(facts: Pick<TrajectoryFacts, 'recordHash' | 'place' | 'id'>) {
  return {
    recordHash: facts.recordHash,
    part: facts.place.part,
    dumpHash: useFiles.getState().dumpHash ?? '',
    trajectory: facts.id,
  }
}

/** Flags or unflags a rollout and saves it at once. */
export function toggleFlag(
  index: number,
  facts: Pick<TrajectoryFacts, 'recordHash' | 'place' | 'id'>,
  into: InspectorDatabase = database,
): Promise<void> {
  let on = true
  return changeMarks(
    `flag of rollout ${facts.id}`,
    () => {
      on = !useMarks.getState().flagged.has(markKey(facts))
      standsHere(markKey(facts), index)
      return [{ kind: 'flag', on, flag: { ...markedAs(facts), flaggedAt: new Date().toISOString() } }]
    },
    () => (on ? `Rollout ${facts.id} flagged` : `Flag taken off rollout ${facts.id}`),
    into,
  )
}
