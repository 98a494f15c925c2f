import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

/** Width of a canvas, or of what else is measured, in CSS pixels; 0 until then. */
export function useWidth(canvas: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = canvas.current
    if (element === null) return
    const measure = () => setWidth(Math.floor(element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [canvas])
  return width
}

/** Changes when the system's colour scheme does. */
export function useScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const change = () => setDark(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return isDark
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
