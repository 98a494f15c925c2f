import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { type Pages, usePages } from '../data/pages.ts'
import { keepShown, wasShown } from '../state/kept.ts'
import { rowsOnPaper } from '../text/paper-words.ts'
import { LongTableFrame } from './long-table-frame.tsx'
import { isToBeRevealed, type LookedFor, lookFor } from './revealing.ts'
import { useLongTable } from './use-long-table.ts'

const ROW_HEIGHT = 28

export interface ListColumn<Row, Sort extends string> {
  readonly title: string
  /** Null where nothing is sorted by it. */
  readonly sort: Sort | null
  /** As a track of a grid. */
  readonly width: string
  readonly says?: string
  readonly isNumber?: true
  cell(row: Row): ReactNode
}

export interface ListOrder<Sort extends string> {
  readonly sort: Sort
  readonly descending: boolean
}

/** A list of very many things by their positions, a line each: only those in the window exist. */
export function PositionList<Row, Sort extends string>({
  name,
  label,
  positions,
  pages,
  columns,
  order,
  question,
  shown,
  table,
  onSort,
  onChoose,
  onOpen,
}: {
  /** Of one thing; ids of rows are `NAME-POSITION`. */
  name: 'group' | 'pair'
  label: string
  positions: Int32Array
  pages: Pages<Row>
  columns: readonly ListColumn<Row, Sort>[]
  order: ListOrder<Sort>
  /** What was asked last, order and filters; the positions may still answer what was asked before. */
  question: string
  shown: number | null
  table: RefObject<HTMLTableElement | null>
  onSort(column: Sort): void
  onChoose(position: number): void
  onOpen?(position: number): void
}) {
  const fetchRows = useCallback((most: number) => pages.want([...positions.subarray(0, most)]), [pages, positions])
  const listName = `${name} list`
  const rows = useLongTable(positions.length, ROW_HEIGHT, fetchRows, listName)
  const { first, end, printed, isFlying, reveal } = rows
  const drawn = useMemo(() => [...positions.subarray(first, end)], [positions, first, end])
  usePages(pages, isFlying ? NOTHING : drawn)
  const lookedFor = useRef<LookedFor | null>(null)
  useEffect(() => {
    const before = lookedFor.current
    const now = lookFor(before, { shown, positions, question })
    if (before === null ? now.at >= 0 && !wasShown(listName, shown) : isToBeRevealed(before, now)) reveal(now.at)
    lookedFor.current = now
    keepShown(listName, shown)
  }, [shown, positions, question, reveal, listName])
  const tracks = useMemo(() => columns.map(({ width }) => width).join(' '), [columns])
  return (
    <LongTableFrame
      rows={rows}
      name="group"
      className={name === 'group' ? '' : `${name}-table`}
      label={label}
      count={positions.length}
      table={table}
      current={shown !== null && drawn.includes(shown) ? `${name}-${shown}` : null}
      paper={
        printed === null ? null : rowsOnPaper(printed, positions.length, pages.missing(positions.subarray(0, printed)))
      }
      head={<Head columns={columns} tracks={tracks} order={order} onSort={onSort} />}
    >
      {drawn.map((position, at) => {
        const row = pages.get(position)
        return (
          <tr
            key={rows.slotOf(first + at)}
            id={`${name}-${position}`}
            aria-rowindex={first + at + 2}
            aria-selected={position === shown}
            className={`group-row${position === shown ? ' selected' : ''}`}
            style={{
              transform: `translateY(${(first + at) * ROW_HEIGHT + rows.shift}px)`,
              gridTemplateColumns: tracks,
            }}
            onClick={() => onChoose(position)}
            onDoubleClick={() => onOpen?.(position)}
          >
            {row === null ? (
              <td className="group-cell quiet">…</td>
            ) : (
              columns.map((column) => (
                <td key={column.title} className={column.isNumber ? 'group-cell number' : 'group-cell'}>
                  {column.cell(row)}
                </td>
              ))
            )}
          </tr>
        )
      })}
    </LongTableFrame>
  )
}

const NOTHING: readonly number[] = []

function Head<Row, Sort extends string>({
  columns,
  tracks,
  order: { sort, descending },
  onSort,
}: {
  columns: readonly ListColumn<Row, Sort>[]
  tracks: string
  order: ListOrder<Sort>
  onSort(column: Sort): void
}) {
  return (
    <thead>
      <tr aria-rowindex={1} className="group-row" style={{ gridTemplateColumns: tracks }}>
        {columns.map((column) => {
          const order = column.sort !== sort ? 'none' : descending ? 'descending' : 'ascending'
          return (
            <th
              key={column.title}
              scope="col"
              title={column.says}
              aria-sort={column.sort === null ? undefined : order}
              className={column.isNumber ? 'group-cell number' : 'group-cell'}
            >
              {column.sort === null ? (
                column.title || <span className="visually-hidden">{column.says}</span>
              ) : (
                <button type="button" className="sort" onClick={() => column.sort !== null && onSort(column.sort)}>
                  {column.title}
                  <span aria-hidden="true" className="sort-glyph">
                    {{ none: '', ascending: ' ▲', descending: ' ▼' }[order]}
                  </span>
                </button>
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
