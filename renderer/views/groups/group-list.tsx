import { type RefObject, useMemo } from 'react'
import type { GroupQuery, GroupRow, GroupSort, GroupSummary } from '../../../shared/session/requests/groups.ts'
import { LongId } from '../../app/long-id.tsx'
import { openRollout } from '../../commands/go.ts'
import { useObservable } from '../../data/observable.ts'
import { ask } from '../../engine/engine.ts'
import { type ListColumn, PositionList } from '../../lists/position-list.tsx'
import { ABSENT, count, inDecimals, real } from '../../text/numbers.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'
import { useMedia } from '../rollout/use-canvas.ts'
import { groupPages, hasLongIds } from './group-list-data.ts'
import { COLUMN_WORDS, KIND_WORDS, MARK_WORDS } from './group-words.ts'
import { showGroup, sortGroups } from './groups-place.ts'
import { RewardTicks } from './reward-ticks.tsx'

/** Of means and stds: rows come as they are scrolled to, so that no column is known whole. */
const DECIMALS = 3

/** Beside the chosen group, which says these, there is no room for them in a window that is not wide, or narrow; what the list is sorted by stays. */
const FOLD_FIRST: ReadonlySet<GroupSort | null> = new Set(['step'])
const FOLD_NARROW: ReadonlySet<GroupSort | null> = new Set(['step', 'mean', 'std'])

/** Codes of a group that the list has room for. */
const MOST_CODES = 2
const MOST_CODES_NARROW = 1

/**
 * @param ends least and greatest reward of the dump
 * @param codes of a group that there is room for
 * @param isLong some ids need more than the least room
 */
const columnsFor = (
  ends: GroupSummary['rewards'],
  codes: number,
  isLong: boolean,
): readonly ListColumn<GroupRow, GroupSort>[] => [
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
    width: `minmax(4.9rem, ${isLong ? 8 : 1.3}fr)`,
    cell: ({ id }) => <LongId id={id} />,
  },
  { sort: 'step', title: 'step', says: 'training step', width: '3rem', isNumber: true, cell: ({ step }) => real(step) },
  {
    sort: 'rollouts',
    title: 'n',
    says: 'rollouts of the group',
    width: '2rem',
    isNumber: true,
    cell: ({ rollouts }) => count(rollouts),
  },
  {
    sort: null,
    title: 'rewards',
    says: 'each reward of the group, on the scale of the whole dump',
    width: 'minmax(3.8rem, 1.2fr)',
    cell: (row) => <RewardTicks rewards={row.rewards} ends={ends} />,
  },
  {
    sort: 'mean',
    title: 'mean',
    says: 'mean of the rewards',
    width: '4.5rem',
    isNumber: true,
    cell: ({ mean }) => inDecimals(mean, DECIMALS),
  },
  {
    sort: 'std',
    title: COLUMN_WORDS.std.name,
    says: COLUMN_WORDS.std.what,
    width: '3.9rem',
    isNumber: true,
    cell: ({ std }) => inDecimals(std, DECIMALS),
  },
  {
    sort: 'amplification',
    title: COLUMN_WORDS.amplification.name,
    says: COLUMN_WORDS.amplification.what,
    width: '4.5rem',
    isNumber: true,
    cell: ({ amplification }) => (amplification === null ? ABSENT : `×${times(amplification)}`),
  },
  {
    sort: 'findings',
    title: 'findings',
    says: 'checks that found something in the group',
    width: `minmax(${5.5 + 2.5 * codes}rem, 0.9fr)`,
    cell: (row) => <Findings row={row} most={codes} />,
  },
]

function times(value: number): string {
  return value === 1 ? '1' : value >= 100 ? count(value) : inDecimals(value, 2)
}

/** As many codes as there is room for, and how many more there are: none is cut in the middle. */
function Findings({ row: { codes, worst, marks }, most }: { row: GroupRow; most: number }) {
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
          <span className="visually-hidden">worst: {SEVERITY_WORDS[worst].name}.</span> {codes.slice(0, most).join(' ')}
          {codes.length > most && (
            <>
              <span className="quiet" aria-hidden="true">
                {' '}
                +{count(codes.length - most)}
              </span>
              <span className="visually-hidden"> {codes.slice(most).join(' ')}</span>
            </>
          )}
        </>
      )}
    </span>
  )
}

/** The groups of the query, a line each. */
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
  query: GroupQuery
}) {
  const { rewards } = summary
  const { sort = 'order', descending = false } = query
  const isLong = useObservable(hasLongIds)
  const isNarrow = useMedia('screen and (max-width: 1100px)')
  const isWide = useMedia('screen and (min-width: 1501px)')
  const columns = useMemo(() => {
    const all = columnsFor(rewards, isWide ? MOST_CODES : MOST_CODES_NARROW, isLong)
    const folded = isNarrow ? FOLD_NARROW : FOLD_FIRST
    return isWide ? all : all.filter((column) => column.sort === sort || !folded.has(column.sort))
  }, [rewards, isNarrow, isWide, isLong, sort])
  return (
    <PositionList
      name="group"
      label="Groups"
      positions={positions}
      pages={groupPages}
      columns={columns}
      order={{ sort, descending }}
      question={JSON.stringify(query)}
      shown={shown}
      table={table}
      onSort={sortGroups}
      onChoose={showGroup}
      onOpen={openFirst}
    />
  )
}

async function openFirst(position: number): Promise<void> {
  const [first] = (await ask('groupMembers', { positions: [position] })).indices
  if (first !== undefined) openRollout(first)
}
