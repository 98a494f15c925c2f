import { type PointerEvent, useEffect, useMemo, useRef } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { jumpTo, useSelection } from '../../state/selection.ts'
import { rough } from '../../text/numbers.ts'
import { bandsOf, type ColumnNumbers, columnNumbers, heightOf } from './chart-drawing.ts'
import { notesOn } from './overlay-legend.tsx'
import { columnStates } from './strip-drawing.ts'
import { sizedContext, useMedia, useScheme, useWidth } from './use-canvas.ts'

/** Pixels, as token-overlay.css has them: less in a window that has little room for tokens. */
const HEIGHT = 72
const LOW_HEIGHT = 40
const LOW_WINDOW = '(max-height: 780px)'
/** Room above and below, so that points at the ends of the scale are whole. */
const MARGIN = 5

/** The room of the chart, until its numbers are there. */
export function EmptyChart() {
  return (
    <figure className="position-chart">
      <canvas />
    </figure>
  )
}

/** The overlay's number against the position in the rollout, over the strip and in step with it. */
export function PositionChart({ detail, overlay }: { detail: TrajectoryDetail; overlay: Overlay }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const height = useMedia(LOW_WINDOW) ? LOW_HEIGHT : HEIGHT
  const scheme = useScheme()
  const token = useSelection((state) => state.token)
  const columns = useMemo(() => columnNumbers(overlay.values, width), [overlay, width])
  const states = useMemo(() => columnStates(detail.states, width), [detail, width])
  const { scale, title } = overlay

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the scheme
  useEffect(() => {
    const element = canvas.current
    if (element !== null && width > 0) draw(element, width, { detail, overlay, columns, states, token, height })
  }, [detail, overlay, columns, states, token, width, height, scheme])

  const go = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))
    jumpTo(Math.min(detail.states.length - 1, Math.floor(share * detail.states.length)))
  }
  const top = scale.kind === 'sequential' && scale.to < 0 ? scale.from : scale.to
  const bottom = scale.kind === 'sequential' && scale.to < 0 ? scale.to : scale.from
  return (
    <figure className="position-chart">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${title} by position, from ${rough(bottom)} to ${rough(top)}${scale.unit}. The strip below moves the selection.`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          go(event)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) go(event)
        }}
      />
      <figcaption>
        <span className="chart-top">
          {rough(top)}
          {scale.unit}{' '}
          <span className="quiet">
            {title}
            <span className="chart-notes"> · {notesOn(overlay)}</span>
          </span>
        </span>
        <span className="chart-key">
          <span className="chart-band prompt" aria-hidden="true" /> prompt
          <span className="chart-band masked" aria-hidden="true" /> masked
        </span>
        <span className="chart-bottom">
          {rough(bottom)}
          {scale.unit}
        </span>
      </figcaption>
    </figure>
  )
}

interface Drawing {
  readonly detail: TrajectoryDetail
  readonly overlay: Overlay
  readonly columns: ColumnNumbers
  readonly states: Uint8Array
  readonly token: number | null
  /** In CSS pixels. */
  readonly height: number
}

function draw(element: HTMLCanvasElement, width: number, drawing: Drawing): void {
  const { detail, overlay, columns, states, token, height } = drawing
  const context = sizedContext(element, width, height)
  if (context === null) return
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const length = Math.max(1, detail.states.length)
  const { scale } = overlay
  const y = (value: number) => height - MARGIN - heightOf(scale, value, height - 2 * MARGIN)
  for (const { kind, from, to } of bandsOf(states, promptEnd(detail), length)) {
    context.fillStyle = colour(kind === 'prompt' ? '--band-prompt' : '--band-masked')
    context.fillRect(from, 0, to - from, height)
  }
  context.fillStyle = colour('--line-strong')
  context.fillRect(0, Math.round(y(scale.centre)), width, 1)
  const above = colour('--scale-p-edge')
  const below = colour('--scale-n-edge')
  const mean = colour('--ink')
  for (let column = 0; column < width; column++) {
    const high = columns.greatest[column] as number
    if (Number.isNaN(high)) continue
    const low = columns.least[column] as number
    const middle = columns.mean[column] as number
    context.fillStyle = middle < scale.centre && scale.kind === 'diverging' ? below : above
    context.fillRect(column, y(high) - 0.5, 1, Math.max(1, y(low) - y(high) + 1))
    context.fillStyle = mean
    context.fillRect(column, y(middle) - 1, 1, 2)
  }
  if (token !== null) {
    context.fillStyle = colour('--strip-selected')
    context.fillRect(Math.max(0, (token / length) * width - 1), 0, 2, height)
  }
}

/** Where the model's first word stands. */
function promptEnd({ facts, segmentation }: TrajectoryDetail): number {
  const first = segmentation?.turns.find(({ kind }) => kind === 'assistant')
  return facts.promptLength ?? first?.contentStart ?? 0
}
