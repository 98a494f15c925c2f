import { type CSSProperties, type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { clipped } from '../../../shared/model/clipped.ts'
import type { Turn } from '../../../shared/model/tokens.ts'
import { roleText } from '../../../shared/model/turn-words.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { type RowWindow, useRowWindow } from '../../lists/use-row-window.ts'
import { jumpTo, useSelection } from '../../state/selection.ts'
import { count, counted, percent } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'
import { turnOf } from './edges.ts'
import { type TurnCoverage, trainedShare, turnCoverage } from './turn-coverage.ts'

/** Height of a turn in pixels, its line included. */
const TURN_HEIGHT = 58
/** Height in pixels of the line that says what the numbers of the turns are. */
const HEAD_HEIGHT = 22

/** By which the height of the list is known before it is drawn. */
export const OUTLINE = 'outline'

/** The turns, how much of each is trained, and which have findings. Only those in the window exist. */
export function TurnOutline({ detail }: { detail: TrajectoryDetail }) {
  const turns = useMemo(() => turnCoverage(detail), [detail])
  if (turns.length > 0) return <Turns detail={detail} turns={turns} />
  return (
    <nav className="outline" aria-label="Turns">
      <p className="quiet outline-none">No turn frame was found in the ids.</p>
    </nav>
  )
}

function Turns({ detail, turns }: { detail: TrajectoryDetail; turns: readonly TurnCoverage[] }) {
  const token = useSelection((state) => state.token)
  const current = token === null ? -1 : turnOf(detail, token)
  const scroller = useRef<HTMLElement>(null)
  const isMasked = useMemo(() => turns.some(({ turn }) => trainedShare(detail, turn) !== null), [detail, turns])
  const rows = useRowWindow(scroller, {
    count: turns.length,
    rowHeight: TURN_HEIGHT,
    headHeight: isMasked ? HEAD_HEIGHT : 0,
    name: `turns of ${detail.run} ${detail.index}`,
    room: OUTLINE,
  })
  const { reveal } = rows
  useEffect(() => {
    if (current >= 0) reveal(current)
  }, [current, reveal])
  /** The turn that has the focus. */
  const [focused, setFocused] = useState<number | null>(null)
  const stop = focused ?? Math.max(0, current)
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const target = keyTarget(event, stop, turns.length, rows)
    if (target === null) return
    event.preventDefault()
    flushSync(() => {
      reveal(target)
      setFocused(target)
    })
    scroller.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true })
  }
  return (
    <nav ref={scroller} className="outline" aria-label="Turns">
      {isMasked && <p className="outline-head">tokens · trained</p>}
      <ol style={{ height: rows.height }} onKeyDown={press} onBlur={() => setFocused(null)}>
        {drawnTurns(rows, stop).map((turn) => (
          <li
            key={turn}
            aria-posinset={turn + 1}
            aria-setsize={turns.length}
            style={placeOf(turn, rows)}
            onFocus={() => setFocused(turn)}
          >
            <TurnButton
              {...(turns[turn] as TurnCoverage)}
              detail={detail}
              isCurrent={turn === current}
              isStop={turn === stop}
            />
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** Those in the window, and the one that the Tab key leads to: what has the focus keeps it wherever the list is scrolled. */
function drawnTurns({ first, end }: RowWindow, stop: number): number[] {
  const inWindow = Array.from({ length: end - first }, (_, k) => first + k)
  if (stop < first) return [stop, ...inWindow]
  return stop >= end ? [...inWindow, stop] : inWindow
}

function placeOf(turn: number, { rowHeight, shift }: RowWindow): CSSProperties {
  return { transform: `translateY(${turn * rowHeight + shift}px)` }
}

/** The turn that a key leads to; null for every other key. */
function keyTarget({ key }: KeyboardEvent, from: number, turns: number, rows: RowWindow): number | null {
  const page = rows.rowsInWindow()
  const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -turns, End: turns }
  const step = Object.hasOwn(steps, key) ? steps[key as keyof typeof steps] : null
  return step === null ? null : Math.max(0, Math.min(turns - 1, from + step))
}

/** How much of a turn is trained is counted where it is drawn: a rollout has many tokens in others. */
const TurnButton = memo(function TurnButton({
  detail,
  turn,
  worst,
  isCurrent,
  isStop,
}: TurnCoverage & { detail: TrajectoryDetail; isCurrent: boolean; isStop: boolean }) {
  const trained = useMemo(() => trainedShare(detail, turn), [detail, turn])
  const tokens = turn.end - turn.start
  const header = turn.header === 'missing' ? ['no header'] : []
  const inWords = [counted(tokens, 'token'), ...(trained === null ? [] : [`${percent(trained)} trained`]), ...header]
  const note = trained === null ? inWords : [count(tokens), percent(trained), ...header]
  return (
    <button
      type="button"
      tabIndex={isStop ? 0 : -1}
      className={`outline-turn ${turn.kind}`}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => jumpTo(turn.start, null)}
    >
      <span className="outline-index">{turn.index}</span>
      <span className="outline-role">{roleOf(turn)}</span>
      {worst !== null && (
        <span className={`severity ${worst}`}>
          <span aria-hidden="true">{SEVERITY_WORDS[worst].glyph}</span>
          <span className="visually-hidden">{SEVERITY_WORDS[worst].name}</span>
        </span>
      )}
      {trained !== null && (
        <span className="outline-bar" aria-hidden="true">
          <span style={{ width: `${trained * 100}%` }} />
        </span>
      )}
      <span className="outline-note" title={inWords.join(', ')}>
        {note.join(' · ')}
      </span>
    </button>
  )
})

export function roleOf(turn: Turn): string {
  const role = spelt(clipped(roleText(turn), 24))
  return turn.kind === 'tool' && turn.role === 'user' ? `${role} · tool reply` : role
}
