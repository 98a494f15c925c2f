import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useEffect, useMemo, useRef } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { useOverscan } from '../../data/printing.ts'
import { selectToken, useSelection } from '../../state/selection.ts'
import { keepTokenPlace, tokenPlaceOf } from '../../state/token-place.ts'
import { linesOnPaper } from '../../text/paper-words.ts'
import { spelt } from '../../text/visible.ts'
import { faultMap } from './faults.ts'
import { foldsOf, isInPadding } from './folds.ts'
import { GridLine } from './grid-line.tsx'
import { layOut, layOutGrid, lineOf, RowKind } from './layout.ts'
import { FoldLine, LostLine, TokenLine, TurnLine } from './lines.tsx'
import { useNotedTokens } from './marks.tsx'
import { stateName, structureSays } from './oracles.ts'
import { openPadding, useRolloutPlace } from './rollout-place.ts'
import { innermostTags, tagOfLine } from './tag-bars.ts'
import { tokenText } from './token-text.ts'
import { tokenWindow } from './token-window.ts'
import { useColumns } from './use-columns.ts'

const LINE_HEIGHT = 24
const GRID_HEIGHT = 46
/** Columns of text that a cell of the grid takes, its frame included. */
const GRID_COLUMNS = 12

/** The tokens, in natural flow or one to a cell. Only the lines in the window exist. */
export function TokenView({ detail, overlay }: { detail: TrajectoryDetail; overlay: Overlay | null }) {
  const scroller = useRef<HTMLDivElement>(null)
  /** First and last token in sight; null until something has been scrolled. */
  const seen = useRef<readonly [number, number] | null>(null)
  const columns = useColumns(scroller)
  const place = useRolloutPlace()
  const isGrid = place.layout === 'grid'
  const tags = place.folded.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are compared, not the list that holds them
  const folds = useMemo(() => foldsOf(detail, place), [detail, tags, place.isPaddingOpen])
  const perLine = Math.max(1, Math.floor(columns / GRID_COLUMNS))
  const layout = useMemo(
    () => (isGrid ? layOutGrid(detail, perLine, folds) : layOut(detail, columns, folds)),
    [detail, columns, perLine, folds, isGrid],
  )
  const faults = useMemo(() => faultMap(detail), [detail])
  const innermost = useMemo(() => innermostTags(detail), [detail])
  const token = useSelection((state) => state.token)
  const range = useSelection((state) => state.range)
  const jump = useSelection((state) => state.jump)
  const overscan = useOverscan(10)
  const heightOf = (line: number) => (isGrid && layout.kinds[line] === RowKind.tokens ? GRID_HEIGHT : LINE_HEIGHT)
  const virtual = useVirtualizer({
    count: layout.count,
    getScrollElement: () => scroller.current,
    estimateSize: heightOf,
    overscan,
    onChange: (instance) => {
      const shown = instance.range
      if (shown === null) return
      const last =
        shown.endIndex + 1 < layout.count ? (layout.tokens[shown.endIndex + 1] as number) : detail.states.length
      tokenWindow.set([layout.tokens[shown.startIndex] ?? 0, last])
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights are known from the layout alone
  useEffect(() => virtual.measure(), [layout])
  // biome-ignore lint/correctness/useExhaustiveDependencies: who folds it again while the span is marked wants it folded
  useEffect(() => {
    const { range: marked } = useSelection.getState()
    if (marked !== null && isInPadding(detail, marked)) openPadding(true)
  }, [jump])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a jump scrolls once, whatever else is drawn again
  useEffect(() => {
    const { token: target } = useSelection.getState()
    // Lines that are broken anew leave the selected token in sight, where it was.
    const isSeen = target !== null && seen.current !== null && target >= seen.current[0] && target < seen.current[1]
    const back = isSeen ? null : tokenPlaceOf(detail, jump)
    if (back !== null) virtual.scrollToOffset(startOf(lineOf(layout, back.token)) + back.below)
    else if (target !== null) virtual.scrollToIndex(lineOf(layout, target), { align: 'center' })
  }, [jump, layout])

  // What had the focus may be gone with the table; a text without focus cannot be scrolled by key.
  useEffect(() => {
    if (document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  }, [])

  /** Where a line begins, before it is drawn. */
  const startOf = (line: number) => {
    let start = 0
    for (let above = 0; above < line; above++) start += heightOf(above)
    return start
  }
  const keepPlace = () => {
    const { scrollTop: top = 0, clientHeight: height = 0 } = scroller.current ?? {}
    const line = virtual.getVirtualItemForOffset(top)?.index
    const last = virtual.getVirtualItemForOffset(top + height)?.index
    if (line === undefined || last === undefined) return
    const first = layout.tokens[line] as number
    seen.current = [first, layout.tokens[last] as number]
    const rollout = { run: detail.run, index: detail.index }
    keepTokenPlace({ rollout, token: first, below: top - startOf(lineOf(layout, first)), jump })
  }
  const click = (event: MouseEvent) => {
    const target = (event.target as HTMLElement).closest<HTMLElement>('[data-token]')
    if (target?.dataset.token !== undefined) selectToken(Number(target.dataset.token))
  }
  const label =
    token === null
      ? 'Tokens'
      : `Tokens. Token ${token}: ${spelt(tokenText(detail, token))}, ${stateName(detail, token)}${faults.wrong?.[token] === 1 ? `, should be ${structureSays(detail, token)}` : ''}`
  const noted = useNotedTokens(detail)
  const items = virtual.getVirtualItems()
  const paper = linesOnPaper((items[0]?.index ?? 0) + 1, (items.at(-1)?.index ?? -1) + 1, layout.count)
  const drawn = { detail, layout, token, range, faults, overlay, noted }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: h, l and the arrow keys move the selection
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled and moved through with the keyboard
    <section ref={scroller} className="tokens" aria-label={label} tabIndex={0} onClick={click} onScroll={keepPlace}>
      {paper !== null && <p className="print-only">{paper}</p>}
      <div className="tokens-body" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const line = item.index
          const ref = layout.refs[line] as number
          const kind = layout.kinds[line]
          const from = layout.tokens[line] as number
          const to = line + 1 < layout.count ? (layout.tokens[line + 1] as number) : detail.states.length
          // A line in the middle of a token has no token of its own.
          const tag = kind === RowKind.tokens ? tagOfLine(detail, innermost, from, Math.max(to, from + 1)) : null
          return (
            <div key={line} className="line-place" style={{ transform: `translateY(${item.start}px)` }}>
              {tag !== null && <span className={`tag-bar tag-${tag}`} title={`<${tag}>`} />}
              {kind === RowKind.turn && <TurnLine detail={detail} turn={ref} />}
              {kind === RowKind.lost && <LostLine detail={detail} gap={ref} />}
              {kind === RowKind.fold && <FoldLine detail={detail} fold={folds[ref]} token={token} />}
              {kind === RowKind.tokens &&
                (isGrid ? <GridLine {...drawn} line={line} perLine={perLine} /> : <TokenLine {...drawn} line={line} />)}
            </div>
          )
        })}
      </div>
    </section>
  )
}
