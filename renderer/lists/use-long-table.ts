import { type RefObject, useRef } from 'react'
import { usePrintedRows } from '../data/printing.ts'
import { type RowWindow, useRowWindow } from './use-row-window.ts'

export interface LongTable extends RowWindow {
  readonly scroller: RefObject<HTMLDivElement | null>
  /** How many rows are drawn for paper, from the first; null on a screen. */
  readonly printed: number | null
}

/**
 * The rows of a table that are drawn: those in its window, or on paper the first ones. The head is a row and its line.
 *
 * @param fetchRows see `usePrintedRows`
 * @param name by which the table is found where it was scrolled to, when its view comes back
 */
export function useLongTable(
  count: number,
  rowHeight: number,
  fetchRows: (most: number) => Promise<void>,
  name: string,
): LongTable {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useRowWindow(scroller, { count, rowHeight, headHeight: rowHeight + 1, name })
  const printed = usePrintedRows(count, fetchRows)
  if (printed !== null) return { ...rows, first: 0, end: printed, shift: 0, scroller, printed, slotOf: (row) => row }
  return { ...rows, scroller, printed }
}
