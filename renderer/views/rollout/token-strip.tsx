import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useMemo, useRef } from 'react'
import { TOKEN_STATE_NAMES } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { useObservable } from '../../data/observable.ts'
import { jumpTo, useSelection } from '../../state/selection.ts'
import { spelt } from '../../text/visible.ts'
import { FAULT_NAMES, faultMap } from './faults.ts'
import { stateName } from './oracles.ts'
import {
  columnFaults,
  columnStates,
  runsOf,
  SEVERITY_HEIGHT,
  STATE_HEIGHT,
  type StripColours,
  stripColours,
} from './strip-drawing.ts'
import { tokenText } from './token-text.ts'
import { tokenWindow } from './token-window.ts'
import { sizedContext, useScheme, useWidth } from './use-canvas.ts'

const HEIGHT = 34
const FAULT_HEIGHT = 7

/** By which the width of the strip is known before it is drawn. */
export const STRIP = 'strip'

/** The whole rollout in one line: states, findings, lost text, and the part that is on screen. */
export function TokenStrip({ detail }: { detail: TrajectoryDetail }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas, STRIP)
  const window = useObservable(tokenWindow)
  const token = useSelection((state) => state.token)
  const scheme = useScheme()
  const length = detail.states.length
  const columns = useMemo(() => columnStates(detail.states, width), [detail, width])
  const faults = useMemo(() => columnFaults(faultMap(detail), detail.states.length, width), [detail, width])

  // With the frame that the tokens come in.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours change with the scheme
  useLayoutEffect(() => {
    const element = canvas.current
    if (element !== null && width > 0) draw(element, width, { detail, columns, faults, window, token })
  }, [detail, columns, faults, window, token, width, scheme])

  const go = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))
    jumpTo(Math.min(length - 1, Math.floor(share * length)))
  }
  const press = (event: KeyboardEvent) => {
    // That marks tokens, wherever the focus is.
    if (event.shiftKey) return
    const at = token ?? 0
    const page = Math.max(1, Math.round(length / 20))
    const target = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      PageUp: at - page,
      PageDown: at + page,
      Home: 0,
      End: length - 1,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    jumpTo(Math.max(0, Math.min(length - 1, target)))
  }
  return (
    <div className="token-strip">
      <canvas
        ref={canvas}
        role="slider"
        tabIndex={0}
        aria-label="Position in the rollout"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, length - 1)}
        aria-valuenow={token ?? 0}
        aria-valuetext={
          token === null || token >= length
            ? 'no token selected'
            : `token ${token}, ${stateName(detail, token)}, ${spelt(tokenText(detail, token))}`
        }
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          go(event)
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) go(event)
        }}
        onKeyDown={press}
      />
    </div>
  )
}

interface Drawing {
  readonly detail: TrajectoryDetail
  readonly columns: Uint8Array
  readonly faults: Uint8Array
  readonly window: readonly [number, number]
  readonly token: number | null
}

function draw(element: HTMLCanvasElement, width: number, drawing: Drawing): void {
  const context = sizedContext(element, width, HEIGHT)
  if (context === null) return
  const colours = stripColours(element)
  const { detail, columns, faults } = drawing
  const length = Math.max(1, detail.states.length)
  const x = (token: number) => (token / length) * width
  const room = HEIGHT - FAULT_HEIGHT - 2
  for (const [from, to] of runsOf(columns)) {
    const name = TOKEN_STATE_NAMES[columns[from] as number] ?? 'unknown'
    const height = room * STATE_HEIGHT[name]
    context.fillStyle = colours[name]
    context.fillRect(from, HEIGHT - height, to - from, height)
  }
  for (const [from, to] of runsOf(faults)) {
    const fault = FAULT_NAMES[faults[from] as number]
    if (!fault) continue
    context.fillStyle = colours[fault]
    const height = FAULT_HEIGHT * SEVERITY_HEIGHT[fault]
    context.fillRect(from, FAULT_HEIGHT - height, to - from + 0.5, height)
  }
  drawTurns(context, drawing, colours, x)
  context.strokeStyle = colours.window
  context.lineWidth = 1.5
  const [from, to] = drawing.window
  if (to > from)
    context.strokeRect(x(from) + 0.75, FAULT_HEIGHT + 1, Math.max(2, x(to) - x(from)) - 1.5, HEIGHT - FAULT_HEIGHT - 2)
  if (drawing.token !== null) {
    context.fillStyle = colours.selected
    context.fillRect(Math.max(0, x(drawing.token) - 1), 0, 2, HEIGHT)
  }
}

/** More edges than this would cover the states they are drawn over. */
const MOST_EDGES = 200

function drawTurns(
  context: CanvasRenderingContext2D,
  { detail }: Drawing,
  colours: StripColours,
  x: (token: number) => number,
): void {
  const turns = detail.segmentation?.turns ?? []
  context.fillStyle = colours.turn
  if (turns.length <= MOST_EDGES) {
    for (const turn of turns) context.fillRect(Math.round(x(turn.start)), FAULT_HEIGHT + 2, 1, HEIGHT)
  }
  context.fillStyle = colours.lost
  for (const gap of detail.lost) context.fillRect(Math.round(x(gap.at)) - 1, FAULT_HEIGHT + 2, 3, HEIGHT)
}
