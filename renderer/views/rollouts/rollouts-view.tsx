import { useEffect, useRef } from 'react'
import { useView } from '../../state/view.ts'
import { FilterBar } from './filter-bar.tsx'
import { RolloutTable } from './rollout-table.tsx'

/** The table of all rollouts, or of those behind a number. The focus goes to the table whenever a person comes here. */
export function RolloutsView() {
  const shown = useView((state) => state.shown)
  const place = useRef<HTMLDivElement>(null)
  const table = useRef<HTMLTableElement>(null)
  /** Set while the focus has to wait for the first rows: without any there is no table. */
  const waits = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is given once for each time the view is shown
  useEffect(() => {
    table.current?.focus({ preventScroll: true })
    waits.current = table.current === null
  }, [shown])
  const giveFocus = () => {
    // What a person reached for meanwhile keeps it.
    const isTaken = place.current?.contains(document.activeElement) === true
    if (waits.current && !isTaken) table.current?.focus({ preventScroll: true })
    waits.current = false
  }
  return (
    <div ref={place} className="rollouts">
      <h1 className="visually-hidden">Rollouts</h1>
      <FilterBar table={table} />
      <RolloutTable table={table} onDrawn={giveFocus} />
    </div>
  )
}
