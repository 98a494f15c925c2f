import type { ReactNode } from 'react'
import type { TrajectoryFacts } from '../../../shared/checks/facts.ts'
import type { Row, SortColumn } from '../../../shared/session/protocol.ts'
import { ABSENT, count, percent, real } from '../../text/numbers.ts'
import { END_WORDS, SEVERITY_WORDS } from '../../text/words.ts'
import { MaskStrip } from './mask-strip.tsx'

export interface Column {
  readonly key: string
  readonly title: string
  /** CSS grid track. */
  readonly width: string
  readonly sort: SortColumn | null
  readonly isNumber?: boolean
  cell(row: Row): ReactNode
}

export const COLUMNS: readonly Column[] = [
  { key: 'index', title: '#', width: '3.6rem', sort: 'index', isNumber: true, cell: (row) => count(row.index) },
  { key: 'id', title: 'id', width: 'minmax(7rem, 1.2fr)', sort: 'id', cell: ({ facts }) => facts.id },
  {
    key: 'group',
    title: 'group',
    width: 'minmax(4rem, 0.7fr)',
    sort: 'group',
    cell: ({ facts }) => facts.group ?? ABSENT,
  },
  { key: 'step', title: 'step', width: '4rem', sort: 'step', isNumber: true, cell: ({ facts }) => real(facts.step) },
  {
    key: 'reward',
    title: 'reward',
    width: '5rem',
    sort: 'reward',
    isNumber: true,
    cell: ({ facts }) => real(facts.reward),
  },
  {
    key: 'advantage',
    title: 'advantage',
    width: '6rem',
    sort: 'advantage',
    isNumber: true,
    cell: ({ facts }) => real(facts.advantage),
  },
  {
    key: 'tokens',
    title: 'tokens',
    width: '5rem',
    sort: 'tokens',
    isNumber: true,
    cell: ({ facts }) => (hasIds(facts) ? count(facts.length) : ABSENT),
  },
  {
    key: 'trained',
    title: 'trained',
    width: '5.5rem',
    sort: 'trained',
    isNumber: true,
    cell: ({ facts }) =>
      facts.trained === null ? ABSENT : facts.realLength === 0 ? ABSENT : percent(facts.trained / facts.realLength),
  },
  {
    key: 'mask',
    title: 'mask',
    width: 'minmax(8rem, 1.6fr)',
    sort: null,
    cell: ({ facts }) => <MaskStrip strip={facts.strip} />,
  },
  {
    key: 'turns',
    title: 'turns',
    width: '4rem',
    sort: 'turns',
    isNumber: true,
    cell: ({ facts }) => count(facts.turns),
  },
  {
    key: 'end',
    title: 'end',
    width: '8rem',
    sort: 'end',
    cell: ({ facts }) =>
      facts.endReason.startsWith('cut') ? (
        <>
          <span aria-hidden="true">✂</span> {END_WORDS[facts.endReason]}
        </>
      ) : (
        END_WORDS[facts.endReason]
      ),
  },
  {
    key: 'findings',
    title: 'findings',
    width: 'minmax(11rem, 2fr)',
    sort: 'findings',
    cell: (row) => <Codes row={row} />,
  },
]

/** A dump of messages alone has no length in tokens, not even that of nothing. */
export function hasIds(facts: TrajectoryFacts): boolean {
  return facts.idsHash !== null || facts.length > 0
}

const FLAG_WIDTH = '3rem'

export const GRID_TRACKS = [...COLUMNS.map((column) => column.width), FLAG_WIDTH].join(' ')

function Codes({ row }: { row: Row }) {
  if (row.worst === null) return <span className="quiet">none</span>
  const { glyph, name } = SEVERITY_WORDS[row.worst]
  return (
    <span title={row.codes.join(', ')}>
      <span className={`severity ${row.worst}`} aria-hidden="true">
        {glyph}
      </span>
      <span className="visually-hidden">worst: {name}.</span> {row.codes.join(' ')}
    </span>
  )
}
