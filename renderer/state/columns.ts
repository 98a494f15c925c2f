import { create } from 'zustand'

/** Columns of the table as they stand beside each other, by key. */
export const STANDARD_COLUMNS: readonly string[] = [
  'index',
  'flag',
  'id',
  'group',
  'step',
  'reward',
  'advantage',
  'tokens',
  'trained',
  'mask',
  'turns',
  'end',
  'findings',
  'labels',
  'notes',
]

/** More columns than this nobody reads, and each costs an element a row. */
export const MOST_COLUMNS = 40

export interface ColumnsState {
  readonly shown: readonly string[]
  /** Of the standard columns those that the window is too narrow for. */
  readonly leftOut: readonly string[]
}

export const useColumns = create<ColumnsState>()(() => ({ shown: STANDARD_COLUMNS, leftOut: [] }))

/** Shows a column behind the others, or takes it away; the last one stays. */
export function toggled(shown: readonly string[], key: string): readonly string[] {
  if (!shown.includes(key)) return shown.length < MOST_COLUMNS ? [...shown, key] : shown
  return shown.length === 1 ? shown : shown.filter((other) => other !== key)
}

/** Moves a column one place. */
export function moved(shown: readonly string[], key: string, step: 1 | -1): readonly string[] {
  const from = shown.indexOf(key)
  const to = from + step
  if (from < 0 || to < 0 || to >= shown.length) return shown
  const next = [...shown]
  next.splice(from, 1)
  next.splice(to, 0, key)
  return next
}

/** What may have been kept by an older version, or by hand: keys, each once; null where nothing of it is. */
export function columnsFrom(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null
  const keys = [...new Set(value.filter((key): key is string => typeof key === 'string' && key !== ''))]
  return keys.length === 0 ? null : keys.slice(0, MOST_COLUMNS)
}
