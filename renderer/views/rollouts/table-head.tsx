import { memo } from 'react'
import type { Stream } from '../../../shared/model/streams.ts'
import { isLackingIn, useFiles } from '../../state/files.ts'
import { sortBy, useFilters } from '../../state/filters.ts'
import { STREAM_WORDS } from '../../text/words.ts'
import type { Column } from './column.ts'

const GLYPHS = { none: '', ascending: ' ▲', descending: ' ▼' } as const

/** Titles of the columns; a title sorts. A column that the dump has nothing for says so. */
export const TableHead = memo(function TableHead({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr aria-rowindex={1} className="rollout-row">
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} />
        ))}
      </tr>
    </thead>
  )
})

function HeadCell({ column }: { column: Column }) {
  const order = useFilters(({ sort, descending }) =>
    column.sort !== sort ? 'none' : descending ? 'descending' : 'ascending',
  )
  const lacking = useLacking(column.needs)
  const title = lacking === null ? column.means : `${column.means} ${lacking}`
  const name = (
    <>
      {column.key === 'flag' ? (
        <>
          <span aria-hidden="true">⚑</span>
          <span className="visually-hidden">flag</span>
        </>
      ) : (
        column.title
      )}
      {lacking !== null && <span className="visually-hidden"> ({lacking})</span>}
    </>
  )
  return (
    <th
      scope="col"
      aria-sort={column.sort === null ? undefined : order}
      className={`rollout-cell${column.isNumber ? ' number' : ''}${lacking === null ? '' : ' lacking'}`}
      title={title}
    >
      {column.sort === null ? (
        name
      ) : (
        <button type="button" className="sort" onClick={() => column.sort !== null && sortBy(column.sort)}>
          {name}
          <span aria-hidden="true" className="sort-glyph">
            {GLYPHS[order]}
          </span>
        </button>
      )}
    </th>
  )
}

/** A sentence where no file of the dump has the stream. */
function useLacking(stream: Stream | null): string | null {
  const isLacking = useFiles(({ report }) => isLackingIn(report, stream))
  return stream === null || !isLacking ? null : lackingWords(stream)
}

/** `There are no rewards in this dump: dump one per rollout (reward).` */
export function lackingWords(stream: Stream): string {
  const { name, how } = STREAM_WORDS[stream]
  return `Not in this dump: ${name}. To have it, ${how.replaceAll('`', '')}.`
}
