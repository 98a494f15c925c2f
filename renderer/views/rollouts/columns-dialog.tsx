import { useRef } from 'react'
import { Modal } from '../../app/modal.tsx'
import { chooseColumns } from '../../data/columns.ts'
import { useTableFields } from '../../data/table-fields.ts'
import { MOST_COLUMNS, moved, STANDARD_COLUMNS, toggled, useColumns } from '../../state/columns.ts'
import type { Column } from './column.ts'
import { COLUMNS, columnsOf, rewardColumn } from './columns.tsx'

/** Which columns the table shows, and in which order. Every change takes effect at once. */
export function ColumnsDialog() {
  const { shown, leftOut } = useColumns()
  const { rewards, moreRewards } = useTableFields()
  const list = useRef<HTMLDivElement>(null)
  const known = columnsOf(shown, rewards)
  const others = [...COLUMNS, ...rewards.map(rewardColumn)].filter(({ key }) => !shown.includes(key))
  const move = (key: string, step: 1 | -1) => {
    void chooseColumns(moved(shown, key, step))
  }
  const isFull = shown.length >= MOST_COLUMNS
  return (
    <Modal title="Columns">
      <p className="quiet">
        From the left to the right. With the focus on a column, ↑ and ↓ with Alt move it.
        {isFull && ` More than ${MOST_COLUMNS} at once cannot be shown.`}
      </p>
      {leftOut.length > 0 && (
        <p>
          The window is too narrow for all standard columns:{' '}
          {columnsOf(leftOut, [])
            .map(({ title }) => title)
            .join(', ')}{' '}
          {leftOut.length === 1 ? 'is' : 'are'} left out. Once you change the choice, it is shown as you make it.
        </p>
      )}
      <div ref={list} className="column-lists">
        <ColumnList
          label="Shown"
          columns={known}
          leftOut={leftOut}
          isShown
          onToggle={(key) => void chooseColumns(toggled(shown, key))}
          onMove={move}
        />
        <ColumnList
          label="Not shown"
          columns={others}
          leftOut={NONE}
          isShown={false}
          onToggle={(key) => void chooseColumns(toggled(shown, key))}
          onMove={null}
        />
      </div>
      {moreRewards > 0 && (
        <p className="quiet">This dump has {moreRewards} more reward components; they stand in the record itself.</p>
      )}
      <div className="form-buttons">
        <button type="button" className="button" onClick={() => void chooseColumns(STANDARD_COLUMNS)}>
          Back to the standard columns
        </button>
      </div>
    </Modal>
  )
}

const NONE: readonly string[] = []

interface ColumnListProps {
  readonly label: string
  readonly columns: readonly Column[]
  /** Keys of those that are chosen and not on screen. */
  readonly leftOut: readonly string[]
  readonly isShown: boolean
  readonly onToggle: (key: string) => void
  readonly onMove: ((key: string, step: 1 | -1) => void) | null
}

function ColumnList({ label, columns, leftOut, isShown, onToggle, onMove }: ColumnListProps) {
  return (
    <section>
      <h3>{label}</h3>
      <ul className="column-list" aria-label={label}>
        {columns.map(({ key, title, means }, at) => (
          <li key={key}>
            <label title={means}>
              <input
                type="checkbox"
                ref={(box) => {
                  if (box !== null) box.indeterminate = leftOut.includes(key)
                }}
                checked={isShown}
                data-first-focus={isShown && at === 0 ? true : undefined}
                onChange={() => onToggle(key)}
                onKeyDown={(event) => {
                  if (!event.altKey || onMove === null) return
                  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
                  event.preventDefault()
                  onMove(key, event.key === 'ArrowUp' ? -1 : 1)
                }}
              />
              <span>
                {key === 'flag' ? '⚑ flag' : key === 'index' ? '# place' : title}{' '}
                {leftOut.includes(key) && <em>left out for now · </em>}
                <span className="quiet">{means}</span>
              </span>
            </label>
            {onMove !== null && (
              <span className="column-moves">
                <button
                  type="button"
                  className="icon-button"
                  aria-label={`Move ${title} to the left`}
                  disabled={at === 0}
                  onClick={() => onMove(key, -1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  className="icon-button"
                  aria-label={`Move ${title} to the right`}
                  disabled={at === columns.length - 1}
                  onClick={() => onMove(key, 1)}
                >
                  ↓
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
