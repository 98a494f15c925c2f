import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import type { GroupRow, GroupSort, GroupSummary } from '../../../shared/session/requests/groups.ts'
import { openRollout } from '../../commands/go.ts'
import { usePages } from '../../data/pages.ts'
import { usePrintedRows } from '../../data/printing.ts'
import { ask } from '../../engine/engine.ts'
import { ABSENT, count, real } from '../../text/numbers.ts'
import { rowsOnPaper } from '../../text/paper-words.ts'
import { spelt } from '../../text/visible.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'
import { groupPages } from './group-list-data.ts'
import { KIND_WORDS, MARK_WORDS } from './group-words.ts'
import { showGroup, sortGroups } from './groups-place.ts'
import { RewardTicks } from './reward-ticks.tsx'

const ROW_HEIGHT = 28
const HEAD_HEIGHT = ROW_HEIGHT + 1
/** A browser draws no element taller than some 33 million pixels. */
const MOST_DRAWN = 1_000_000

interface Column {
  readonly sort: GroupSort | null
  readonly title: string
  readonly says?: string
  readonly width: string
  readonly isNumber?: true
  cell(row: GroupRow, summary: GroupSummary): ReactNode
}

const COLUMNS: readonly Column[] = [
  {
    sort: null,
    title: '',
    says: 'what its rewards are good for',
    width: '1.5rem',
    cell: ({ kind }) => (
      <span className={`group-kind ${kind}`} title={`${KIND_WORDS[kind].name}: ${KIND_WORDS[kind].what}`}>
        <span aria-hidden="true">{KIND_WORDS[kind].glyph}</span>
        <span className="visually-hidden">{KIND_WORDS[kind].name}</span>
      </span>
    ),
  },
  {
    sort: 'id',
    title: 'group',
    width: 'minmax(5rem, 1.3fr)',
    cell: ({ id }) => <span title={spelt(id.slice(0, 300))}>{spelt(id.slice(0, 300))}</span>,
  },
  { sort: 'step', title: 'step', width: '3.4rem', isNumber: true, cell: ({ step }) => real(step) },
  {
    sort: 'rollouts',
    title: 'n',
    says: 'rollouts',
    width: '2.6rem',
    isNumber: true,
    cell: ({ rollouts }) => count(rollouts),
  },
  {
    sort: null,
    title: 'rewards',
    width: 'minmax(5rem, 1.2fr)',
    cell: (row, { rewards }) => <RewardTicks rewards={row.rewards} ends={rewards} />,
  },
  { sort: 'mean', title: 'mean', width: '3.9rem', isNumber: true, cell: ({ mean }) => real(mean) },
  {
    sort: 'std',
    title: 'std',
    width: '4.8rem',
    isNumber: true,
    cell: ({ std }) => real(std === null ? null : Number(std.toPrecision(3))),
  },
  {
    sort: 'amplification',
    title: '× by std',
    says: 'amplification: 1 / (std that divides + eps)',
    width: '4.2rem',
    isNumber: true,
    cell: ({ amplification }) => (amplification === null ? ABSENT : `×${times(amplification)}`),
  },
  {
    sort: 'findings',
    title: 'findings',
    width: 'minmax(4.4rem, 0.9fr)',
    cell: (row) => <Findings row={row} />,
  },
]

const TRACKS = COLUMNS.map(({ width }) => width).join(' ')

function times(value: number): string {
  return value >= 100 ? count(value) : real(Number(value.toPrecision(3)))
}

function Findings({ row: { codes, worst, marks } }: { row: GroupRow }) {
  const own = marks.filter((mark) => mark !== 'findings')
  return (
    <span title={[...own.map((mark) => MARK_WORDS[mark].what), codes.join(', ')].filter(Boolean).join('; ')}>
      {own.map((mark) => (
        <span key={mark} className="group-mark">
          <span aria-hidden="true">{MARK_WORDS[mark].glyph}</span>
          <span className="visually-hidden">{MARK_WORDS[mark].name}</span>{' '}
        </span>
      ))}
      {worst !== null && (
        <>
          <span className={`severity ${worst}`} aria-hidden="true">
            {SEVERITY_WORDS[worst].glyph}
          </span>
          <span className="visually-hidden">worst: {SEVERITY_WORDS[worst].name}.</span> {codes.join(' ')}
        </>
      )}
    </span>
  )
}

/** The groups of the query, a line each: only those in the window exist. */
export function GroupList({
  positions,
  summary,
  shown,
  table,
  query,
}: {
  positions: Int32Array
  summary: GroupSummary
  shown: number | null
  table: RefObject<HTMLTableElement | null>
  query: { readonly sort?: GroupSort; readonly descending?: boolean }
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: Math.min(positions.length, MOST_DRAWN),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    scrollPaddingEnd: HEAD_HEIGHT,
    overscan: 12,
  })
  const printed = usePrintedRows(
    positions.length,
    useCallback((most: number) => groupPages.want([...positions.subarray(0, most)]), [positions]),
  )
  const items =
    printed === null ? virtual.getVirtualItems() : Array.from({ length: printed }, (_, index) => ({ index, start: 0 }))
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? -1
  const wanted = useMemo(() => [...positions.subarray(first, last + 1)], [positions, first, last])
  usePages(groupPages, wanted)
  useEffect(() => {
    const at = shown === null ? -1 : positions.indexOf(shown)
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [shown, positions, virtual])
  return (
    <div className="group-window">
      {printed !== null && (
        <p className="print-only">
          {rowsOnPaper(printed, positions.length, groupPages.missing(positions.subarray(0, printed)))}
        </p>
      )}
      <div ref={scroller} className="group-scroller">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys never take the focus from the table */}
        <table
          ref={table}
          className="group-table"
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are chosen and opened
          role="grid"
          aria-label="Groups"
          aria-rowcount={positions.length + 1}
          tabIndex={0}
          // Only a row that is drawn can be named.
          aria-activedescendant={shown !== null && wanted.includes(shown) ? `group-${shown}` : undefined}
          onClick={(event) => event.detail > 0 && event.currentTarget.focus({ preventScroll: true })}
        >
          <Head query={query} />
          <tbody style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const position = positions[item.index] as number
              const row = groupPages.get(position)
              return (
                <tr
                  key={position}
                  id={`group-${position}`}
                  aria-rowindex={item.index + 2}
                  aria-selected={position === shown}
                  className={`group-row${position === shown ? ' selected' : ''}`}
                  style={{ transform: `translateY(${item.start}px)`, gridTemplateColumns: TRACKS }}
                  onClick={() => showGroup(position)}
                  onDoubleClick={() => void openFirst(position)}
                >
                  {row === null ? (
                    <td className="group-cell quiet">…</td>
                  ) : (
                    COLUMNS.map((column) => (
                      <td key={column.title} className={column.isNumber ? 'group-cell number' : 'group-cell'}>
                        {column.cell(row, summary)}
                      </td>
                    ))
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}

async function openFirst(position: number): Promise<void> {
  const [first] = (await ask('groupMembers', { positions: [position] })).indices
  if (first !== undefined) openRollout(first)
}

function Head({
  query: { sort = 'order', descending = false },
}: {
  query: { sort?: GroupSort; descending?: boolean }
}) {
  return (
    <thead>
      <tr aria-rowindex={1} className="group-row" style={{ gridTemplateColumns: TRACKS }}>
        {COLUMNS.map((column) => {
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
                <button type="button" className="sort" onClick={() => sortGroups(column.sort as GroupSort)}>
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
