import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { LONGEST_NOTE } from '../../shared/model/marks.ts'
import { markKey, useMarks } from '../state/marks.ts'
import { database, type InspectorDatabase, type Note } from './database.ts'
import { markedAs } from './flags.ts'
import type { MarkChange } from './mark-changes.ts'
import { changeMarks, standsHere } from './marks.ts'
import { newId } from './new-id.ts'

/** Writes a note on a rollout, or on a span of its tokens. A text of spaces alone writes nothing. */
export function addNote(
  index: number,
  facts: Pick<TrajectoryFacts, 'recordHash' | 'place' | 'id'>,
  given: Pick<Note, 'text' | 'tokens'>,
  into: InspectorDatabase = database,
): Promise<void> {
  const text = given.text.trim().slice(0, LONGEST_NOTE)
  return changeMarks(
    `note on rollout ${facts.id}`,
    () => {
      if (text === '') return []
      standsHere(markKey(facts), index)
      const written = { id: newId(), tokens: given.tokens, text, writtenAt: new Date().toISOString() }
      return [{ kind: 'note', before: null, after: { ...markedAs(facts), ...written } }]
    },
    `Note on rollout ${facts.id} kept`,
    into,
  )
}

/** Changes a note, or takes it away: an empty text does too. */
export function changeNote(
  before: Note,
  change: Partial<Pick<Note, 'text' | 'tokens'>> | null,
  into: InspectorDatabase = database,
): Promise<void> {
  const text = (change?.text ?? before.text).trim().slice(0, LONGEST_NOTE)
  const after = change === null || text === '' ? null : { ...before, ...change, text }
  // Another window may have changed or removed it since it was shown: that is what taking this back goes back to.
  const make = (): readonly MarkChange[] => {
    const standing =
      useMarks
        .getState()
        .notes.get(`${before.recordHash}.${before.part}`)
        ?.find(({ id }) => id === before.id) ?? null
    return standing === null && after === null ? [] : [{ kind: 'note', before: standing, after }]
  }
  return changeMarks(
    `${after === null ? 'removal' : 'change'} of a note on rollout ${before.trajectory}`,
    make,
    after === null ? `Note on rollout ${before.trajectory} removed` : `Note on rollout ${before.trajectory} changed`,
    into,
  )
}
