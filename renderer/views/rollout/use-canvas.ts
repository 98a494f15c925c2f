import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useIsPrinting } from '../../data/printing.ts'
import { keepSize, knownSize, observeSize } from '../../lists/known-size.ts'

/**
 * Width of a canvas, or of what else is measured, in CSS pixels; 0 until then.
 *
 * @param name by which it is known from the first drawing on, where one of that name was measured in the same window
 */
export function useWidth(canvas: RefObject<HTMLElement | null>, name: string | null = null): number {
  const [width, setWidth] = useState(() => (name === null ? 0 : (knownSize<number>(name) ?? 0)))
  const opening = useRef(width)
  useLayoutEffect(() => {
    const element = canvas.current
    if (element === null) return
    const drawnFor = opening.current
    return observeSize(element, {
      measure: () => Math.floor(element.clientWidth),
      set: (now) => {
        if (name !== null) keepSize(name, now)
        setWidth(now)
      },
      isShort: drawnFor > 0 ? (now) => now !== drawnFor : null,
    })
  }, [canvas, name])
  return width
}

/** Whether it is dark, which is the system's to say and never so on paper. */
export function useScheme(): boolean {
  const isDark = useMedia('(prefers-color-scheme: dark)')
  return !useIsPrinting() && isDark
}

/** Whether a condition of the style sheet holds. */
export function useMedia(condition: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(condition).matches)
  useEffect(() => {
    const query = matchMedia(condition)
    const change = () => setHolds(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [condition])
  return holds
}

/** Gives a canvas as many pixels as the screen has, and a context that counts in CSS pixels. */
export function sizedContext(
  element: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const scale = devicePixelRatio || 1
  element.width = Math.round(width * scale)
  element.height = Math.round(height * scale)
  const context = element.getContext('2d')
  context?.scale(scale, scale)
  return context
}
