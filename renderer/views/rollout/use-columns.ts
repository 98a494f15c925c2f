import { type RefObject, useLayoutEffect, useState } from 'react'

/** Text of the token view never runs under its right edge, whatever a fallback face does to a line. */
const SPARE_COLUMNS = 3
const FEWEST_COLUMNS = 20

/** How many fixed-width columns fit into an element; 80 until it is measured. */
export function useColumns(place: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(80)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const probe = document.createElement('span')
    probe.className = 'column-probe'
    probe.textContent = '0'.repeat(100)
    probe.setAttribute('aria-hidden', 'true')
    element.append(probe)
    const column = probe.getBoundingClientRect().width / 100
    probe.remove()
    const measure = () => {
      const style = getComputedStyle(element)
      const room = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
      if (column > 0) setColumns(Math.max(FEWEST_COLUMNS, Math.floor(room / column) - SPARE_COLUMNS))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return columns
}
