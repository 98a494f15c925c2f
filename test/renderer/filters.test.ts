import { beforeEach, describe, expect, it } from 'vitest'
import { describeFilters, isFiltered, NO_FILTERS, setQuery, sortBy, useFilters } from '../../renderer/state/filters.ts'

beforeEach(() => useFilters.setState(NO_FILTERS))

describe('filters', () => {
  it('are told in one line', () => {
    expect(describeFilters(NO_FILTERS)).toBe('all rollouts')
    expect(describeFilters({ ...NO_FILTERS, query: 'reward>=0.5' })).toBe(
      'Rollouts where reward is at least 0.5 (reward>=0.5)',
    )
    expect(describeFilters({ ...NO_FILTERS, query: 'reward>=' })).toBe('query: reward>=')
  })

  it('of spaces are none', () => {
    setQuery('   ')
    expect(isFiltered(useFilters.getState())).toBe(false)
    setQuery(' flag ')
    expect(useFilters.getState().query).toBe('flag')
  })

  it('sort numbers from the largest and names from the first, and turn round on a second click', () => {
    sortBy('reward')
    expect(useFilters.getState()).toMatchObject({ sort: 'reward', descending: true })
    sortBy('reward')
    expect(useFilters.getState()).toMatchObject({ sort: 'reward', descending: false })
    sortBy('id')
    expect(useFilters.getState()).toMatchObject({ sort: 'id', descending: false })
    sortBy('reward.format')
    expect(useFilters.getState()).toMatchObject({ sort: 'reward.format', descending: true })
  })
})
