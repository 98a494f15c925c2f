import { type FormEvent, useEffect, useRef, useState } from 'react'
import { clipped } from '../../../shared/model/clipped.ts'
import type { Piece } from '../../../shared/notebook/evidence/pieces.ts'
import type { Notebook } from '../../../shared/notebook/model.ts'
import { Modal } from '../../app/modal.tsx'
import { loadNotebook, useNotebook } from '../../data/notebook.ts'
import { type PieceGroup, piecesOnScreen, pin } from '../../data/pinning.ts'
import { sentenceOf } from '../../engine/client.ts'
import { useFiles } from '../../state/files.ts'
import { usePin, type Wanted } from '../../state/pin.ts'
import { usePlaces } from '../../state/place.ts'
import { openDialog, say, useView } from '../../state/view.ts'
import { judgedOf } from '../../text/judged.ts'
import { spelt } from '../../text/visible.ts'
import { EvidenceNumbers } from './evidence-numbers.tsx'
import { STATUS_WORDS } from './notebook-words.ts'
import { ChoiceField, LineField } from './text-field.tsx'

/** Hangs what is on screen on a hypothesis of the notebook. */
export function PinDialog() {
  const notebook = useNotebook()
  const [groups, setGroups] = useState<readonly PieceGroup[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    let isWanted = true
    const fail = (error: unknown) => isWanted && setFailure(sentenceOf(error))
    void loadNotebook()
    piecesOnScreen().then((found) => isWanted && setGroups(found), fail)
    return () => {
      isWanted = false
    }
  }, [])
  return (
    <Modal title="Pin as evidence">
      {failure !== null && <p role="alert">This cannot be pinned: {spelt(failure)}</p>}
      {failure === null && (groups === null || notebook === null) && <p className="quiet">One moment…</p>}
      {groups !== null && notebook !== null && <PinForm groups={groups} notebook={notebook} />}
    </Modal>
  )
}

function PinForm({ groups, notebook }: { groups: readonly PieceGroup[]; notebook: Notebook }) {
  const phase = useFiles((files) => files.phase)
  const part = useFiles(judgedOf)
  const pieces = groups.flatMap((group) => group.pieces)
  const page = useView(({ view }) => view) === 'notebook' ? (usePlaces.getState().notebook?.hypothesis ?? null) : null
  const open = notebook.hypotheses.find(({ id }) => id === page)
  const wanted = usePin((state) => state.wanted)
  const [at, setAt] = useState(() =>
    // Another piece than the one that was asked for is nobody's choice.
    wanted !== null
      ? pieces.findIndex((piece) => isWanted(piece, wanted))
      : Math.max(0, open === undefined ? 0 : pieces.findIndex(({ verdict }) => verdict === open.verdict)),
  )
  const [chosen, setChosen] = useState<string | null>(open?.id ?? null)
  const [note, setNote] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  // The pieces come after the dialog, which has given the focus to its first control by then.
  useEffect(() => button.current?.focus(), [])
  const piece = pieces[at]
  if (pieces.length === 0 || notebook.hypotheses.length === 0) {
    return (
      <p className="quiet">
        {pieces.length === 0
          ? 'Nothing on screen can be pinned: no verdict has a measure and no check could be made.'
          : 'The notebook has no hypothesis to pin it to. Add one on its board first.'}
      </p>
    )
  }
  const hypothesis = chosen ?? proposed(piece?.verdict ?? null, notebook)
  const keep = (event: FormEvent) => {
    event.preventDefault()
    if (piece === undefined) return
    pin(piece, hypothesis, note.trim())
    openDialog(null)
    say(`Pinned to ${hypothesis}: ${spelt(clipped(piece.title, 60))}`)
  }
  return (
    <form className="pin-form" onSubmit={keep}>
      <label className="line-field">
        <span className="line-field-label">What</span>
        <select value={at} onChange={(event) => setAt(Number(event.target.value))}>
          {piece === undefined && <option value={at}>Nothing chosen</option>}
          {groups.map((group) => (
            <optgroup key={group.title} label={spelt(group.title)}>
              {group.pieces.map((each) => (
                <option key={pieces.indexOf(each)} value={pieces.indexOf(each)}>
                  {spelt(clipped(each.title, 140))}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {piece === undefined ? (
        <p role="status">What you asked to pin is not among what can be pinned now. Choose something else.</p>
      ) : (
        <p>
          <EvidenceNumbers numbers={piece.numbers} />
        </p>
      )}
      <ChoiceField
        label="Hypothesis"
        value={hypothesis}
        choices={notebook.hypotheses.map(({ id, title, status }) => [
          id,
          `${id} ${spelt(title)} (${STATUS_WORDS[status].name.toLowerCase()})`,
        ])}
        onChange={setChosen}
      />
      <LineField label="Note" className="wide" value={note} onChange={setNote} />
      {phase === 'reading' && <p className="quiet">The run is still being read: these are the numbers so far.</p>}
      {part !== null && <p className="quiet">Judging was stopped: {part}. These are the numbers of that part.</p>}
      <div className="form-buttons">
        <button ref={button} type="submit" className="button primary" disabled={piece === undefined}>
          Pin to {hypothesis}
        </button>
        <span className="quiet">The numbers, their report and the way back are kept. Your status stays as it is.</span>
      </div>
    </form>
  )
}

function isWanted({ kind, key }: Piece, wanted: Wanted): boolean {
  return kind === wanted.kind && Object.entries(wanted.key).every(([name, value]) => key[name] === value)
}

/** The hypothesis that the piece mostly speaks of, else the first that is being tested. */
function proposed(verdict: Piece['verdict'], { hypotheses }: Notebook): string {
  const own = hypotheses.find((each) => verdict !== null && each.verdict === verdict)
  const testing = hypotheses.find(({ status }) => status === 'testing')
  return (own ?? testing ?? hypotheses[0])?.id ?? ''
}
