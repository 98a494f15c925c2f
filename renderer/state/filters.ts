import { create } from 'zustand'
import type { Report, RolloutFilter } from '../../shared/model/report.ts'
import type { RowQuery, SortColumn } from '../../shared/session/protocol.ts'
import { filterWords } from '../text/filter-words.ts'

export interface FiltersState {
  /** Check codes of which a shown rollout has at least one. */
  readonly codes: readonly string[]
  /** What the rollouts behind a number have in common; null where no such number was followed. */
  readonly where: RolloutFilter | null
  readonly flaggedOnly: boolean
  readonly sort: SortColumn
  readonly descending: boolean
}

export const NO_FILTERS: FiltersState = {
  codes: [],
  where: null,
  flaggedOnly: false,
  sort: 'index',
  descending: false,
}

export const useFilters = create<FiltersState>()(() => NO_FILTERS)

export function isFiltered(filters: FiltersState): boolean {
  return filters.codes.length > 0 || filters.where !== null || filters.flaggedOnly
}

/** The engine's question for these filters. `flagged` are the indices of flagged rollouts. */
export function toQuery(filters: FiltersState, flagged: readonly number[]): RowQuery {
  return {
    ...(filters.codes.length > 0 ? { findings: filters.codes } : {}),
    ...(filters.where === null ? {} : { where: filters.where }),
    ...(filters.flaggedOnly ? { only: flagged } : {}),
    sort: filters.sort,
    descending: filters.descending,
  }
}

/** One line for people and for the manifest of an export: which rollouts these are. */
export function describeFilters(filters: FiltersState, limits: Report['limits'] | null): string {
  const parts: string[] = []
  if (filters.codes.length > 0) parts.push(`a finding of ${filters.codes.join(' or ')}`)
  if (filters.where !== null) parts.push(filterWords(filters.where, limits))
  if (filters.flaggedOnly) parts.push('flagged')
  return parts.length === 0 ? 'all rollouts' : `rollouts with: ${parts.join('; ')}`
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
