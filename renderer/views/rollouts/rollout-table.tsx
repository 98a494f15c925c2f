import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, memo, type RefObject, useEffect, useMemo, useRef } from 'react'
import type { Row } from '../../../shared/session/protocol.ts'
import { openRollout } from '../../commands/go.ts'
import { toggleFlag } from '../../data/flags.ts'
import { list, positionOf } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { knownRow, useRows } from '../../data/rows.ts'
import { sortBy, useFilters } from '../../state/filters.ts'
import { markKey, useMarks } from '../../state/marks.ts'
import { selectRollout, useSelection } from '../../state/selection.ts'
import { COLUMNS, type Column, GRID_TRACKS } from './columns.tsx'
import { NothingMatches } from './filter-bar.tsx'

const ROW_HEIGHT = 30
/** The head stays at the top of the window and takes this much of it: a row and its line. */
const HEAD_HEIGHT = ROW_HEIGHT + 1
/** An id may be anything; more than this of it nobody reads in a tooltip. */
const LONGEST_TITLE = 300
/** A browser draws no element taller than some 33 million pixels; beyond this the rest is reached by filter and sort. */
const MOST_DRAWN = 1_000_000

/** A table for a million rollouts: only the rows in the window exist. */
export function RolloutTable({ table, onDrawn }: { table: RefObject<HTMLTableElement | null>; onDrawn: () => void }) {
  const indices = useObservable(list)
  const scroller = useRef<HTMLDivElement>(null)
  const selected = useSelection((state) => state.rollout)
  const virtual = useVirtualizer({
    count: Math.min(indices.length, MOST_DRAWN),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    // Rows begin below the head, of which the virtualizer does not know.
    scrollPaddingEnd: HEAD_HEIGHT,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? -1
  const wanted = useMemo(() => [...indices.subarray(first, last + 1)], [indices, first, last])
  useRows(wanted)

  useEffect(() => {
    const at = positionOf(selected)
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [selected, virtual])

  const isEmpty = indices.length === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once, when there is a table after there was none
  useEffect(() => {
    if (!isEmpty) onDrawn()
  }, [isEmpty])

  if (isEmpty) return <NothingMatches />
  return (
    <div className="rollout-window">
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
          onClick={keepKeys}
          aria-activedescendant={selected === null ? undefined : `rollout-${selected}`}
        >
          <Head />
          <tbody style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const index = indices[item.index] as number
              return (
                <RolloutRow
                  key={index}
                  index={index}
                  row={knownRow(index)}
                  position={item.index}
                  top={item.start}
                  isSelected={index === selected}
                />
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** After a click into the table its keys work at once: Enter opens the row and does not press a button again. */
function keepKeys(event: MouseEvent<HTMLTableElement>): void {
  // A button that was pressed by key keeps the focus: someone is walking from control to control.
  if (event.detail > 0) event.currentTarget.focus({ preventScroll: true })
}

function Head() {
  const sort = useFilters((filters) => filters.sort)
  const descending = useFilters((filters) => filters.descending)
  const orderOf = (column: Column) => (column.sort !== sort ? 'none' : descending ? 'descending' : 'ascending')
  return (
    <thead>
      <tr aria-rowindex={1} className="rollout-row" style={{ gridTemplateColumns: GRID_TRACKS }}>
        {COLUMNS.map((column) => (
          <th
            key={column.key}
            scope="col"
            aria-sort={column.sort === null ? undefined : orderOf(column)}
            className={column.isNumber ? 'rollout-cell number' : 'rollout-cell'}
          >
            {column.sort === null ? (
              column.title
            ) : (
              <button
                type="button"
                className="sort"
                onClick={() => sortBy(column.sort as NonNullable<typeof column.sort>)}
              >
                {column.title}
                <span aria-hidden="true" className="sort-glyph">
                  {{ none: '', ascending: ' ▲', descending: ' ▼' }[orderOf(column)]}
                </span>
              </button>
            )}
          </th>
        ))}
        <th scope="col" className="rollout-cell">
          <span aria-hidden="true">⚑</span>
          <span className="visually-hidden">flag</span>
        </th>
      </tr>
    </thead>
  )
}

interface RowProps {
  readonly index: number
  readonly row: Row | null
  readonly position: number
  readonly top: number
  readonly isSelected: boolean
}

const RolloutRow = memo(function RolloutRow({ index, row, position, top, isSelected }: RowProps) {
  return (
    <tr
      id={`rollout-${index}`}
      aria-rowindex={position + 2}
      aria-selected={isSelected}
      className={`rollout-row${isSelected ? ' selected' : ''}`}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: GRID_TRACKS }}
      onClick={() => selectRollout(index)}
      onDoubleClick={() => openRollout(index)}
    >
      {row === null ? (
        <td className="rollout-cell quiet">…</td>
      ) : (
        <>
          {COLUMNS.map((column) => (
            <td key={column.key} className={column.isNumber ? 'rollout-cell number' : 'rollout-cell'}>
              {column.key === 'id' ? (
                <button
                  type="button"
                  className="link row-open"
                  title={row.facts.id.slice(0, LONGEST_TITLE)}
                  tabIndex={-1}
                  onClick={() => openRollout(index)}
                >
                  {column.cell(row)}
                </button>
              ) : (
                column.cell(row)
              )}
            </td>
          ))}
          <FlagCell index={index} row={row} />
        </>
      )}
    </tr>
  )
})

function FlagCell({ index, row }: { index: number; row: Row }) {
  const isFlagged = useMarks((state) => state.flagged.has(markKey(row.facts)))
  return (
    <td className="rollout-cell">
      <button
        type="button"
        className="flag-button"
        tabIndex={-1}
        aria-pressed={isFlagged}
        aria-label={`Flag rollout ${row.facts.id}`}
        onClick={() => void toggleFlag(index, row.facts)}
      >
        {isFlagged ? '⚑' : '⚐'}
      </button>
    </td>
  )
}
