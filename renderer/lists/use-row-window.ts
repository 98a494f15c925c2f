import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { keepScroll, keptScroll } from '../state/kept.ts'
import { Flight } from './flight.ts'
import { keepSize, knownSize, observeSize } from './known-size.ts'
import { baseAfter, type DrawnRows, slotOf } from './row-slots.ts'
import { barOf, furthest, scrollScale, topAfter } from './scroll-scale.ts'
import { usePaintedFrames } from './use-painted-frames.ts'

/** Rows beyond the edges of the window, so that a step of the wheel shows no gap. */
const BESIDE = 10
/** A bar rests once it has not moved for so long (milliseconds). */
const REST = 250

export interface RowWindow {
  /** The rows to draw: from `first` to below `end`. */
  readonly first: number
  readonly end: number
  readonly rowHeight: number
  /** To be added to `row * rowHeight` for the row's place in what is drawn. */
  readonly shift: number
  /** The bar is being dragged along so fast that no row stays to be read. */
  readonly isFlying: boolean
  /** Key of the element that draws a row. Elements are used again for other rows, which spares making them anew. */
  slotOf(row: number): number
  /** Height of what is drawn. */
  readonly height: number
  /** Scrolls as little as it takes to show the row whole. */
  reveal(row: number): void
  /** Rows that fit in the window whole, at least one. */
  rowsInWindow(): number
}

interface Drawn extends DrawnRows {
  readonly shift: number
}

/**
 * Which of very many rows of one height are in a scrolling element. The element has a head of `headHeight` that stays at its top, and
 * below it something of the returned height.
 */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  {
    count,
    rowHeight,
    headHeight,
    name,
    room = null,
  }: {
    readonly count: number
    readonly rowHeight: number
    readonly headHeight: number
    /** By which it is found where it was, when it comes back. */
    readonly name: string
    /** By which its height is known before it is drawn: the frame that somebody waits for is drawn once then, with the rows that are seen in it. */
    readonly room?: string | null
  },
): RowWindow {
  const [top] = useState(() => keptScroll(name))
  const [opening] = useState(() => (room === null || top > 0 ? null : knownSize<number>(room)))
  const [drawn, setDrawn] = useState<Drawn>(() => {
    const end = opening === null ? 0 : Math.min(count, Math.ceil((opening - headHeight) / rowHeight))
    return { first: 0, end, base: 0, shift: 0 }
  })
  const [viewport, setViewport] = useState(opening ?? 0)
  const [isFlying, setIsFlying] = useState(false)
  /** Rows beside those in sight follow in the frame behind the first one. */
  const painted = usePaintedFrames(1)
  const hasBeside = opening === null || painted > 0
  /** `wanted` is where a person was; `top` may be less while the window is too high for it. */
  const at = useRef({ top, bar: 0, wanted: top })
  const counted = useRef(count)
  const scale = scrollScale(count * rowHeight, Math.max(rowHeight, viewport - headHeight))
  const flight = useRef<Flight | null>(null)
  const latest = useRef({ ...scale, count, name, viewport, hasBeside })
  latest.current = { ...scale, count, name, viewport, hasBeside }

  const show = useCallback(
    (top: number, bar: number, wanted = top) => {
      at.current = { top, bar, wanted }
      keepScroll(latest.current.name, wanted)
      const { window, count: rows, hasBeside } = latest.current
      // The next leap leads beyond these, too.
      const beside = flight.current?.isUnderWay || !hasBeside ? 0 : BESIDE
      const first = Math.max(0, Math.floor(top / rowHeight) - beside)
      const end = Math.min(rows, Math.ceil((top + window) / rowHeight) + beside)
      // To a 64th of a pixel: what is left of adding and taking away would move every row by nothing, and draw it anew.
      const shift = Math.round((bar - top) * 64) / 64
      setDrawn((before) =>
        before.first === first && before.end === end && before.shift === shift
          ? before
          : { first, end, base: baseAfter(before, first, end), shift },
      )
    },
    [rowHeight],
  )

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    return observeSize(element, {
      measure: () => element.clientHeight,
      set: (height) => {
        if (room !== null) keepSize(room, height)
        setViewport(height)
      },
      isShort: opening === null ? null : (height) => height > opening,
    })
  }, [scroller, room, opening])

  useEffect(() => {
    if (hasBeside && opening !== null) show(at.current.top, at.current.bar, at.current.wanted)
  }, [hasBeside, opening, show])

  const isDrawnFor = useRef(opening === null ? null : { count, viewport: opening })
  // Another number of rows or another height: the same place of the list, as far as it is still there.
  useLayoutEffect(() => {
    const element = scroller.current
    const first = isDrawnFor.current
    isDrawnFor.current = null
    if (element === null || (first?.count === count && first.viewport === viewport)) return
    // What stands above the list may come and go, and make its window lower again.
    const wanted = counted.current === count ? at.current.wanted : at.current.top
    counted.current = count
    const top = Math.min(wanted, furthest(latest.current).top)
    element.scrollTop = barOf(latest.current, top)
    show(top, element.scrollTop, wanted)
  }, [show, count, viewport, scroller])

  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    let resting: ReturnType<typeof setTimeout> | undefined
    const own = new Flight(setIsFlying, () => show(at.current.top, at.current.bar))
    flight.current = own
    const scroll = () => {
      const bar = element.scrollTop
      // A window that has grown moves its bar by itself, and is measured in a moment.
      if (bar === at.current.bar || element.clientHeight !== latest.current.viewport) return
      // While steps follow each other nothing is put right: every row would be drawn anew for it.
      clearTimeout(resting)
      resting = setTimeout(rest, REST)
      const top = topAfter(latest.current, at.current, bar)
      if (Math.abs(top - at.current.top) > latest.current.window) own.leap(performance.now())
      show(top, bar)
    }
    /** Small steps leave the bar behind or ahead of what it stands for; once it rests it is put right, and nothing moves. */
    const rest = () => {
      const { top, bar } = at.current
      if (latest.current.drawn === latest.current.total) return
      const right = barOf(latest.current, top)
      if (Math.abs(right - bar) < 1) return
      element.scrollTop = right
      flushSync(() => show(top, element.scrollTop))
    }
    element.addEventListener('scroll', scroll, { passive: true })
    return () => {
      element.removeEventListener('scroll', scroll)
      clearTimeout(resting)
      own.end()
    }
  }, [show, scroller])

  const reveal = useCallback(
    (row: number) => {
      const element = scroller.current
      if (element === null) return
      const { top } = at.current
      const { window } = latest.current
      const start = row * rowHeight
      const wanted = start < top ? start : start + rowHeight > top + window ? start + rowHeight - window : top
      // Who moves on is no longer where the list was before its window grew.
      if (wanted === top) return show(top, at.current.bar)
      element.scrollTop = barOf(latest.current, wanted)
      show(wanted, element.scrollTop)
    },
    [rowHeight, scroller, show],
  )
  const rowsInWindow = useCallback(() => Math.max(1, Math.floor(latest.current.window / rowHeight)), [rowHeight])
  const slots = Math.ceil(scale.window / rowHeight) + 2 * BESIDE + 2
  return {
    ...drawn,
    end: Math.min(drawn.end, count),
    isFlying,
    slotOf: (row) => slotOf(row, drawn.base, slots),
    height: scale.drawn,
    rowHeight,
    reveal,
    rowsInWindow,
  }
}
