import { create } from 'zustand'
import type { RowQuery, SortColumn } from '../../shared/session/protocol.ts'

export interface FiltersState {
  /** Check codes of which a shown rollout has at least one. */
  readonly codes: readonly string[]
  /** Rollouts behind a number that was clicked, with what the number said. */
  readonly behind: { readonly indices: readonly number[]; readonly why: string } | null
  readonly flaggedOnly: boolean
  readonly sort: SortColumn
  readonly descending: boolean
}

export const NO_FILTERS: FiltersState = {
  codes: [],
  behind: null,
  flaggedOnly: false,
  sort: 'index',
  descending: false,
}

export const useFilters = create<FiltersState>()(() => NO_FILTERS)

export function isFiltered(filters: FiltersState): boolean {
  return filters.codes.length > 0 || filters.behind !== null || filters.flaggedOnly
}

/** The engine's question for these filters. `flagged` are the indices of flagged rollouts. */
export function toQuery(filters: FiltersState, flagged: readonly number[]): RowQuery {
  let only = filters.behind?.indices ?? null
  if (filters.flaggedOnly) {
    const keep = new Set(flagged)
    only = only === null ? [...keep] : only.filter((index) => keep.has(index))
  }
  return {
    ...(filters.codes.length > 0 ? { findings: filters.codes } : {}),
    ...(only === null ? {} : { only }),
    sort: filters.sort,
    descending: filters.descending,
  }
}

/** One sentence for the manifest of an export: which rollouts these are. */
export function describeFilters(filters: FiltersState): string {
  const parts: string[] = []
  if (filters.codes.length > 0) parts.push(`with a finding of ${filters.codes.join(' or ')}`)
  if (filters.behind !== null) parts.push(filters.behind.why)
  if (filters.flaggedOnly) parts.push('flagged')
  return parts.length === 0 ? 'all rollouts' : `rollouts ${parts.join(', ')}`
}

export function toggleCode(code: string): void {
  useFilters.setState(({ codes }) => ({
    codes: codes.includes(code) ? codes.filter((other) => other !== code) : [...codes, code].sort(),
  }))
}

/** A second click on the same column turns the order round; numbers start with the largest. */
export function sortBy(column: SortColumn): void {
  useFilters.setState(({ sort, descending }) =>
    sort === column
      ? { descending: !descending }
      : { sort: column, descending: column !== 'index' && column !== 'id' && column !== 'group' && column !== 'end' },
  )
}
