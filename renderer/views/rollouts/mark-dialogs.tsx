import { type KeyboardEvent, useEffect, useState } from 'react'
import type { TrajectoryFacts } from '../../../shared/checks/facts/facts.ts'
import { tidyLabel } from '../../../shared/model/marks.ts'
import { Modal } from '../../app/modal.tsx'
import { toggleLabel } from '../../data/labels.ts'
import { list } from '../../data/list.ts'
import { factsOf, knownRow } from '../../data/rows.ts'
import { labelCounts, markKey, useMarks } from '../../state/marks.ts'
import { useSelection } from '../../state/selection.ts'
import { useView } from '../../state/view.ts'
import { counted } from '../../text/numbers.ts'
import { shownId } from '../../text/visible.ts'
import { NoteForm } from './note-form.tsx'

/** What a person leaves on the selected rollout. */
export function MarkDialog({ dialog }: { dialog: 'label' | 'note' }) {
  const rollout = useSelection((state) => state.rollout) ?? list.get()[0] ?? null
  const facts = useFacts(rollout)
  const title = dialog === 'label' ? 'Labels' : 'Notes'
  if (rollout === null || facts === null) {
    return (
      <Modal title={title}>
        <p className="quiet">{rollout === null ? 'No rollout is selected.' : 'One moment…'}</p>
      </Modal>
    )
  }
  // A dialog of its own, which gives its field the focus: the one above may have been on screen already.
  return (
    <Modal key="of rollout" title={`${title} of rollout ${shownId(facts.id, 80)}`}>
      {dialog === 'label' ? <LabelPicker index={rollout} facts={facts} /> : <NoteForm index={rollout} facts={facts} />}
    </Modal>
  )
}

function useFacts(rollout: number | null): TrajectoryFacts | null {
  const [facts, setFacts] = useState(() => (rollout === null ? null : (knownRow(rollout)?.facts ?? null)))
  useEffect(() => {
    let isWanted = true
    if (rollout !== null) void factsOf(rollout).then((known) => isWanted && setFacts(known))
    return () => {
      isWanted = false
    }
  }, [rollout])
  return facts
}

const NO_LABELS: readonly string[] = []

/** Labels that the rollout has and others that were given before; typing finds one or makes a new one. */
function LabelPicker({ index, facts }: { index: number; facts: TrajectoryFacts }) {
  const labels = useMarks((state) => state.labels)
  const own = labels.get(markKey(facts)) ?? NO_LABELS
  const inRollout = useView((state) => state.view === 'rollout')
  const isSpanMarked = useSelection((state) => state.range !== null) && inRollout
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const typed = tidyLabel(text)
  const known = labelCounts(labels).filter(([label]) => label.toLowerCase().includes(typed.toLowerCase()))
  const isNew = typed !== '' && !known.some(([label]) => label === typed)
  const options = [...known.map(([label]) => label), ...(isNew ? [typed] : [])]
  const chosen = Math.min(at, options.length - 1)
  const toggle = (label: string | undefined) => {
    if (label === undefined) return
    void toggleLabel(index, facts, label)
    setText('')
    setAt(0)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(options.length - 1, chosen + 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1))
    else if (event.key === 'Enter') toggle(options[chosen])
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        className="palette-input"
        data-first-focus
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={options.length > 0 ? 'label-list' : undefined}
        aria-activedescendant={options.length === 0 ? undefined : `label-${chosen}`}
        aria-label="Label"
        placeholder="Find a label, or type a new one"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      {options.length === 0 ? (
        <p className="quiet">No label yet. Type one and press Enter; it can be given to other rollouts then.</p>
      ) : (
        <div className="palette-list" id="label-list" role="listbox" aria-label="Labels" aria-multiselectable="true">
          {options.map((label, position) => (
            <button
              key={label}
              id={`label-${position}`}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={own.includes(label)}
              className={position === chosen ? 'active' : undefined}
              onClick={() => toggle(label)}
            >
              <span>
                <span className="label-tick" aria-hidden="true">
                  {own.includes(label) ? '✓' : ''}
                </span>
                {isNew && position === options.length - 1 ? `New label “${label}”` : label}
              </span>
              <span className="quiet">
                {isNew && position === options.length - 1 ? '' : counted(known[position]?.[1] ?? 0, 'rollout')}
              </span>
            </button>
          ))}
        </div>
      )}
      <p className="quiet">
        {isSpanMarked && 'A label is given to the whole rollout; a note (N) can be about the tokens you marked. '}Enter
        gives the label or takes it away, Escape closes.
      </p>
    </>
  )
}
