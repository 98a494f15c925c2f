import { type ClipboardEvent, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { flushSync } from 'react-dom'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { markedText } from '../../commands/copying.ts'
import { useIsPrinting } from '../../data/printing.ts'
import { useSelection } from '../../state/selection.ts'
import { keepTokenPlace, tokenPlaceOf } from '../../state/token-place.ts'
import { linesOnPaper } from '../../text/paper-words.ts'
import { spelt } from '../../text/visible.ts'
import { firstToken } from './edges.ts'
import { faultMap } from './faults.ts'
import { foldsOf } from './folds.ts'
import { GridLine } from './grid-line.tsx'
import { type LinesEnough, lineOf, NO_LINES, RowKind, spanOfLine } from './layout.ts'
import { LINE_HEIGHT, lineAt, lineTops } from './line-tops.ts'
import { FoldLine, LostLine, TokenLine, TurnLine } from './lines.tsx'
import { useNotedTokens } from './marks.tsx'
import { stateName, structureSays } from './oracles.ts'
import { revealedIn, revealPadding, useRevealed } from './revealed-padding.ts'
import { useRolloutPlace } from './rollout-place.ts'
import { innermostTags, tagOfLine } from './tag-bars.ts'
import { tokenText } from './token-text.ts'
import { titleToken } from './token-title.ts'
import { tokenWindow } from './token-window.ts'
import { useLineWindow } from './use-line-window.ts'
import { useTokenArea } from './use-token-area.ts'
import { useTokenDrag } from './use-token-drag.ts'
import { useTokenLayout } from './use-token-layout.ts'

/** Columns of text that a cell of the grid takes, its frame included. */
const GRID_COLUMNS = 12

/** Columns of text that stand side by side on a page of A4 within its margins, as on one of US letter, which is wider. */
const PAPER_COLUMNS = 80

/** The tokens, in natural flow or one to a cell. Only the lines in the window exist. */
export function TokenView({ detail, overlay }: { detail: TrajectoryDetail; overlay: Overlay | null }) {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  /** The first token in sight, and the one behind the last; null until something has been scrolled. */
  const seen = useRef<readonly [number, number] | null>(null)
  const area = useTokenArea(scroller)
  const mostColumns = useIsPrinting() ? PAPER_COLUMNS : Number.POSITIVE_INFINITY
  const columns = Math.min(area?.columns ?? 0, mostColumns)
  const place = useRolloutPlace()
  const isGrid = place.layout === 'grid'
  const tags = place.folded.join()
  const revealed = useRevealed((state) => revealedIn(state, detail))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are compared, not the list that holds them
  const folds = useMemo(() => foldsOf(detail, place, revealed), [detail, tags, place.isPaddingOpen, revealed])
  const perLine = Math.max(1, Math.floor(columns / GRID_COLUMNS))
  const jump = useSelection((state) => state.jump)
  const height = area?.height ?? 0
  const { layout, room, hasBeside, finish } = useTokenLayout({ detail, columns, perLine, folds, isGrid }, jump, () =>
    firstWindow(detail, jump, height),
  )
  const tops = useMemo(() => lineTops(layout, isGrid), [layout, isGrid])
  const faults = useMemo(() => faultMap(detail), [detail])
  const innermost = useMemo(() => innermostTags(detail), [detail])
  const token = useSelection((state) => state.token)
  const range = useSelection((state) => state.range)
  /** Where a jump leads, or where this rollout was left. */
  const goal = (): number => {
    const { token: selected } = useSelection.getState()
    // Lines that are broken anew leave the selected token in sight, where it was.
    const isSeen =
      selected !== null && seen.current !== null && selected >= seen.current[0] && selected < seen.current[1]
    const back = isSeen ? null : tokenPlaceOf(detail, jump)
    if (back !== null) return tops.topOf(lineOf(layout, back.token)) + back.below
    const line = lineOf(layout, tokenToShow(detail))
    return (tops.topOf(line) + tops.topOf(line + 1) - height) / 2
  }
  const { inSight, drawn, scrollTo, scrolled } = useLineWindow(scroller, tops, height, goal, hasBeside)
  const [firstInSight, lastInSight] = inSight
  const seenFrom = layout.tokens[firstInSight] ?? 0
  const seenTo = layout.tokens[lastInSight + 1] ?? detail.states.length
  useLayoutEffect(() => {
    if (layout !== NO_LINES) tokenWindow.set([seenFrom, seenTo])
  }, [layout, seenFrom, seenTo])
  useEffect(() => revealPadding(detail, range), [detail, range])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a jump scrolls once, whatever else is drawn again
  useLayoutEffect(() => {
    if (layout !== NO_LINES) scrollTo(goal())
  }, [jump, room])

  const heightBefore = useRef(height)
  // What takes room from the text hides no token that somebody looks at.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another height takes room; other lines have their own place above
  useLayoutEffect(() => {
    const before = heightBefore.current
    heightBefore.current = height
    const { token: selected } = useSelection.getState()
    if (scroller.current === null || layout === NO_LINES || selected === null || height >= before) return
    const line = lineOf(layout, selected)
    const above = Number.parseFloat(getComputedStyle(scroller.current).paddingTop)
    const [from, to, top] = [above + tops.topOf(line), above + tops.topOf(line + 1), scroller.current.scrollTop]
    if (from >= top && to <= top + before && to > top + height) scrollTo(to - height)
  }, [height])

  // What had the focus may be gone with the table; a text without focus cannot be scrolled by key.
  useEffect(() => {
    if (document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  }, [])

  const scroll = () => {
    const { scrollTop: top = 0, clientHeight = 0 } = scroller.current ?? {}
    if (top + clientHeight > tops.topOf(tops.count)) flushSync(finish)
    scrolled()
    keepPlace()
  }
  const keepPlace = () => {
    const { scrollTop: top = 0, clientHeight = 0 } = scroller.current ?? {}
    const first = layout.tokens[lineAt(tops, top)]
    if (first === undefined) return
    // A token of the last line is in sight as well.
    seen.current = [first, layout.tokens[lineAt(tops, top + clientHeight) + 1] ?? detail.states.length]
    const rollout = { run: detail.run, index: detail.index }
    keepTokenPlace({ rollout, token: first, below: top - tops.topOf(lineOf(layout, first)), jump })
  }
  // Who scrolled behind the lines of then stands among others now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only more lines tell of another place
  useEffect(() => {
    if (seen.current !== null) keepPlace()
  }, [layout])
  /** Beside a line of tokens its first or last one; over any other line the token on the side that is dragged from. */
  const nearest = (x: number, y: number, from: number): number | null => {
    const box = body.current?.getBoundingClientRect()
    if (box === undefined || layout.count === 0) return null
    const line = lineAt(tops, y - box.top)
    const first = layout.tokens[line] as number
    const next = layout.tokens[line + 1] ?? detail.states.length
    const isOver = layout.kinds[line] === RowKind.tokens ? x < box.left : first <= from
    const at = isOver ? first : layout.kinds[line] === RowKind.tokens ? next - 1 : first - 1
    return Math.max(0, Math.min(detail.states.length - 1, at))
  }
  const drag = useTokenDrag(scroller, nearest)
  const copy = (event: ClipboardEvent) => {
    const text = getSelection()?.isCollapsed === false ? null : markedText()
    if (text === null) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', text)
  }
  const label =
    token === null
      ? 'Tokens'
      : `Tokens. Token ${token}: ${spelt(tokenText(detail, token))}, ${stateName(detail, token)}${faults.isWrong(token) ? `, should be ${structureSays(detail, token)}` : ''}`
  const noted = useNotedTokens(detail)
  const [from, to] = drawn
  const paper = linesOnPaper(from + 1, to, layout.count)
  const dress = { detail, faults, overlay, noted }
  return (
    <section
      ref={scroller}
      className="tokens"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled and moved through with the keyboard
      tabIndex={0}
      {...drag}
      onPointerOver={(event) => titleToken(detail, event.target)}
      onCopy={copy}
      onScroll={scroll}
    >
      {paper !== null && <p className="print-only">{paper}</p>}
      <div ref={body} className="tokens-body" style={{ height: tops.total }}>
        {Array.from({ length: to - from }, (_, k) => from + k).map((line) => {
          const ref = layout.refs[line] as number
          const kind = layout.kinds[line]
          const start = layout.tokens[line] as number
          const end = layout.tokens[line + 1] ?? detail.states.length
          // A line in the middle of a token has no token of its own.
          const tag = kind === RowKind.tokens ? tagOfLine(detail, innermost, start, Math.max(end, start + 1)) : null
          // A line that nothing is selected on stays as it is. Its last token may be one that the next line goes on with.
          const chosen = {
            token: token !== null && token >= start && token <= end ? token : null,
            range: range !== null && range[0] <= end && range[1] > start ? range : null,
          }
          return (
            <div key={line} className="line-place" style={{ transform: `translateY(${tops.topOf(line)}px)` }}>
              {tag !== null && <span className={`tag-bar tag-${tag}`} title={`<${tag}>`} />}
              {kind === RowKind.turn && <TurnLine detail={detail} turn={ref} />}
              {kind === RowKind.lost && <LostLine detail={detail} gap={ref} />}
              {kind === RowKind.fold && <FoldLine detail={detail} fold={folds[ref]} token={token} />}
              {kind === RowKind.tokens &&
                (isGrid ? (
                  <GridLine {...dress} {...chosen} from={start} to={end} perLine={perLine} />
                ) : (
                  <TokenLine {...dress} {...chosen} {...spanOfLine(detail.states.length, layout, line)} />
                ))}
            </div>
          )
        })}
      </div>
    </section>
  )
}

/** The token that is shown where nobody has scrolled. */
function tokenToShow(detail: TrajectoryDetail): number {
  const { token } = useSelection.getState()
  return Math.min(token ?? firstToken(detail), Math.max(0, detail.states.length - 1))
}

/** The lines that the first window may show, wherever it begins. */
function firstWindow(detail: TrajectoryDetail, jump: number, height: number): LinesEnough {
  const back = tokenPlaceOf(detail, jump)
  const below = Math.max(0, back?.below ?? 0) + height
  return { token: back?.token ?? tokenToShow(detail), behind: Math.ceil(below / LINE_HEIGHT) + 3 }
}
