import { useEffect, useRef, useState } from 'react'
import { editHypothesis } from '../../../shared/notebook/edit.ts'
import { type Hypothesis, STATUSES, type Status } from '../../../shared/notebook/model.ts'
import { useAskLeaving } from '../../app/use-ask-leaving.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { say } from '../../state/view.ts'
import { STATUS_WORDS } from './notebook-words.ts'

/**
 * Sets the status, with the reason that the history keeps. What is chosen is set too where this page of the notebook is left for another one,
 * as all else on it is kept; whoever closes the window is asked.
 */
export function StatusForm({ hypothesis }: { hypothesis: Hypothesis }) {
  const [chosen, setChosen] = useState<Status | null>(null)
  const [reason, setReason] = useState('')
  const status = chosen ?? hypothesis.status
  useAskLeaving(reason.trim() !== '')
  const isChanged = chosen !== null && chosen !== hypothesis.status
  const leave = () => {
    setChosen(null)
    setReason('')
  }
  const settle = () => {
    if (!isChanged) return
    changeNotebook(`Status of ${hypothesis.id}`, (notebook, at) =>
      editHypothesis(notebook, hypothesis.id, { status }, { at, reason: reason.trim() }),
    )
    say(`${hypothesis.id} is ${STATUS_WORDS[status].name.toLowerCase()}`)
  }
  const latest = useRef(settle)
  latest.current = settle
  useEffect(() => () => latest.current(), [])
  const set = (event: React.FormEvent) => {
    event.preventDefault()
    settle()
    leave()
  }
  return (
    <form className="status-form" onSubmit={set}>
      <label className="line-field">
        <span className="line-field-label">Status</span>
        <select
          className={`status-select ${status}`}
          value={status}
          onChange={(event) => setChosen(event.target.value as Status)}
        >
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {STATUS_WORDS[each].glyph} {STATUS_WORDS[each].name}
            </option>
          ))}
        </select>
      </label>
      {isChanged && (
        <>
          <label className="line-field grow">
            <span className="line-field-label">Why (kept in the history)</span>
            <input type="text" value={reason} onChange={(event) => setReason(event.target.value)} />
          </label>
          <button type="submit" className="button primary">
            Set to {STATUS_WORDS[status].name.toLowerCase()}
          </button>
          <button type="button" className="button" onClick={leave}>
            Leave it
          </button>
        </>
      )}
    </form>
  )
}
