import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { TrajectoryFacts } from '../../../shared/checks/facts/facts.ts'
import { LONGEST_NOTE } from '../../../shared/model/marks.ts'
import { useAskLeaving } from '../../app/use-ask-leaving.ts'
import type { Note } from '../../data/database.ts'
import { isSameNote } from '../../data/mark-changes.ts'
import { addNote, changeNote } from '../../data/notes.ts'
import { markKey, useMarks } from '../../state/marks.ts'
import { useSelection } from '../../state/selection.ts'
import { forgetUnkeptNote, keepUnkeptNote, unkeptNote } from '../../state/unkept-notes.ts'
import { openDialog, useView } from '../../state/view.ts'
import { count } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'
import { aboutWords } from './note-words.ts'

type Span = readonly [number, number] | null

const NO_NOTES: readonly Note[] = []

/** Notes of a rollout, and a field for one more. Over a rollout's tokens the note is about the marked span at first. */
export function NoteForm({ index, facts }: { index: number; facts: TrajectoryFacts }) {
  const notes = useMarks((state) => state.notes.get(markKey(facts))) ?? NO_NOTES
  const [changing, setChanging] = useState<Note | null>(null)
  return (
    <>
      <Fields
        key={changing?.id ?? 'new'}
        draft={`${markKey(facts)} ${changing?.id ?? 'new'}`}
        length={facts.length}
        note={changing}
        elsewhere={changing === null ? null : changedElsewhere(changing, notes)}
        onKeep={(given) => {
          if (changing === null) void addNote(index, facts, given)
          else void changeNote(changing, given)
          if (changing === null) openDialog(null)
          else setChanging(null)
        }}
        onCancel={changing === null ? null : () => setChanging(null)}
      />
      {notes.length > 0 && (
        <ul className="note-list" aria-label="Notes so far">
          {notes.map((note) => (
            <li key={note.id} className={note.id === changing?.id ? 'changing' : undefined}>
              <p className="note-text">{upright(note.text)}</p>
              <p className="quiet">
                {aboutWords(note.tokens)} ·{' '}
                <time dateTime={note.writtenAt}>{note.writtenAt.slice(0, 16).replace('T', ' ')}</time>{' '}
                <button type="button" className="link" onClick={() => setChanging(note)}>
                  Change
                </button>{' '}
                <button type="button" className="link" onClick={() => void changeNote(note, null)}>
                  Remove
                </button>
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Who keeps a change has to know what it replaces; null where the note is as it was. */
function changedElsewhere(note: Note, now: readonly Note[]): string | null {
  const standing = now.find(({ id }) => id === note.id)
  if (standing === undefined) return 'This note was removed in another window; keeping the change writes it again.'
  return isSameNote(standing, note)
    ? null
    : 'This note was changed in another window; keeping yours replaces what now stands below.'
}

interface FieldsProps {
  readonly draft: string
  readonly length: number
  readonly note: Note | null
  /** What became of the note meanwhile, as a sentence. */
  readonly elsewhere: string | null
  readonly onKeep: (given: { text: string; tokens: Span }) => void
  readonly onCancel: (() => void) | null
}

function Fields({ draft, length, note, elsewhere, onKeep, onCancel }: FieldsProps) {
  const inRollout = useView((state) => state.view === 'rollout')
  const range = useSelection((state) => state.range)
  const token = useSelection((state) => state.token)
  const marked: Span = note?.tokens ?? range ?? (token === null ? null : [token, token + 1])
  const [before] = useState(() => unkeptNote(draft))
  const [text, setText] = useState(before ?? note?.text ?? '')
  const [isSpan, setIsSpan] = useState(note === null ? inRollout && range !== null : note.tokens !== null)
  const [first, setFirst] = useState(String(marked?.[0] ?? 0))
  const [last, setLast] = useState(String((marked?.[1] ?? 1) - 1))
  const span = spanOf(first, last, length)
  // Whoever asked for another note to be changed, or kept a change, goes on writing.
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])
  useAskLeaving(text.trim() !== '' && text !== note?.text)
  const canKeep = text.trim() !== '' && (!isSpan || span !== null)
  const keep = (event: FormEvent) => {
    event.preventDefault()
    if (!canKeep) return
    forgetUnkeptNote(draft)
    onKeep({ text, tokens: isSpan ? span : null })
  }
  const type = (typed: string) => {
    setText(typed)
    if (typed.trim() === '' || typed === note?.text) forgetUnkeptNote(draft)
    else keepUnkeptNote(draft, typed)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) keep(event)
  }
  return (
    <form className="note-form" onSubmit={keep}>
      {length > 0 && (
        <fieldset className="note-about">
          <legend>About</legend>
          <label>
            <input type="radio" name="about" checked={!isSpan} onChange={() => setIsSpan(false)} /> the whole rollout
          </label>
          <label>
            <input type="radio" name="about" checked={isSpan} onChange={() => setIsSpan(true)} /> tokens
          </label>
          {isSpan && (
            <>
              <input
                className="number-field"
                aria-label="First token"
                inputMode="numeric"
                aria-invalid={span === null}
                value={first}
                onChange={(event) => setFirst(event.target.value)}
              />
              to
              <input
                className="number-field"
                aria-label="Last token"
                inputMode="numeric"
                aria-invalid={span === null}
                value={last}
                onChange={(event) => setLast(event.target.value)}
              />
              {span === null && (
                <span className="error-text" role="alert">
                  This rollout has tokens 0 to {count(length - 1)}, and the first comes before the last.
                </span>
              )}
            </>
          )}
        </fieldset>
      )}
      <textarea
        ref={area}
        data-first-focus
        aria-label="Note"
        rows={5}
        maxLength={LONGEST_NOTE}
        placeholder="What is to be remembered about it"
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
      />
      <div className="form-buttons">
        <button type="submit" className="button primary" disabled={!canKeep}>
          {note === null ? 'Keep the note' : 'Keep the change'}
        </button>
        {onCancel !== null && (
          <button
            type="button"
            className="button"
            onClick={() => {
              forgetUnkeptNote(draft)
              onCancel()
            }}
          >
            Leave it as it was
          </button>
        )}
        <span className="quiet">Ctrl or ⌘ with Enter keeps it.</span>
        {elsewhere !== null && (
          <span className="warn-text" role="alert">
            ▲ {elsewhere}
          </span>
        )}
        {text.length >= LONGEST_NOTE && (
          <span className="warn-text" role="alert">
            ▲ A note has {count(LONGEST_NOTE)} characters at most; what goes beyond is cut.
          </span>
        )}
        {before !== undefined && text === before && (
          <span className="quiet">This was typed before and not kept yet.</span>
        )}
      </div>
    </form>
  )
}

function spanOf(first: string, last: string, length: number): Span {
  if (!/^\d{1,9}$/.test(first.trim()) || !/^\d{1,9}$/.test(last.trim())) return null
  const [start, end] = [Number(first), Number(last) + 1]
  return start < end && end <= length ? [start, end] : null
}
