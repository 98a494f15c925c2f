import { type CSSProperties, type MouseEvent, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { list, positionOf, searched } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { usePrintedRows } from '../../data/printing.ts'
import { knownRow, loadRows, useRows } from '../../data/rows.ts'
import { useTableFields } from '../../data/table-fields.ts'
import { useColumns } from '../../state/columns.ts'
import { useFilters } from '../../state/filters.ts'
import { useSelection } from '../../state/selection.ts'
import { rowsOnPaper } from '../../text/paper-words.ts'
import { gridOf } from './column.ts'
import { columnsOf } from './columns.tsx'
import { NothingMatches } from './filter-bar.tsx'
import { hitsColumn } from './hits-column.tsx'
import { pageOfTable } from './page-of-table.ts'
import { RolloutRow } from './rollout-row.tsx'
import { TableHead } from './table-head.tsx'
import { useRowWindow } from './use-row-window.ts'

const ROW_HEIGHT = 30
/** The head stays at the top of the window and takes this much of it: a row and its line. */
const HEAD_HEIGHT = ROW_HEIGHT + 1

/** A table for a million rollouts: only the rows in the window exist. */
export function RolloutTable({ table, onDrawn }: { table: RefObject<HTMLTableElement | null>; onDrawn: () => void }) {
  const isEmpty = useObservable(list).length === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once, when there is a table after there was none
  useEffect(() => {
    if (!isEmpty) onDrawn()
  }, [isEmpty])
  return isEmpty ? <NothingMatches /> : <Grid table={table} />
}

function Grid({ table }: { table: RefObject<HTMLTableElement | null> }) {
  const indices = useObservable(list)
  const scroller = useRef<HTMLDivElement>(null)
  const selected = useSelection((state) => state.rollout)
  const shown = useColumns((state) => state.shown)
  const { rewards } = useTableFields()
  const hits = useObservable(searched)?.hits ?? null
  const columns = useMemo(() => {
    const chosen = columnsOf(shown, rewards)
    if (hits === null) return chosen
    const behind = chosen.findIndex(({ key }) => key === 'id') + 1
    return [...chosen.slice(0, behind), hitsColumn(hits), ...chosen.slice(behind)]
  }, [shown, rewards, hits])
  const grid = useMemo(() => gridOf(columns), [columns])
  const rows = useRowWindow(scroller, { count: indices.length, rowHeight: ROW_HEIGHT, headHeight: HEAD_HEIGHT })
  const { reveal, rowsInWindow } = rows
  const printed = usePrintedRows(
    indices.length,
    useCallback((most: number) => loadRows(indices.subarray(0, most)), [indices]),
  )
  const { first, end, shift } = printed === null ? rows : { first: 0, end: printed, shift: 0 }
  const band = useFilters(({ sort }) => (sort === 'group' || sort === 'step' ? sort : null))
  useRows(indices, first, end, rows.isFlying)

  const isSelectedDrawn = selected !== null && indices.subarray(first, end).includes(selected)

  useEffect(() => {
    const at = positionOf(selected)
    if (at >= 0) reveal(at)
  }, [selected, reveal])
  const wanted = useRef(useFilters.getState())
  // Another question was answered: its first rows are of interest, or where the selected one stands among them. Rows that came because more was read move nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each list
  useEffect(() => {
    const [before, now] = [wanted.current, useFilters.getState()]
    if (before === now) return
    wanted.current = now
    const isSorted = before.query === now.query && band === null
    reveal(Math.max(0, isSorted ? 0 : positionOf(useSelection.getState().rollout)))
  }, [indices])
  useEffect(() => {
    pageOfTable.rows = rowsInWindow
  }, [rowsInWindow])

  const style: CSSProperties & Record<'--tracks', string> = {
    '--tracks': grid.tracks,
    minWidth: `calc(${grid.rem}rem + 20px)`,
  }
  return (
    <div className="rollout-window">
      {printed !== null && (
        <p className="print-only">{rowsOnPaper(printed, indices.length, absent(indices.subarray(0, printed)))}</p>
      )}
      <div ref={scroller} className="rollout-scroller">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys never take the focus from the table */}
        <table
          ref={table}
          className="rollout-table"
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are selected and opened
          role="grid"
          aria-label="Rollouts"
          aria-rowcount={indices.length + 1}
          tabIndex={0}
          style={style}
          onClick={keepKeys}
          // Only a row that is drawn can be named.
          aria-activedescendant={isSelectedDrawn ? `rollout-${selected}` : undefined}
        >
          <TableHead columns={columns} />
          <tbody style={{ height: rows.height }}>
            {Array.from(indices.subarray(first, end), (index, at) => (
              <RolloutRow
                // Elements are used again for other rows, which spares making them anew.
                key={printed === null ? (first + at) % rows.slots : at}
                index={index}
                row={rows.isFlying ? null : knownRow(index)}
                columns={columns}
                position={first + at}
                top={(first + at) * ROW_HEIGHT + shift}
                isSelected={index === selected}
                isFirst={band !== null && at + first > 0 && parts(band, index, indices[first + at - 1])}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** How many of these rows are not here. */
function absent(indices: Int32Array): number {
  return indices.reduce((sum, index) => sum + Number(knownRow(index) === null), 0)
}

/** Whether a row is of another group, or step, than the one above it; false as long as one of them is on its way. */
function parts(band: 'group' | 'step', index: number, above: number | undefined): boolean {
  const [row, other] = [knownRow(index), above === undefined ? null : knownRow(above)]
  return row !== null && other !== null && row.facts[band] !== other.facts[band]
}

/** After a click into the table its keys work at once: Enter opens the row and does not press a button again. */
function keepKeys(event: MouseEvent<HTMLTableElement>): void {
  // A button that was pressed by key keeps the focus: someone is walking from control to control.
  if (event.detail > 0) event.currentTarget.focus({ preventScroll: true })
}
