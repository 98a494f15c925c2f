import type { Row } from '../../../shared/session/protocol.ts'
import { toggleFlag } from '../../data/flags.ts'
import { markKey, useMarks } from '../../state/marks.ts'
import { counted } from '../../text/numbers.ts'
import { shownId, upright } from '../../text/visible.ts'
import { aboutWords } from './note-words.ts'

/** A note may be long; more than this of it nobody reads in a tooltip. */
const LONGEST_TITLE = 600

export function FlagCell({ row }: { row: Row }) {
  const isFlagged = useMarks((state) => state.flagged.has(markKey(row.facts)))
  return (
    <button
      type="button"
      className="flag-button"
      tabIndex={-1}
      aria-pressed={isFlagged}
      aria-label={`Flag rollout ${shownId(row.facts.id, LONGEST_TITLE)}`}
      onClick={() => void toggleFlag(row.index, row.facts)}
    >
      {isFlagged ? '⚑' : '⚐'}
    </button>
  )
}

export function LabelsCell({ row }: { row: Row }) {
  const labels = useMarks((state) => state.labels.get(markKey(row.facts)))
  if (labels === undefined) return null
  return (
    <span className="labels" title={labels.join(', ')}>
      {labels.map((label) => (
        <span key={label} className="label">
          {label}
        </span>
      ))}
    </span>
  )
}

/** What the frame of a label takes, in letters of a cell, and one of its own smaller letters. */
const FRAME_LETTERS = 2.7
const SMALL_LETTER = 0.85

/** Letters of a cell that the labels of a rollout take beside each other. */
export function labelLetters(facts: Row['facts']): number {
  const labels = useMarks.getState().labels.get(markKey(facts)) ?? []
  return labels.reduce((sum, label) => sum + label.length * SMALL_LETTER + FRAME_LETTERS, 0)
}

export function NotesCell({ row }: { row: Row }) {
  const notes = useMarks((state) => state.notes.get(markKey(row.facts)))
  const [first] = notes ?? []
  if (notes === undefined || first === undefined) return null
  const title = notes.map((note) => `${aboutWords(note.tokens)}: ${note.text}`).join('\n')
  return (
    <span title={upright(title.slice(0, LONGEST_TITLE))}>
      {notes.length > 1 && <span className="quiet">{counted(notes.length, 'note')}: </span>}
      {upright(first.text)}
    </span>
  )
}
