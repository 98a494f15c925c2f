import { type TextTable, tableText } from '../../shared/exports/table-text.ts'
import { saveTable } from '../data/exporting.ts'

/** Beside the heading of a table: asks how it is to be saved. `what` stands behind “Save”: `the turn edges`. */
export function SaveTableButton({
  what,
  stem,
  table,
}: {
  readonly what: string
  readonly stem: string
  readonly table: () => TextTable
}) {
  return (
    <button
      type="button"
      className="link save-table"
      aria-label={`Save ${what}…`}
      onClick={() => saveTable({ what, stem, make: async (as) => tableText(table(), as) })}
    >
      Save…
    </button>
  )
}
