import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import { observable, useObservable } from './observable.ts'

/** Lines of a rollout that are printed on either side of the one on screen. Paper for more is nobody's wish. */
const MOST_LINES = 5000
/** Rows of a table that are printed; an export has all of them. */
const MOST_ROWS = 2000

/** Whether the page is being laid out for paper. */
const isPrinting = observable(false)

/** What the lists on screen fetch before they can be printed whole. */
const preparations = new Set<() => Promise<void>>()

/** Lists that draw only what is in the window draw all of it while the page is printed, by whatever way that was asked for. To be called once. */
export function followPrinting(): void {
  // The page is laid out for paper as soon as these return.
  const { classList } = document.documentElement
  window.addEventListener('beforeprint', () => {
    // What is drawn by script is drawn before the style sheets are those of paper.
    classList.add('on-paper')
    flushSync(() => isPrinting.set(true))
  })
  window.addEventListener('afterprint', () => {
    classList.remove('on-paper')
    isPrinting.set(false)
  })
}

/** Fetches the rows that paper takes. Nothing waits for anything where the browser's own menu prints. */
export async function prepareToPrint(): Promise<void> {
  await Promise.all([...preparations].map((prepare) => prepare()))
}

export function useIsPrinting(): boolean {
  return useObservable(isPrinting)
}

/** Lines beyond the window that are to be drawn: as given on a screen, all of them on paper. */
export function useOverscan(onScreen: number): number {
  return useObservable(isPrinting) ? MOST_LINES : onScreen
}

/**
 * How many rows of a table are to be drawn, from its first: null on a screen, where the window decides.
 *
 * @param fetchRows brings the rows up to this number; it must not be another function with every drawing
 */
export function usePrintedRows(rows: number, fetchRows: (most: number) => Promise<void>): number | null {
  const printed = Math.min(rows, MOST_ROWS)
  useEffect(() => {
    const prepare = () => fetchRows(printed)
    preparations.add(prepare)
    return () => void preparations.delete(prepare)
  }, [printed, fetchRows])
  return useObservable(isPrinting) ? printed : null
}
