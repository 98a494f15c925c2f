import type { ReactNode } from 'react'
import type { Stream } from '../../../shared/model/streams.ts'
import type { Row, SortColumn } from '../../../shared/session/protocol.ts'
import { inDecimals } from '../../text/numbers.ts'

export interface Column {
  readonly key: string
  readonly title: string
  /** A sentence for the head of the column and for the choice of columns. */
  readonly means: string
  /** Narrowest width, and the share that it takes of what is left; 0 keeps it narrow. */
  readonly rem: number
  readonly grows: number
  readonly sort: SortColumn | null
  readonly isNumber: boolean
  /** Without this stream no rollout of a file has a value. */
  readonly needs: Stream | null
  /** The number in it, where it is one that has digits behind its point. */
  real?(row: Row): number | null
  /** Characters of the text in it, for which the column is made wider where there is room. */
  letters?(row: Row): number
  /** So many letters tell most of its texts apart where they are longer: it has room for them before another column is wider. */
  readonly apart?: number
  /** Made wider after all others: few rows have anything in it, and its texts stand whole elsewhere. */
  readonly yields?: true
  /** Null where the rollout has none. `position` is its place in the list, `letters` so many as the column has room for. */
  cell(row: Row, position: number, letters: number): ReactNode
}

/** Tracks of the grid that all rows share, and the width below which the table is scrolled sideways. */
export function gridOf(columns: readonly Column[]): { readonly tracks: string; readonly rem: number } {
  const tracks = columns.map(({ rem, grows }) => (grows === 0 ? `${rem}rem` : `minmax(${rem}rem, ${grows}fr)`))
  // A table of narrow columns alone still fills the window.
  if (columns.every(({ grows }) => grows === 0)) tracks.push('1fr')
  return { tracks: tracks.join(' '), rem: columns.reduce((sum, { rem }) => sum + rem, 0) }
}

/** An average letter, and what stands on either side of a text: in rem. */
const LETTER_REM = 0.5
const SIDES_REM = 1.1
/** Wider than this a column is for no text of its own. */
const MOST_REM = 17.6

/** Width that a column takes to show texts of so many characters, in rem. */
export function widthFor({ rem }: Pick<Column, 'rem'>, letters: number): number {
  return Math.max(rem, Math.min(MOST_REM, letters * LETTER_REM + SIDES_REM))
}

/** Characters for which a column has room; no number where it may be as wide as the window leaves it. */
export function lettersFor({ rem }: Pick<Column, 'rem'>): number {
  return rem >= MOST_REM ? Number.POSITIVE_INFINITY : Math.floor((rem - SIDES_REM) / LETTER_REM + ROUNDING)
}

const ROUNDING = 1e-6

/** The columns, none of numbers narrower than the longest of them: what is left of a number that is cut is another number. */
export function withWholeNumbers(columns: readonly Column[], letters: ReadonlyMap<string, number>): readonly Column[] {
  return columns.map((column) =>
    column.isNumber ? { ...column, rem: widthFor(column, letters.get(column.key) ?? 0) } : column,
  )
}

/** Width in which the texts of a column are told apart, in rem; of one without ids that is its least. */
export function widthApart(column: Column, letters: ReadonlyMap<string, number>): number {
  return widthFor(column, Math.min(column.apart ?? 0, letters.get(column.key) ?? 0))
}

/**
 * The columns, each as wide as its longest text as far as there is room: ids first as far as that tells them apart, then those that lack least, so that
 * as many as can be are whole. One label does not cut the findings of many rows: what a person wrote into few of them gets what the others leave.
 */
export function roomy(
  columns: readonly Column[],
  room: number,
  letters: ReadonlyMap<string, number>,
): readonly Column[] {
  let left = room - gridOf(columns).rem
  const widened = (column: Column, lack: number): Column => {
    const more = Math.max(0, Math.min(lack, left))
    left -= more
    return { ...column, rem: column.rem + more }
  }
  const apart = columns.map((column) => widened(column, widthApart(column, letters) - column.rem))
  const lacks = apart.map((column) => ({
    column,
    lack: widthFor(column, letters.get(column.key) ?? 0) - column.rem,
  }))
  const wide = new Map<Column, Column>()
  for (const { column, lack } of lacks.filter(({ lack }) => lack > 0).sort(inTurn))
    wide.set(column, widened(column, lack))
  return apart.map((column) => wide.get(column) ?? column)
}

type Lack = { readonly column: Column; readonly lack: number }

function inTurn(a: Lack, b: Lack): number {
  return Number(a.column.yields ?? false) - Number(b.column.yields ?? false) || a.lack - b.lack
}

/** What is wider or narrower than an average letter, in those, as fonts of an interface draw it; a digit is as wide as every other. */
const WIDE: Readonly<Record<string, number>> = {
  ' ': 0.56,
  '.': 0.55,
  ',': 0.55,
  '%': 1.7,
  '+': 1.48,
  '−': 1.45,
  L: 0.98,
  M: 1.52,
  T: 1.08,
}
const DIGIT = 1.1
const CAPITAL = 1.23

/** How wide codes of findings and numbers are, in average letters. */
export function codeLetters(text: string): number {
  let letters = 0
  for (const sign of text) letters += WIDE[sign] ?? (sign >= '0' && sign <= '9' ? DIGIT : CAPITAL)
  return letters
}

/** How many of the codes stand within so many average letters, at least one; where not all do, with room for how many more there are. */
export function codesThatFit(codes: readonly string[], letters: number): number {
  if (codeLetters(codes.join(' ')) <= letters) return codes.length
  const room = letters - codeLetters(` +${codes.length}`)
  const over = codes.findIndex((_, at) => codeLetters(codes.slice(0, at + 1).join(' ')) > room)
  return Math.max(1, over)
}

/** The columns without those that go first, in this order, as many as it takes until the others fit; `room` in rem. */
export function fitting(columns: readonly Column[], room: number, goFirst: readonly string[]): readonly Column[] {
  let kept = columns
  for (const key of goFirst) {
    if (gridOf(kept).rem <= room) break
    kept = kept.filter((column) => column.key !== key)
  }
  return kept
}

/** The columns, of which those of reals have this many digits behind their points, by key. */
export function withDecimals(columns: readonly Column[], decimals: ReadonlyMap<string, number>): readonly Column[] {
  return columns.map((column) => {
    const { real } = column
    if (real === undefined) return column
    const digits = decimals.get(column.key) ?? 0
    return {
      ...column,
      cell: (row) => {
        const value = real(row)
        return value === null ? null : inDecimals(value, digits)
      },
    }
  })
}
