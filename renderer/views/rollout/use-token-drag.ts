import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { selectToken, selectUpTo } from '../../state/selection.ts'

/** Share of what the pointer is beyond an edge by which the tokens are scrolled in a frame, and the most of that, in pixels. */
const SCROLLED_SHARE = 0.3
const MOST_SCROLLED = 60

function tokenUnder(target: EventTarget | null): number | null {
  const token = (target as Element | null)?.closest?.<HTMLElement>('[data-token]')?.dataset.token
  return token === undefined ? null : Number(token)
}

interface Drag {
  /** The token that was pressed. */
  readonly from: number
  readonly pointer: number
  /** Whether it has left that token, or come back to it. */
  marks: boolean
  x: number
  y: number
}

/**
 * Marks tokens by dragging over them, and by a click with Shift. Beyond an edge the tokens scroll on. With Alt the browser selects text as it does
 * elsewhere.
 *
 * @param nearest the token at a height of the window where the pointer is over none: the last one of the line where it is right of `x`
 */
export function useTokenDrag(
  scroller: RefObject<HTMLElement | null>,
  nearest: (x: number, y: number, from: number) => number | null,
) {
  const drag = useRef<Drag | null>(null)
  const frame = useRef(0)
  useEffect(() => () => cancelAnimationFrame(frame.current), [])

  const mark = ({ from, x, y }: Drag) => {
    const box = scroller.current?.getBoundingClientRect()
    if (box === undefined) return
    const within = Math.max(box.top + 1, Math.min(box.bottom - 2, y))
    const under = document.elementFromPoint(Math.max(box.left + 1, Math.min(box.right - 2, x)), within)
    const at = (scroller.current?.contains(under) ? tokenUnder(under) : null) ?? nearest(x, within, from)
    if (at !== null) selectUpTo(at)
  }
  /** Goes on as long as the pointer is beyond an edge, also where it is held still. */
  const scrollOn = () => {
    frame.current = requestAnimationFrame(() => {
      const held = drag.current
      const element = scroller.current
      if (held === null || element === null) return
      const { top, bottom } = element.getBoundingClientRect()
      const beyond = held.y < top ? held.y - top : Math.max(0, held.y - bottom)
      if (beyond === 0) return
      element.scrollTop += Math.sign(beyond) * Math.min(MOST_SCROLLED, Math.ceil(Math.abs(beyond) * SCROLLED_SHARE))
      mark(held)
      scrollOn()
    })
  }
  const end = () => {
    drag.current = null
    cancelAnimationFrame(frame.current)
  }
  return {
    // Else the browser would select text, and drag it.
    onMouseDown(event: MouseEvent) {
      if (event.button !== 0 || event.altKey || tokenUnder(event.target) === null) return
      event.preventDefault()
      scroller.current?.focus({ preventScroll: true })
    },
    onPointerDown(event: PointerEvent) {
      const from = tokenUnder(event.target)
      // A finger scrolls.
      if (event.button !== 0 || event.altKey || event.shiftKey || event.pointerType === 'touch' || from === null) return
      drag.current = { from, pointer: event.pointerId, marks: false, x: event.clientX, y: event.clientY }
    },
    onPointerMove(event: PointerEvent) {
      const held = drag.current
      if (held === null || held.pointer !== event.pointerId) return
      held.x = event.clientX
      held.y = event.clientY
      if (!held.marks) {
        if (tokenUnder(event.target) === held.from) return
        held.marks = true
        scroller.current?.setPointerCapture(event.pointerId)
        selectToken(held.from)
      }
      mark(held)
      cancelAnimationFrame(frame.current)
      scrollOn()
    },
    onPointerUp: end,
    onLostPointerCapture: end,
    onClick(event: MouseEvent) {
      const at = tokenUnder(event.target)
      if (at === null || event.altKey) return
      if (event.shiftKey) selectUpTo(at)
      else selectToken(at)
    },
  }
}
