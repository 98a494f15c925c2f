import { useMemo } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Note } from '../../data/database.ts'
import { markKey, useMarks } from '../../state/marks.ts'
import { jumpTo, useSelection } from '../../state/selection.ts'
import { openDialog, useView } from '../../state/view.ts'
import { aboutWords } from '../rollouts/note-words.ts'

const NO_NOTES: readonly Note[] = []

/** Labels and notes of the rollout. A note on a span goes to its tokens; those of the selected token are set off. */
export function RolloutMarks({ detail }: { detail: TrajectoryDetail }) {
  const key = markKey(detail.facts)
  const labels = useMarks((state) => state.labels.get(key))
  const notes = useMarks((state) => state.notes.get(key)) ?? NO_NOTES
  const token = useSelection((state) => state.token)
  if (labels === undefined && notes.length === 0) return null
  return (
    <section className="rollout-marks" aria-label="Labels and notes">
      {labels !== undefined && (
        <button type="button" className="mark-labels" title="Change the labels (t)" onClick={() => openDialog('label')}>
          {labels.map((label) => (
            <span key={label} className="label">
              {label}
            </span>
          ))}
        </button>
      )}
      {notes.map((note) => (
        <p key={note.id} className={holds(note, token) ? 'mark-note here' : 'mark-note'}>
          <span aria-hidden="true">✎</span> <About note={note} length={detail.states.length} />{' '}
          <span className="mark-text">{note.text}</span>
        </p>
      ))}
      {notes.length > 0 && (
        <button type="button" className="link" onClick={() => openDialog('note')}>
          Change…
        </button>
      )}
    </section>
  )
}

function About({ note: { tokens }, length }: { note: Note; length: number }) {
  // The same record under another tokenizer or format may be shorter.
  if (tokens === null || tokens[0] >= length) return <span className="quiet">{aboutWords(tokens)}:</span>
  const go = () => {
    useView.setState({ tab: 'tokens' })
    jumpTo(tokens[0], tokens)
  }
  return (
    <button type="button" className="link" onClick={go}>
      {aboutWords(tokens)}
    </button>
  )
}

function holds({ tokens }: Note, token: number | null): boolean {
  return tokens !== null && token !== null && token >= tokens[0] && token < tokens[1]
}

/** 1 for each token that a note is about; null where no note is about tokens. */
export function useNotedTokens(detail: TrajectoryDetail): Uint8Array | null {
  const notes = useMarks((state) => state.notes.get(markKey(detail.facts))) ?? NO_NOTES
  return useMemo(() => {
    const spans = notes.flatMap(({ tokens }) => (tokens === null ? [] : [tokens]))
    if (spans.length === 0) return null
    const noted = new Uint8Array(detail.states.length)
    for (const [start, end] of spans) noted.fill(1, start, end)
    return noted
  }, [notes, detail])
}
