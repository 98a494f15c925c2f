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
  /** Null where the rollout has none. `position` is its place in the list. */
  cell(row: Row, position: number): ReactNode
}

/** Tracks of the grid that all rows share, and the width below which the table is scrolled sideways. */
export function gridOf(columns: readonly Column[]): { readonly tracks: string; readonly rem: number } {
  const tracks = columns.map(({ rem, grows }) => (grows === 0 ? `${rem}rem` : `minmax(${rem}rem, ${grows}fr)`))
  // A table of narrow columns alone still fills the window.
  if (columns.every(({ grows }) => grows === 0)) tracks.push('1fr')
  return { tracks: tracks.join(' '), rem: columns.reduce((sum, { rem }) => sum + rem, 0) }
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
