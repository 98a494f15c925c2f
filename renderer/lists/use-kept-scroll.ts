import { type RefObject, useLayoutEffect } from 'react'
import { keepScroll, keptScroll } from '../state/kept.ts'

/**
 * Brings a scrolling element back to where it was when its view was left. Another name is another place, from the top at first.
 *
 * @param isThere false as long as what scrolls is on its way
 */
export function useKeptScroll(scroller: RefObject<HTMLElement | null>, name: string, isThere = true): void {
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || !isThere) return
    let wanted: number | null = keptScroll(name)
    // What is asked of the engine comes after the first frame, and makes the element high enough.
    const goBack = () => {
      if (wanted === null) return
      element.scrollTop = wanted
      if (element.scrollTop >= wanted - 1) stop()
    }
    const grown = new ResizeObserver(goBack)
    const stop = () => {
      wanted = null
      grown.disconnect()
    }
    const keep = () => {
      if (wanted === null) keepScroll(name, element.scrollTop)
    }
    goBack()
    if (wanted !== null) for (const child of element.children) grown.observe(child)
    element.addEventListener('scroll', keep, { passive: true })
    for (const own of OWN_MOVES) element.addEventListener(own, stop, { passive: true })
    return () => {
      grown.disconnect()
      element.removeEventListener('scroll', keep)
      for (const own of OWN_MOVES) element.removeEventListener(own, stop)
    }
  }, [scroller, name, isThere])
}

/** Whoever scrolls is brought nowhere. */
const OWN_MOVES = ['wheel', 'pointerdown', 'keydown', 'touchmove'] as const
