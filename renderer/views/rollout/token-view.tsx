import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useEffect, useMemo, useRef } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { selectToken, useSelection } from '../../state/selection.ts'
import { spelt } from '../../text/visible.ts'
import { faultMap } from './faults.ts'
import { layOut, lineOf, RowKind } from './layout.ts'
import { LostLine, TokenLine, TurnLine } from './lines.tsx'
import { stateName } from './oracles.ts'
import { tokenText } from './token-text.ts'
import { tokenWindow } from './token-window.ts'
import { useColumns } from './use-columns.ts'

const LINE_HEIGHT = 24

/** The tokens in natural flow. Only the lines in the window exist. */
export function TokenView({ detail }: { detail: TrajectoryDetail }) {
  const scroller = useRef<HTMLDivElement>(null)
  const columns = useColumns(scroller)
  const layout = useMemo(() => layOut(detail, columns), [detail, columns])
  const faults = useMemo(() => faultMap(detail), [detail])
  const token = useSelection((state) => state.token)
  const range = useSelection((state) => state.range)
  const jump = useSelection((state) => state.jump)
  const virtual = useVirtualizer({
    count: layout.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 10,
    onChange: (instance) => {
      const shown = instance.range
      if (shown === null) return
      const last =
        shown.endIndex + 1 < layout.count ? (layout.tokens[shown.endIndex + 1] as number) : detail.states.length
      tokenWindow.set([layout.tokens[shown.startIndex] ?? 0, last])
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a jump scrolls once, whatever else is drawn again
  useEffect(() => {
    const { token: target } = useSelection.getState()
    if (target !== null) virtual.scrollToIndex(lineOf(layout, target), { align: 'center' })
  }, [jump, layout])

  // What had the focus may be gone with the table; a text without focus cannot be scrolled by key.
  useEffect(() => {
    if (document.activeElement === document.body) scroller.current?.focus({ preventScroll: true })
  }, [])

  const click = (event: MouseEvent) => {
    const place = (event.target as HTMLElement).closest<HTMLElement>('[data-token]')
    if (place?.dataset.token !== undefined) selectToken(Number(place.dataset.token))
  }
  const label =
    token === null
      ? 'Tokens'
      : `Tokens. Token ${token}: ${spelt(tokenText(detail, token))}, ${stateName(detail, token)}`
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: h, l and the arrow keys move the selection
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled and moved through with the keyboard
    <section ref={scroller} className="tokens" aria-label={label} tabIndex={0} onClick={click}>
      <div className="tokens-body" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const line = item.index
          const ref = layout.refs[line] as number
          const kind = layout.kinds[line]
          return (
            <div key={line} className="line-place" style={{ transform: `translateY(${item.start}px)` }}>
              {kind === RowKind.turn && <TurnLine detail={detail} turn={ref} />}
              {kind === RowKind.lost && <LostLine detail={detail} gap={ref} />}
              {kind === RowKind.tokens && (
                <TokenLine detail={detail} layout={layout} line={line} token={token} range={range} faults={faults} />
              )}
            </div>
          )
        })}
      </div>
    </section>
  )
}
