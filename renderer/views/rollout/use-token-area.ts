import { type RefObject, useLayoutEffect, useState } from 'react'

/** Text of the token view never runs under its right edge, whatever a fallback face does to a line. */
const SPARE_COLUMNS = 3
const FEWEST_COLUMNS = 20

/** What the token view has room for. */
export interface TokenArea {
  /** Fixed-width columns of a line. */
  readonly columns: number
  /** In pixels. */
  readonly height: number
}

/** As it was measured last, and the window of then: in the same window the next rollout has the same room, and is drawn once and not twice. */
let latest: { readonly window: string; readonly area: TokenArea } | null = null

/** The room of an element; null until it is measured for the first time. */
export function useTokenArea(place: RefObject<HTMLElement | null>): TokenArea | null {
  const [area, setArea] = useState(() => (latest?.window === windowNow() ? latest.area : null))
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const column = columnWidth(element)
    const measure = () => {
      const style = getComputedStyle(element)
      const room = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
      if (column === 0) return
      const columns = Math.max(FEWEST_COLUMNS, Math.floor(room / column) - SPARE_COLUMNS)
      const height = element.clientHeight
      setArea((before) => {
        const area = before?.columns === columns && before.height === height ? before : { columns, height }
        latest = { window: windowNow(), area }
        return area
      })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return area
}

function windowNow(): string {
  return `${innerWidth} × ${innerHeight} at ${devicePixelRatio}`
}

function columnWidth(element: HTMLElement): number {
  const probe = document.createElement('span')
  probe.className = 'column-probe'
  probe.textContent = '0'.repeat(100)
  probe.setAttribute('aria-hidden', 'true')
  element.append(probe)
  const width = probe.getBoundingClientRect().width / 100
  probe.remove()
  return width
}
