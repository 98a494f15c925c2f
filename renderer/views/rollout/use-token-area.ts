import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { keepSize, knownSize, observeSize } from '../../lists/known-size.ts'

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

const NAME = 'tokens'

/** The room of an element; null until it is measured for the first time. */
export function useTokenArea(place: RefObject<HTMLElement | null>): TokenArea | null {
  const [area, setArea] = useState(() => knownSize<TokenArea>(NAME))
  const opening = useRef(area)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const drawnFor = opening.current
    return observeSize(element, {
      measure: () => areaOf(element),
      set: (area) => {
        if (area === null) return
        keepSize(NAME, area)
        setArea((before) => (before?.columns === area.columns && before.height === area.height ? before : area))
      },
      isShort:
        drawnFor && ((area) => area !== null && (area.columns !== drawnFor.columns || area.height > drawnFor.height)),
    })
  }, [place])
  return area
}

/** Null where nothing is laid out. */
function areaOf(element: HTMLElement): TokenArea | null {
  const column = columnWidth(element)
  if (column === 0) return null
  const style = getComputedStyle(element)
  const room = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
  return {
    columns: Math.max(FEWEST_COLUMNS, Math.floor(room / column) - SPARE_COLUMNS),
    height: element.clientHeight,
  }
}

function columnWidth(element: HTMLElement): number {
  const known = knownSize<number>('column')
  if (known !== null) return known
  const width = measuredColumn(element)
  if (width > 0) keepSize('column', width)
  return width
}

function measuredColumn(element: HTMLElement): number {
  const probe = document.createElement('span')
  probe.className = 'column-probe'
  probe.textContent = '0'.repeat(100)
  probe.setAttribute('aria-hidden', 'true')
  element.append(probe)
  const width = probe.getBoundingClientRect().width / 100
  probe.remove()
  return width
}
