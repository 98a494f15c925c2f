import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import type { BoundaryRow, TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { useBoundaries } from '../../data/boundaries.ts'
import { useOverscan } from '../../data/printing.ts'
import { selectToken, useSelection } from '../../state/selection.ts'
import { ABSENT, count, counted, real } from '../../text/numbers.ts'
import { EdgeName } from '../verdicts/boundary-table.tsx'
import { type TurnEdge, turnEdges } from './edges.ts'
import { faultMap } from './faults.ts'
import { TokenGlyphs } from './lines.tsx'
import { disagrees, stateName, structureSays } from './oracles.ts'
import { overlayClass, overlayValue } from './overlay-dress.ts'
import { tokenText } from './token-text.ts'
import { tokenWindow } from './token-window.ts'

/** Tokens shown on either side of an edge. */
const AROUND = 6
/** A guess until an edge is drawn: how many lines it takes depends on the width. */
const EDGE_HEIGHT = 196

/** Every turn edge, six tokens on either side: where headers, end tokens, newlines and masks go wrong. */
export function BoundaryZoom({ detail, overlay }: { detail: TrajectoryDetail; overlay: Overlay | null }) {
  const edges = useMemo(() => turnEdges(detail), [detail])
  const { wrong } = useMemo(() => faultMap(detail), [detail])
  const overall = useBoundaries(detail.run)
  const scroller = useRef<HTMLDivElement>(null)
  const jump = useSelection((state) => state.jump)
  const overscan = useOverscan(3)
  const virtual = useVirtualizer({
    count: edges.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => EDGE_HEIGHT,
    overscan,
    onChange: ({ range }) => {
      const first = edges[range?.startIndex ?? 0]
      const last = edges[range?.endIndex ?? 0]
      if (first !== undefined && last !== undefined) {
        tokenWindow.set([Math.max(0, first.at - AROUND), Math.min(detail.states.length, last.at + AROUND)])
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
              <OverTheDump row={overall.find((row) => row.boundary === edge.boundary)} />
              <EdgeTokens detail={detail} edge={edge} overlay={overlay} wrong={wrong} />
            </section>
          )
        })}
      </div>
    </section>
  )
}

/** The same kind of edge over the whole dump, so that a systematic fault is seen as one. */
function OverTheDump({ row }: { row: BoundaryRow | undefined }) {
  if (row === undefined) return null
  return (
    <p className="zoom-overall">
      whole dump, {counted(row.edges, 'such edge')}:{' '}
      {SHARES.map(([name, wrong]) => {
        const { right, of } = row.counts[name]
        const missing = of - right
        return (
          <span key={name} className={missing > 0 ? 'zoom-share bad' : 'zoom-share'}>
            {of === 0
              ? `${NAMES[name]} ${ABSENT}`
              : missing === 0
                ? `${NAMES[name]} ✓`
                : `▲ ${wrong}: ${count(missing)} of ${count(of)}`}
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
  ['mask', 'mask wrong'],
] as const

function EdgeTokens({
  detail,
  edge,
  overlay,
  wrong,
}: {
  detail: TrajectoryDetail
  edge: TurnEdge
  overlay: Overlay | null
  wrong: Uint8Array | null
}) {
  const selected = useSelection((state) => state.token)
  const from = Math.max(0, edge.at - AROUND)
  const { length } = detail.states
  const to = Math.min(length, edge.at + AROUND)
  const tokens = Array.from({ length: to - from }, (_, k) => from + k)
  const { sampler, trainer } = detail.logprobs
  const hasDelta = sampler !== null && trainer !== null
  return (
    <div className="zoom-scroll">
      <table className="zoom-table">
        <tbody>
          <tr>
            <th scope="row">text</th>
            {tokens.map((token) => (
              <td key={token} className={edgeClass(token, edge, length)}>
                <button
                  type="button"
                  className={`zoom-token token ${overlay === null ? `${stateName(detail, token)}${wrong?.[token] === 1 ? ' wrong' : ''}` : overlayClass(overlay, token)}${token === selected ? ' selected' : ''}`}
                  title={`Token ${token}`}
                  onClick={() => selectToken(token)}
                >
                  <TokenGlyphs text={tokenText(detail, token)} />
                </button>
              </td>
            ))}
          </tr>
          <tr className="zoom-ids">
            <th scope="row">id</th>
            {tokens.map((token) => (
              <td key={token} className={edgeClass(token, edge, length)}>
                {detail.ids?.[token]}
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">mask</th>
            {tokens.map((token) => (
              <td key={token} className={edgeClass(token, edge, length)}>
                {stateName(detail, token)}
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">expected</th>
            {tokens.map((token) => (
              <td
                key={token}
                className={`${edgeClass(token, edge, length)}${disagrees(detail, token) ? ' wrong' : ''}`}
              >
                {disagrees(detail, token) && (
                  <span role="img" aria-label="differs">
                    ▲{' '}
                  </span>
                )}
                {structureSays(detail, token) ?? ABSENT}
              </td>
            ))}
          </tr>
          {overlay !== null && (
            <tr>
              <th scope="row">{overlay.title}</th>
              {tokens.map((token) => (
                <td key={token} className={edgeClass(token, edge, length)}>
                  {overlayValue(overlay, token)}
                </td>
              ))}
            </tr>
          )}
          {hasDelta && overlay?.id !== 'delta' && (
            <tr>
              <th scope="row">Δ logprob</th>
              {tokens.map((token) => {
                const delta = (trainer[token] ?? Number.NaN) - (sampler[token] ?? Number.NaN)
                return (
                  <td key={token} className={edgeClass(token, edge, length)}>
                    {Number.isNaN(delta) ? ABSENT : real(delta)}
                  </td>
                )
              })}
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

/** The line of the edge stands before the first token behind it; where there is none, behind the last one. */
function edgeClass(token: number, edge: TurnEdge, length: number): string {
  if (token === edge.at) return 'at-edge'
  return edge.at === length && token === length - 1 ? 'before-edge' : ''
}
