import { type Cell, csvLine } from './csv.ts'
import { markdownText } from './markup.ts'

/** As what a table is written, in the order in which it is offered. */
export const TABLE_FORMATS = ['csv', 'json', 'markdown'] as const
export type TableFormat = (typeof TABLE_FORMATS)[number]

export const TABLE_ENDINGS: Readonly<Record<TableFormat, string>> = { csv: 'csv', json: 'json', markdown: 'md' }

export interface TextTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

/** A table as text. Of CSV no cell is a formula; JSON has an object for each row, with null where a cell is empty or no finite number. */
export function tableText({ columns, rows }: TextTable, as: TableFormat): string {
  if (as === 'csv') return [columns, ...rows].map((cells) => csvLine(cells)).join('')
  if (as === 'json') {
    const objects = rows.map((cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? null])))
    return `[${objects.map((each) => `\n${JSON.stringify(each)}`).join(',')}\n]\n`
  }
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const head = line(columns.map(markdownText)) + line(columns.map(() => '---'))
  return head + rows.map((cells) => line(cells.map((cell) => markdownText(String(cell ?? ''))))).join('')
}
