import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { CheckResult } from '../../../shared/model/report.ts'
import type { BoundaryRow, TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { useBoundaries } from '../../data/boundaries.ts'
import { useOverscan } from '../../data/printing.ts'
import { usePaintedFrames } from '../../lists/use-painted-frames.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { useFiles } from '../../state/files.ts'
import { selectToken, useSelection } from '../../state/selection.ts'
import { ABSENT, count, counted, rough } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { EdgeName } from '../verdicts/boundary-table.tsx'
import { codesAt } from '../verdicts/edge-codes.ts'
import { type TurnEdge, turnEdges } from './edges.ts'
import { type FaultMap, faultMap } from './faults.ts'
import { TokenGlyphs } from './lines.tsx'
import { disagrees, stateName, structureSays } from './oracles.ts'
import { overlayClass, overlayValue } from './overlay-dress.ts'
import { tokenText } from './token-text.ts'
import { tokenWindow } from './token-window.ts'
import { useWidth } from './use-canvas.ts'
import { isWhole, type ZoomColumns, zoomColumns } from './zoom-columns.ts'

/** A guess until an edge is drawn: how many lines it takes depends on the width. */
const EDGE_HEIGHT = 196

/** Edges drawn above and below the window, once those in it are there. */
const BESIDE_WINDOW = 3

/** Every turn edge, six tokens on either side where there is room: where headers, end tokens, newlines and masks go wrong. */
export function BoundaryZoom({ detail, overlay }: { detail: TrajectoryDetail; overlay: Overlay | null }) {
  const edges = useMemo(() => turnEdges(detail), [detail])
  const faults = useMemo(() => faultMap(detail), [detail])
  const overall = useBoundaries(detail.run)
  const ownChecks = useFiles((files) => files.report?.checks ?? null)
  const checks = detail.run === 'open' ? ownChecks : null
  const scroller = useRef<HTMLDivElement>(null)
  useScrollFocus(scroller)
  const width = useWidth(scroller, 'zoom')
  const columns = useMemo(() => zoomColumns(detail, edges, width), [detail, edges, width])
  const jump = useSelection((state) => state.jump)
  const overscan = useOverscan(usePaintedFrames(1) > 0 ? BESIDE_WINDOW : 0)
  const virtual = useVirtualizer({
    count: edges.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => EDGE_HEIGHT,
    overscan,
    onChange: ({ range }) => {
      const first = edges[range?.startIndex ?? 0]
      const last = edges[range?.endIndex ?? 0]
      if (first !== undefined && last !== undefined) {
        const { around } = columns
        tokenWindow.set([Math.max(0, first.at - around), Math.min(detail.states.length, last.at + around)])
      }
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a jump scrolls once, whatever else is drawn again
  useEffect(() => {
    const { token } = useSelection.getState()
    if (token === null || edges.length === 0) return
    let nearest = 0
    for (const [position, edge] of edges.entries()) {
      if (Math.abs(edge.at - token) < Math.abs((edges[nearest] as TurnEdge).at - token)) nearest = position
    }
    virtual.scrollToIndex(nearest, { align: 'center' })
  }, [jump, edges])
  if (edges.length === 0) return <p className="nothing quiet">No edge between two turns was found in these ids.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the list is scrolled with the keyboard
    <section ref={scroller} className="zoom" aria-label="Turn edges" tabIndex={0}>
      <div className="zoom-body" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const edge = edges[item.index] as TurnEdge
          return (
            <section
              key={item.index}
              ref={virtual.measureElement}
              data-index={item.index}
              className="zoom-edge"
              style={{ transform: `translateY(${item.start}px)` }}
              aria-label={
                edge.after === null
                  ? `End of turn ${edge.before}, the last`
                  : `Edge from turn ${edge.before} to turn ${edge.after}`
              }
            >
              <h2>
                <span className="quiet">
                  {edge.before} → {edge.after ?? 'end'}
                </span>{' '}
                <EdgeName boundary={edge.boundary} />
              </h2>
              <OverTheDump row={overall.find((row) => row.boundary === edge.boundary)} checks={checks} />
              <EdgeTokens detail={detail} edge={edge} columns={columns} overlay={overlay} faults={faults} />
            </section>
          )
        })}
      </div>
    </section>
  )
}

/**
 * The same kind of edge over the whole dump, so that a systematic fault is seen as one.
 *
 * @param checks tell what is a fault; null of a run of which they are not known here: all that differs is shown as one
 */
function OverTheDump({ row, checks }: { row: BoundaryRow | undefined; checks: readonly CheckResult[] | null }) {
  if (row === undefined) return null
  return (
    <p className="zoom-overall">
      whole dump, {counted(row.edges, 'such edge')}:{' '}
      {SHARES.map(([name, wrong]) => {
        const { right, of } = row.counts[name]
        const missing = of - right
        const isFault = missing > 0 && (checks === null || codesAt(checks, row.boundary, name).length > 0)
        return (
          <span key={name} className={isFault ? 'zoom-share bad' : 'zoom-share'}>
            {of === 0
              ? `${NAMES[name]} ${ABSENT}`
              : missing === 0
                ? `${NAMES[name]} ✓`
                : `${isFault ? '✗ ' : ''}${wrong}: ${count(missing)} of ${count(of)}${isFault ? '' : ', no fault'}`}
          </span>
        )
      })}
    </p>
  )
}

const NAMES = { header: 'header', end: 'end token', newline: 'newline', mask: 'mask' } as const

const SHARES = [
  ['header', 'header missing'],
  ['end', 'end token missing'],
  ['newline', 'newline missing after end'],
  ['mask', 'mask not as expected'],
] as const

/** The edge stands in the middle, and what lies before the row or behind it is an empty cell, so that edges can be compared down the page. */
function EdgeTokens({
  detail,
  edge,
  columns,
  overlay,
  faults,
}: {
  detail: TrajectoryDetail
  edge: TurnEdge
  columns: ZoomColumns
  overlay: Overlay | null
  faults: FaultMap
}) {
  const selected = useSelection((state) => state.token)
  const { length } = detail.states
  const { around } = columns
  const tokens = Array.from({ length: 2 * around }, (_, k) => edge.at - around + k)
  const { sampler, trainer } = detail.logprobs
  const hasDelta = sampler !== null && trainer !== null
  const dressOf = (token: number) => {
    const dress = overlay === null ? stateName(detail, token) : overlayClass(overlay, token)
    return `zoom-token token ${dress}${overlay === null && faults.isWrong(token) ? ' wrong' : ''}${isWhole(detail, token) ? ' special' : ''}${token === selected ? ' selected' : ''}`
  }
  const row = (name: string, cell: (token: number) => ReactNode, { className = '', unit = '' } = {}) => (
    <tr className={className}>
      <th scope="row">
        {name} {unit}
      </th>
      {tokens.map((token) => {
        const isHere = token >= 0 && token < length
        const isWrong = name === 'expected' && isHere && disagrees(detail, token)
        return (
          <td key={token} className={`${token === edge.at ? 'at-edge' : ''}${isWrong ? ' wrong' : ''}`}>
            {isHere && cell(token)}
          </td>
        )
      })}
    </tr>
  )
  return (
    <div ref={toEdge} className="zoom-scroll" style={sidesStyle(columns)}>
      <table className="zoom-table">
        <colgroup>
          <col />
          {tokens.map((token, position) => (
            <col key={token} style={columnStyle(columns, edge, position)} />
          ))}
        </colgroup>
        <tbody>
          {row('text', (token) => (
            <button
              type="button"
              className={dressOf(token)}
              title={`Token ${token}: ${spelt(tokenText(detail, token))}`}
              onClick={() => selectToken(token)}
            >
              <TokenGlyphs text={tokenText(detail, token)} />
            </button>
          ))}
          {row('id', (token) => detail.ids?.[token], { className: 'zoom-ids' })}
          {row('mask', (token) => breakable(stateName(detail, token)))}
          {row('expected', (token) => (
            <>
              {disagrees(detail, token) && (
                <span role="img" aria-label="differs">
                  ▲{' '}
                </span>
              )}
              {breakable(structureSays(detail, token) ?? ABSENT)}
            </>
          ))}
          {overlay !== null &&
            row(overlay.title, (token) => overlayValue(overlay, token), { unit: overlay.scale.unit.trim() })}
          {hasDelta &&
            overlay?.id !== 'delta' &&
            row(
              'Δ\u00a0logprob',
              (token) => {
                const delta = (trainer[token] ?? Number.NaN) - (sampler[token] ?? Number.NaN)
                return Number.isNaN(delta) ? ABSENT : shortDelta(delta)
              },
              { unit: 'nats' },
            )}
        </tbody>
      </table>
    </div>
  )
}

/** The longest states break behind their first syllable, where columns are narrow, instead of running into each other. */
function breakable(state: string): string {
  return state.replace(/^un(?=known|decided)/, 'un\u00ad')
}

/** In two digits, of what is below a hundredth of a nat one: they stand close beside each other. */
function shortDelta(delta: number): string {
  return rough(Math.abs(delta) < 0.01 ? Number(delta.toPrecision(1)) : delta)
}

function sidesStyle({ sides: [left, right] }: ZoomColumns): CSSProperties {
  return { '--zoom-left': left, '--zoom-right': right } as CSSProperties
}

/** What a side has beyond the least of its columns goes to the words that lack it, and what is left then to all alike. */
function columnStyle(columns: ZoomColumns, edge: TurnEdge, position: number): CSSProperties {
  const { least, wanted, side } = columns.column(edge, position)
  const spare = `(var(--zoom-${position < columns.around ? 'left' : 'right'}-side) - ${side.least} * var(--zoom-char))`
  const lacking = `${side.wanted} * var(--zoom-char)`
  const share = side.wanted === 0 ? 0 : wanted / side.wanted
  return {
    width: `calc(${least} * var(--zoom-char) + ${share} * min(${spare}, ${lacking}) + max(0px, ${spare} - ${lacking}) / ${columns.around})`,
  }
}

/** Drawn in this frame, and not yet scrolled. */
const justDrawn = new Set<HTMLElement>()

/** Where not all tokens fit, those at the edge are what one came for. */
function toEdge(element: HTMLElement | null): void {
  if (element === null) return
  if (justDrawn.size === 0) queueMicrotask(scrollToEdges)
  justDrawn.add(element)
}

/** All are measured before the first is scrolled: in turns, each of them would have the page laid out anew. */
function scrollToEdges(): void {
  const places = [...justDrawn].flatMap((element) => {
    const edge = element.querySelector<HTMLElement>('.at-edge')
    const isWhole = edge === null || element.scrollWidth <= element.clientWidth
    return isWhole ? [] : [{ element, left: edge.offsetLeft - element.clientWidth / 2 }]
  })
  justDrawn.clear()
  for (const { element, left } of places) element.scrollLeft = left
}
