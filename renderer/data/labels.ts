import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { tidyLabel } from '../../shared/model/marks.ts'
import { markKey, useMarks } from '../state/marks.ts'
import { database, type InspectorDatabase } from './database.ts'
import { markedAs } from './flags.ts'
import { changeMarks, standsHere } from './marks.ts'

/** Gives a label to a rollout, or takes it away where it has it. A text in which nothing is left once tidied does nothing. */
export function toggleLabel(
  index: number,
  facts: Pick<TrajectoryFacts, 'recordHash' | 'place' | 'id'>,
  typed: string,
  into: InspectorDatabase = database,
): Promise<void> {
  const label = tidyLabel(typed)
  let on = true
  return changeMarks(
    `label “${label}” of rollout ${facts.id}`,
    () => {
      if (label === '') return []
      on = useMarks.getState().labels.get(markKey(facts))?.includes(label) !== true
      standsHere(markKey(facts), index)
      return [{ kind: 'label', on, label: { ...markedAs(facts), label, labelledAt: new Date().toISOString() } }]
    },
    () => (on ? `Rollout ${facts.id} labelled “${label}”` : `Label “${label}” taken off rollout ${facts.id}`),
    into,
  )
}
