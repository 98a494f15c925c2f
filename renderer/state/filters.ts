import { create } from 'zustand'
import { explainQuery } from '../../shared/query/explain.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'
import type { SortColumn } from '../../shared/session/protocol.ts'

/** Which rollouts the table shows, and in which order. */
export interface FiltersState {
  /** In the query language (docs/query.md); empty = all. */
  readonly query: string
  readonly sort: SortColumn
  readonly descending: boolean
}

export const NO_FILTERS: FiltersState = { query: '', sort: 'index', descending: false }

export const useFilters = create<FiltersState>()(() => NO_FILTERS)

export function setQuery(query: string): void {
  useFilters.setState({ query: query.trim() })
}

export function isFiltered({ query }: FiltersState): boolean {
  return query.trim() !== ''
}

/** One line for people and for the manifest of an export: which rollouts these are. */
export function describeFilters({ query }: FiltersState): string {
  if (query.trim() === '') return 'all rollouts'
  const { root } = parseQuery(query)
  return root === null ? `query: ${query}` : `${explainQuery(root).replace(/\.$/, '')} (${query})`
}

/** Words are sorted from the first, numbers from the largest. */
const FROM_FIRST: ReadonlySet<SortColumn> = new Set(['index', 'id', 'group', 'end', 'source', 'labels', 'notes'])

/** A second click on the same column turns the order round. */
export function sortBy(column: SortColumn): void {
  useFilters.setState(({ sort, descending }) =>
    sort === column ? { descending: !descending } : { sort: column, descending: !FROM_FIRST.has(column) },
  )
}
