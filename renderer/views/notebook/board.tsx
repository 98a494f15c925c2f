import { useEffect, useRef, useState } from 'react'
import { editHypothesis } from '../../../shared/notebook/edit.ts'
import { type Hypothesis, type Notebook, PRIORITIES, STATUSES, type Status } from '../../../shared/notebook/model.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { say, useView } from '../../state/view.ts'
import { counted } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'
import { newOne } from './additions.ts'
import { openHypothesis } from './notebook-place.ts'
import { PRIORITY_WORDS, STATUS_WORDS } from './notebook-words.ts'
import { VerdictMark } from './verdict.tsx'

/** The card that had the focus last. */
let lastCard: string | null = null

/** What a dragged card carries. */
const CARD = 'application/x-hypothesis'

/** Every hypothesis in the column of its status. Arrows go from card to card, with Shift they move the card. */
export function Board({ notebook }: { notebook: Notebook }) {
  const board = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const moved = useRef<string | null>(null)
  const shown = useView((view) => view.shown)
  const columns = STATUSES.map((status) => ({ status, cards: cardsOf(notebook, status) }))
  const first = columns.find(({ cards }) => cards.length > 0)?.cards[0]?.id ?? null
  const current = notebook.hypotheses.some(({ id }) => id === focused) ? focused : first
  // Whoever comes here by key goes on by key, from the card that was opened last.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is given once for each time the view is shown
  useEffect(() => {
    const card = (lastCard === null ? null : cardOf(board.current, lastCard)) ?? cardOf(board.current, current ?? '')
    card?.focus({ preventScroll: true })
  }, [shown])
  // A card that changes its column is drawn anew, and keeps the focus.
  useEffect(() => {
    if (moved.current === null) return
    cardOf(board.current, moved.current)?.focus()
    moved.current = null
  })
  const press = (event: React.KeyboardEvent, status: Status, id: string) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const at = STATUSES.indexOf(status)
    if (event.shiftKey) {
      const next = STATUSES[at + step[0]]
      if (next === undefined) return
      moved.current = id
      setStatus(id, next)
      return
    }
    const rows = columns[at]?.cards ?? []
    const row = rows.findIndex((card) => card.id === id)
    let target = rows[row + step[1]]?.id
    for (let column = at + step[0]; step[0] !== 0 && columns[column] !== undefined; column += step[0]) {
      const cards = columns[column]?.cards ?? []
      target = cards[Math.min(row, cards.length - 1)]?.id
      if (target !== undefined) break
    }
    if (target !== undefined) cardOf(board.current, target)?.focus()
  }
  return (
    <>
      <div className="board-hint">
        <p className="quiet">
          <kbd>↑</kbd> <kbd>↓</kbd> <kbd>←</kbd> <kbd>→</kbd> from card to card, <kbd>⇧←</kbd> <kbd>⇧→</kbd> moves a
          card to another status, <kbd>↵</kbd> opens it. What the open dump says stands beside your status and never
          changes it.
        </p>
        <button type="button" className="button small" onClick={newOne}>
          New hypothesis
        </button>
      </div>
      <div className="board" ref={board}>
        {columns.map(({ status, cards }) => (
          <section
            key={status}
            className={`board-column ${status}`}
            aria-label={`${STATUS_WORDS[status].name}, ${cards.length}`}
            onDragOver={(event) => {
              if (event.dataTransfer.types.includes(CARD)) event.preventDefault()
            }}
            onDrop={(event) => {
              const id = event.dataTransfer.getData(CARD)
              if (id !== '') setStatus(id, status)
            }}
          >
            <h2>
              <span aria-hidden="true">{STATUS_WORDS[status].glyph}</span> {STATUS_WORDS[status].name}
              <span className="quiet"> {cards.length}</span>
            </h2>
            <ul>
              {cards.map((hypothesis) => (
                <li key={hypothesis.id}>
                  <button
                    type="button"
                    className="card"
                    data-card={hypothesis.id}
                    draggable
                    tabIndex={hypothesis.id === current ? 0 : -1}
                    onDragStart={(event) => event.dataTransfer.setData(CARD, hypothesis.id)}
                    onFocus={() => {
                      lastCard = hypothesis.id
                      setFocused(hypothesis.id)
                    }}
                    onKeyDown={(event) => press(event, status, hypothesis.id)}
                    onClick={() => openHypothesis(hypothesis.id)}
                  >
                    <Card hypothesis={hypothesis} />
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}

/** By key: columns to the right, rows down. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

function Card({ hypothesis }: { hypothesis: Hypothesis }) {
  const { id, title, priority, statusNote, evidence } = hypothesis
  return (
    <>
      <span className="card-id">
        {id}
        <span className={`priority ${priority}`}>{PRIORITY_WORDS[priority]}</span>
      </span>
      <span className="card-title">{title === '' ? 'Without a title' : upright(title)}</span>
      {statusNote !== '' && <span className="card-note">“{upright(statusNote)}”</span>}
      <VerdictMark hypothesis={hypothesis} />
      {evidence.length > 0 && (
        <span className="card-note">{counted(evidence.length, 'piece of evidence', 'pieces of evidence')}</span>
      )}
    </>
  )
}

function cardsOf(notebook: Notebook, status: Status): Hypothesis[] {
  return notebook.hypotheses
    .filter((hypothesis) => hypothesis.status === status)
    .sort((a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority))
}

function cardOf(board: HTMLElement | null, id: string): HTMLElement | null {
  return board?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`) ?? null
}

function setStatus(id: string, status: Status): void {
  changeNotebook(`Status of ${id}`, (notebook, at) => editHypothesis(notebook, id, { status }, { at }))
  say(`${id} is ${STATUS_WORDS[status].name.toLowerCase()}`)
}
