import { type RefObject, useLayoutEffect } from 'react'
import { flushSync } from 'react-dom'

/** As it was measured last, and the window of then. */
const latest = new Map<string, { readonly window: string; readonly size: unknown }>()

/** What an element of this name measured last in a window like this one: in the same window the next rollout has the same room, and is drawn once and not twice. Null where that is not known. */
export function knownSize<T>(name: string): T | null {
  const known = latest.get(name)
  return known?.window === windowNow() ? (known.size as T) : null
}

export function keepSize(name: string, size: unknown): void {
  latest.set(name, { window: windowNow(), size })
}

/** What is measured of an element, and what is done with it. */
interface Measuring<T> {
  measure(): T
  set(size: T): void
  /**
   * Null where it is not known yet: it is measured at once. Else it was drawn for the size that it had before, and is measured once it has been laid
   * out for the frame, not before that by itself; and what would be missing in the picture for this size is put right in the same frame.
   */
  readonly isShort: ((size: T) => boolean) | null
}

/** Measures an element, and again whenever its size changes. Returns what ends it. */
export function observeSize<T>(element: Element, { measure, set, isShort }: Measuring<T>): () => void {
  if (isShort === null) set(measure())
  let isFirst = isShort !== null
  const observer = new ResizeObserver(() => {
    const size = measure()
    if (isFirst && isShort?.(size) === true) flushSync(() => set(size))
    else set(size)
    isFirst = false
  })
  observer.observe(element)
  return () => observer.disconnect()
}

/** Keeps how high an element is before what is drawn for its height is there. */
export function useKeptHeight(place: RefObject<HTMLElement | null>, name: string): void {
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const set = (height: number) => keepSize(name, height)
    return observeSize(element, { measure: () => element.clientHeight, set, isShort: null })
  }, [place, name])
}

function windowNow(): string {
  return `${innerWidth} × ${innerHeight} at ${devicePixelRatio}`
}
