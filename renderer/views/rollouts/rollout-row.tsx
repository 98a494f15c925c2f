import { memo } from 'react'
import type { Row } from '../../../shared/session/protocol.ts'
import { openRollout } from '../../commands/go.ts'
import { useFiles } from '../../state/files.ts'
import { selectRollout } from '../../state/selection.ts'
import { ABSENT } from '../../text/numbers.ts'
import { wholeId } from '../../text/visible.ts'
import { type Column, lettersFor } from './column.ts'
import { lackingWords } from './table-head.tsx'

interface RowProps {
  readonly index: number
  readonly row: Row | null
  readonly columns: readonly Column[]
  /** Place in the list. */
  readonly position: number
  readonly top: number
  readonly isSelected: boolean
  /** The first of its group, or of its step, where the table is sorted by that. */
  readonly isFirst: boolean
}

export const RolloutRow = memo(function RolloutRow(props: RowProps) {
  const { index, row, columns, position, top, isSelected, isFirst } = props
  return (
    <tr
      id={`rollout-${index}`}
      aria-rowindex={position + 2}
      aria-selected={isSelected}
      className={`rollout-row${isSelected ? ' selected' : ''}${isFirst ? ' first' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => selectRollout(index)}
      onDoubleClick={() => openRollout(index)}
    >
      {row === null ? (
        <td className="rollout-cell quiet">…</td>
      ) : (
        columns.map((column) => (
          <td key={column.key} className={column.isNumber ? 'rollout-cell number' : 'rollout-cell'}>
            <Cell column={column} row={row} position={position} />
          </td>
        ))
      )}
    </tr>
  )
})

function Cell({ column, row, position }: { column: Column; row: Row; position: number }) {
  const value = column.cell(row, position, lettersFor(column))
  if (value === null) return <Absent column={column} row={row} />
  if (column.key !== 'id') return value
  return (
    <button
      type="button"
      className="link row-open"
      title={wholeId(row.facts.id)}
      tabIndex={-1}
      onClick={() => openRollout(row.index)}
    >
      {value}
    </button>
  )
}

/** Nothing, and why: the file lacks the stream, or this rollout alone lacks a value. */
function Absent({ column: { needs, title }, row }: { column: Column; row: Row }) {
  const isLacking = useFiles(
    ({ report }) => needs !== null && report?.sources[row.facts.place.source]?.missing.includes(needs) === true,
  )
  const why = needs !== null && isLacking ? lackingWords(needs) : `This rollout has no value for “${title}”.`
  return (
    <span className="quiet" title={why}>
      {ABSENT}
    </span>
  )
}
