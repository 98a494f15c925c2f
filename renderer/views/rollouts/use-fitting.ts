import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Row } from '../../../shared/session/protocol.ts'
import { STANDARD_COLUMNS, useColumns } from '../../state/columns.ts'
import { isLackingIn, useFiles } from '../../state/files.ts'
import { useFilters } from '../../state/filters.ts'
import { type MarksState, useMarks } from '../../state/marks.ts'
import { type Column, fitting, gridOf, roomy, widthApart, widthFor, withWholeNumbers } from './column.ts'
import { useMostSeen } from './use-most-seen.ts'

/**
 * Columns that a narrow window goes without, the first of them first. Those with nothing in them go before, also for the sake of
 * longer texts; so does the place in the files, where all texts are whole without it.
 */
const GO_FIRST = ['index', 'turns', 'step', 'advantage', 'labels', 'notes', 'group', 'trained']

/** What may go so that long ids are told apart; more a row does not go without for that. */
const GO_FOR_IDS = GO_FIRST.slice(0, 3)

/** What a person wrote is known again by so much of it (rem): findings, which say how many more there are, give way. */
const KNOWN_AGAIN = 6.6

/** Beside the cells of a row (pixels). */
const PADDING = 20

/**
 * Of the standard columns those that fit in the window, so that it need not be scrolled sideways, each as wide as its texts as far as there is
 * room. What a person chose stays as it was chosen, and so does what the table is sorted by; that of the order of reading is no sort.
 *
 * @param drawn indices of the rollouts on screen
 */
export function useFitting(
  wanted: readonly Column[],
  drawn: Int32Array,
  scroller: RefObject<HTMLElement | null>,
): readonly Column[] {
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
  // The column of labels is as wide as they are: drawn again with each.
  const { labels, notes, places } = useMarks(useShallow(({ labels, notes, places }) => ({ labels, notes, places })))
  const [hasLabels, hasNotes] = [areHere(labels, places), areHere(notes, places)]
  const sort = useFilters((filters) => filters.sort)
  const report = useFiles((files) => files.report)
  const letters = useMostSeen(wanted, drawn, lettersIn)
  const columns = useMemo(() => withWholeNumbers(wanted, letters), [wanted, letters])
  const shown = useMemo(() => {
    if (!isStandard) return columns
    const used = columns.map((column) => {
      const { key, rem } = column
      if (key === 'notes' && hasNotes) return { ...column, rem: Math.max(rem, KNOWN_AGAIN) }
      if (key !== 'labels' || !hasLabels) return column
      return { ...column, rem: Math.min(widthFor(column, letters.get(key) ?? 0), Math.max(rem, KNOWN_AGAIN)) }
    })
    const empty = columns.filter(({ needs }) => isLackingIn(report, needs)).map(({ key }) => key)
    if (!hasNotes) empty.push('notes')
    if (!hasLabels) empty.push('labels')
    const mayGo = (keys: readonly string[]) => [...new Set(keys)].filter((key) => key !== sort || key === 'index')
    // What says how much of it is left out need not be whole beside labels and notes; either alone has room beside it.
    const mayBeCut = ({ key, yields }: Column) => hasLabels && hasNotes && (yields === true || key === 'findings')
    const wide = used.map((column) =>
      mayBeCut(column) ? column : { ...column, rem: widthFor(column, letters.get(column.key) ?? 0) },
    )
    const apart = used.map((column) => ({ ...column, rem: widthApart(column, letters) }))
    const whole = fitting(wide, room, mayGo(empty))
    const withoutPlace = fitting(whole, room, mayGo(['index']))
    const isWorth = gridOf(withoutPlace).rem <= room
    const kept = (isWorth ? withoutPlace : whole).map(({ key }) => key)
    const keptOf = (all: readonly Column[]) => all.filter(({ key }) => kept.includes(key))
    const toldApart = fitting(keptOf(apart), room, mayGo([...empty, ...GO_FOR_IDS]))
    if (gridOf(toldApart).rem <= room) return used.filter(({ key }) => toldApart.some((other) => other.key === key))
    return fitting(keptOf(used), room, mayGo([...empty, ...GO_FIRST]))
  }, [columns, letters, room, isStandard, hasLabels, hasNotes, sort, report])
  useLayoutEffect(() => {
    const isShown = new Set(shown.map(({ key }) => key))
    const leftOut = columns.flatMap(({ key }) => (isShown.has(key) ? [] : key))
    useColumns.setState((before) => (before.leftOut.join() === leftOut.join() ? before : { leftOut }))
  }, [columns, shown])
  return useMemo(() => roomy(shown, room, letters), [shown, room, letters])
}

/** Whether any of what a person left on rollouts is on one of the open dump. */
function areHere(marked: ReadonlyMap<string, unknown>, places: MarksState['places']): boolean {
  for (const key of marked.keys()) if ((places.get(key)?.length ?? 0) > 0) return true
  return false
}

function lettersIn({ letters }: Column): ((row: Row) => number) | null {
  return letters ?? null
}
