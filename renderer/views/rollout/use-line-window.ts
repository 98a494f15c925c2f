import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useOverscan } from '../../data/printing.ts'
import { type LineTops, linesBetween } from './line-tops.ts'

/** Lines that are drawn on either side of those in sight, so that a turn of the wheel shows no gap. */
const BESIDE = 10

export interface LineWindow {
  /** The lines in sight, the last one included. */
  readonly inSight: readonly [first: number, last: number]
  /** The lines to draw, from the first to below the second. */
  readonly drawn: readonly [from: number, to: number]
  /** Scrolls to a height; to be called in an effect before the frame is painted. */
  scrollTo(top: number): void
  /** For the element's scroll events. */
  scrolled(): void
}

/**
 * Which lines are drawn.
 *
 * @param hasBeside whether lines beside those in sight are drawn as well, for which nobody waits
 * @param opening where the window begins, as far as that is known before it is drawn
 * @param height of the window, in pixels
 */
export function useLineWindow(
  scroller: RefObject<HTMLElement | null>,
  tops: LineTops,
  height: number,
  opening: () => number,
  hasBeside: boolean,
): LineWindow {
  const [top, setTop] = useState(() => Math.max(0, Math.min(tops.total - height, opening())))
  const beside = useOverscan(hasBeside ? BESIDE : 0)
  const inSight = linesBetween(tops, top, top + height)
  const latest = useRef({ tops, inSight, height })
  useLayoutEffect(() => {
    latest.current = { tops, inSight, height }
  })
  /** The top if it shows other lines than are drawn. */
  const moved = useCallback((): number | null => {
    const now = scroller.current?.scrollTop ?? 0
    const { tops, inSight, height } = latest.current
    const [first, last] = linesBetween(tops, now, now + height)
    return first === inSight[0] && last === inSight[1] ? null : now
  }, [scroller])
  /** It stands at its top as long as nothing has scrolled it; to ask it would have it laid out for that. */
  const isFresh = useRef(true)
  const scrollTo = useCallback(
    (wanted: number) => {
      if (scroller.current === null || (isFresh.current && wanted <= 0)) return
      isFresh.current = false
      scroller.current.scrollTop = wanted
      const now = moved()
      if (now !== null) setTop(now)
    },
    [scroller, moved],
  )
  const scrolled = useCallback(() => {
    isFresh.current = false
    const now = moved()
    if (now !== null) flushSync(() => setTop(now))
  }, [moved])
  return {
    inSight,
    drawn: [Math.max(0, inSight[0] - beside), Math.min(tops.count, inSight[1] + 1 + beside)],
    scrollTo,
    scrolled,
  }
}
