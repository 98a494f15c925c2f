import { beforeEach, describe, expect, it } from 'vitest'
import {
  describeFilters,
  type FiltersState,
  NO_FILTERS,
  sortBy,
  toggleCode,
  toQuery,
  useFilters,
} from '../../renderer/state/filters.ts'

beforeEach(() => useFilters.setState(NO_FILTERS))

describe('filters', () => {
  it('ask for everything when nothing is chosen', () => {
    expect(toQuery(NO_FILTERS, [4])).toEqual({ sort: 'index', descending: false })
  })

  it('keep the flagged among those behind a number', () => {
    const filters: FiltersState = { ...NO_FILTERS, codes: ['M01'], flaggedOnly: true, where: { lostText: true } }
    expect(toQuery(filters, [3, 9])).toEqual({
      findings: ['M01'],
      where: { lostText: true },
      only: [3, 9],
      sort: 'index',
      descending: false,
    })
    expect(describeFilters(filters, null)).toBe('rollouts with: a finding of M01; lost text; flagged')
    expect(describeFilters(NO_FILTERS, null)).toBe('all rollouts')
  })

  it('ask for nothing, not for everything, when nothing is flagged', () => {
    expect(toQuery({ ...NO_FILTERS, flaggedOnly: true }, []).only).toEqual([])
  })

  it('toggle codes in order', () => {
    for (const code of ['T05', 'M01', 'C03', 'T05']) toggleCode(code)
    expect(useFilters.getState().codes).toEqual(['C03', 'M01'])
  })

  it('sort numbers from the largest and names from the first, and turn round on a second click', () => {
    sortBy('reward')
    expect(useFilters.getState()).toMatchObject({ sort: 'reward', descending: true })
    sortBy('reward')
    expect(useFilters.getState()).toMatchObject({ sort: 'reward', descending: false })
    sortBy('id')
    expect(useFilters.getState()).toMatchObject({ sort: 'id', descending: false })
  })
})
