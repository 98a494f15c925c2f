import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { STANDARD_COLUMNS, useColumns } from '../../state/columns.ts'
import { isLackingIn, useFiles } from '../../state/files.ts'
import { useFilters } from '../../state/filters.ts'
import { useMarks } from '../../state/marks.ts'
import { type Column, fitting } from './column.ts'

/** Columns that a narrow window goes without, the first of them first. What is said of marks goes once nobody has made any. */
const UNLESS_MARKED = ['notes', 'labels']
const GO_FIRST = ['index', 'turns', 'step', 'advantage', 'labels', 'notes', 'group', 'trained']

/** Beside the cells of a row (pixels). */
const PADDING = 20

/**
 * Of the standard columns those that fit in the window, so that it need not be scrolled sideways. What a person chose stays as it was
 * chosen, and so does what the table is sorted by; that of the order of reading is no sort.
 */
export function useFitting(columns: readonly Column[], scroller: RefObject<HTMLElement | null>): readonly Column[] {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setRoom((element.clientWidth - PADDING) / rem)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
  const isStandard = useColumns(({ shown }) => shown.join() === STANDARD_COLUMNS.join())
  const isMarked = useMarks(({ labels, notes }) => labels.size > 0 || notes.size > 0)
  const sort = useFilters((filters) => filters.sort)
  const report = useFiles((files) => files.report)
  const shown = useMemo(() => {
    if (!isStandard) return columns
    const lacking = columns.filter(({ needs }) => isLackingIn(report, needs)).map(({ key }) => key)
    const unused = isMarked ? [] : UNLESS_MARKED
    const goFirst = [...new Set([...lacking, ...unused, ...GO_FIRST])].filter((key) => key !== sort || key === 'index')
    return fitting(columns, room, goFirst)
  }, [columns, room, isStandard, isMarked, sort, report])
  useLayoutEffect(() => {
    const leftOut = columns.filter((column) => !shown.includes(column)).map(({ key }) => key)
    useColumns.setState((before) => (before.leftOut.join() === leftOut.join() ? before : { leftOut }))
  }, [columns, shown])
  return shown
}
