import { type CSSProperties, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { list, positionOf, searched } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { knownRow, loadRows, useRows } from '../../data/rows.ts'
import { useTableFields } from '../../data/table-fields.ts'
import { LongTableFrame } from '../../lists/long-table-frame.tsx'
import { useLongTable } from '../../lists/use-long-table.ts'
import { useColumns } from '../../state/columns.ts'
import { type FiltersState, useFilters } from '../../state/filters.ts'
import { keepShown, wasShown } from '../../state/kept.ts'
import { useSelection } from '../../state/selection.ts'
import { rowsOnPaper } from '../../text/paper-words.ts'
import { gridOf } from './column.ts'
import { columnsOf } from './columns.tsx'
import { NothingMatches } from './filter-bar.tsx'
import { hitsColumn } from './hits-column.tsx'
import { pageOfTable } from './page-of-table.ts'
import { RolloutRow } from './rollout-row.tsx'
import { TableHead } from './table-head.tsx'
import { useDecimals } from './use-decimals.ts'
import { useFitting } from './use-fitting.ts'

const ROW_HEIGHT = 30

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
  const selected = useSelection((state) => state.rollout)
  const shown = useColumns((state) => state.shown)
  const { rewards } = useTableFields()
  const hits = useObservable(searched)?.hits ?? null
  const wanted = useMemo(() => {
    const chosen = columnsOf(shown, rewards)
    if (hits === null) return chosen
    const behind = chosen.findIndex(({ key }) => key === 'id') + 1
    return [...chosen.slice(0, behind), hitsColumn(hits), ...chosen.slice(behind)]
  }, [shown, rewards, hits])
  const fetchRows = useCallback((most: number) => loadRows(indices.subarray(0, most)), [indices])
  const name = useFilters(nameOfList)
  const rows = useLongTable(indices.length, ROW_HEIGHT, fetchRows, name)
  const { first, end, shift, printed, reveal, rowsInWindow } = rows
  const drawn = indices.subarray(first, end)
  const fitting = useFitting(wanted, drawn, rows.scroller)
  const columns = useDecimals(fitting, drawn)
  const grid = useMemo(() => gridOf(columns), [columns])
  const band = useFilters(({ sort }) => (sort === 'group' || sort === 'step' ? sort : null))
  useRows(indices, first, end, rows.isFlying)

  const isSelectedDrawn = selected !== null && drawn.includes(selected)

  const isNew = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list reveals by itself, below
  useEffect(() => {
    const at = positionOf(selected)
    if (at >= 0 && !(isNew.current && wasShown(name, selected))) reveal(at)
    isNew.current = false
  }, [selected, reveal])
  useEffect(() => keepShown(name, selected), [name, selected])
  const asked = useRef(useFilters.getState())
  // Another question was answered: its first rows are of interest, or where the selected one stands among them. Rows that came because more was read move nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each list
  useEffect(() => {
    const [before, now] = [asked.current, useFilters.getState()]
    if (before === now) return
    asked.current = now
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
    <LongTableFrame
      rows={rows}
      name="rollout"
      label="Rollouts"
      count={indices.length}
      table={table}
      current={isSelectedDrawn ? `rollout-${selected}` : null}
      paper={printed === null ? null : rowsOnPaper(printed, indices.length, absent(indices.subarray(0, printed)))}
      head={<TableHead columns={columns} />}
      style={style}
    >
      {Array.from(drawn, (index, at) => (
        <RolloutRow
          key={rows.slotOf(first + at)}
          index={index}
          row={knownRow(index)}
          columns={columns}
          position={first + at}
          top={(first + at) * ROW_HEIGHT + shift}
          isSelected={index === selected}
          isFirst={band !== null && at + first > 0 && parts(band, index, indices[first + at - 1])}
        />
      ))}
    </LongTableFrame>
  )
}

/** Another question has another list, which begins at its top. */
function nameOfList({ query, sort, descending }: FiltersState): string {
  return `rollouts ${descending ? '-' : ''}${sort} ${query}`
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
