import { flushSync } from 'react-dom'
import { observable, useObservable } from './observable.ts'

/** Paper for more rows than this is nobody's wish; an export has all of them. */
export const MOST_PRINTED = 5000

/** Whether the page is being laid out for paper. */
const isPrinting = observable(false)

/** Lists that draw only what is in the window draw all of it while the page is printed, by whatever way that was asked for. To be called once. */
export function followPrinting(): void {
  // The page is laid out for paper as soon as these return.
  window.addEventListener('beforeprint', () => flushSync(() => isPrinting.set(true)))
  window.addEventListener('afterprint', () => isPrinting.set(false))
}

/** Rows beyond the window that are to be drawn: as given on a screen, all of them on paper. */
export function useOverscan(onScreen: number): number {
  return useObservable(isPrinting) ? MOST_PRINTED : onScreen
}
