import { count, counted } from './numbers.ts'

/** How much of a table is on paper. `missing`: rows that were not there to be printed. */
export function rowsOnPaper(printed: number, rows: number, missing: number): string {
  const which =
    printed === rows
      ? `All ${counted(rows, 'row')}.`
      : `The first ${count(printed)} of ${count(rows)} rows; ${count(rows - printed)} are left out, and an export has all of them.`
  if (missing === 0) return which
  return `${which} ${counted(missing, 'row')} had not been fetched and ${missing === 1 ? 'is a line' : 'are lines'} with “…”: the command “Print…” waits for them.`
}

/** Which lines are on paper, numbered from 1; null where all of them are. */
export function linesOnPaper(first: number, last: number, lines: number): string | null {
  if (first <= 1 && last >= lines) return null
  return `Lines ${count(first)} to ${count(last)} of ${count(lines)}, those around the ones on screen; ${count(lines - (last - first + 1))} are left out.`
}
