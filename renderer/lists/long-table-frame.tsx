import {
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useState,
} from 'react'
import { count as fullCount } from '../text/numbers.ts'
import type { LongTable } from './use-long-table.ts'

/** What surrounds the rows of a long table; its classes are `long-window`, `long-scroller` and `long-table`, and the same with its name. */
export function LongTableFrame({
  rows,
  name,
  label,
  count,
  table,
  current,
  paper,
  head,
  style,
  className = '',
  children,
}: {
  rows: LongTable
  name: 'rollout' | 'group'
  label: string
  /** Rows of the whole table. */
  count: number
  table: RefObject<HTMLTableElement | null>
  /** Id of the row that the keys are on, if it is drawn: no other can be named. */
  current: string | null
  /** Which rows are on paper, in words; null on a screen. */
  paper: string | null
  head: ReactNode
  style?: CSSProperties
  className?: string
  children: ReactNode
}) {
  // By a class: a selector with :has() would be looked at again for every row that scrolls by.
  const [isRinged, setIsRinged] = useState(false)
  const ring = ({ target, currentTarget }: SyntheticEvent) =>
    setIsRinged(target === currentTarget && currentTarget.matches(':focus-visible'))
  return (
    <div className={`long-window ${name}-window${isRinged ? ' ringed' : ''}`}>
      {paper !== null && <p className="print-only">{paper}</p>}
      {rows.isFlying && (
        <p className="flight-place" aria-hidden="true">
          row {fullCount(rows.first + 1)} of {fullCount(count)}
        </p>
      )}
      <div ref={rows.scroller} className={`long-scroller ${name}-scroller`}>
        <table
          ref={table}
          className={`long-table ${name}-table ${className}`.trimEnd()}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are selected and opened
          role="grid"
          aria-label={label}
          aria-rowcount={count + 1}
          tabIndex={0}
          style={style}
          onClick={keepKeys}
          onFocus={ring}
          onBlur={() => setIsRinged(false)}
          onKeyUp={ring}
          aria-activedescendant={rows.isFlying ? undefined : (current ?? undefined)}
        >
          {head}
          <tbody style={{ height: rows.height }}>
            {rows.isFlying ? <RowsInFlight rows={rows} name={name} /> : children}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** In place of rows that nobody can read: one sheet of lines that stays where the window is, so that a frame has nothing to draw anew. */
function RowsInFlight({ rows: { rowHeight, rowsInWindow }, name }: { rows: LongTable; name: string }) {
  const lines = rowsInWindow() + 1
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: the table alone can have the focus
    <tr
      aria-hidden="true"
      className={`flight-rows ${name}-row`}
      style={{
        top: rowHeight + 1,
        height: lines * rowHeight,
        lineHeight: `${rowHeight}px`,
        backgroundSize: `100% ${rowHeight}px`,
      }}
    >
      <td className={`${name}-cell quiet`}>{'…\n'.repeat(lines)}</td>
    </tr>
  )
}

/** After a click into the table its keys work at once: Enter opens the row and does not press a button again. */
function keepKeys(event: MouseEvent<HTMLTableElement>): void {
  // A button that was pressed by key keeps the focus: someone is walking from control to control.
  if (event.detail > 0) event.currentTarget.focus({ preventScroll: true })
}
