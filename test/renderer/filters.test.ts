import { beforeEach, describe, expect, it } from 'vitest'
import { describeFilters, NO_FILTERS, sortBy, toggleCode, toQuery, useFilters } from '../../renderer/state/filters.ts'

beforeEach(() => useFilters.setState(NO_FILTERS))

describe('filters', () => {
  it('ask for everything when nothing is chosen', () => {
    expect(toQuery(NO_FILTERS, [4])).toEqual({ sort: 'index', descending: false })
  })

  it('keep the flagged among those behind a number', () => {
    const filters = { ...NO_FILTERS, flaggedOnly: true, behind: { indices: [1, 2, 3], why: 'of 10 to 19 tokens' } }
    expect(toQuery(filters, [3, 9]).only).toEqual([3])
    expect(toQuery({ ...filters, behind: null }, [3, 9]).only).toEqual([3, 9])
    expect(describeFilters(filters)).toBe('rollouts of 10 to 19 tokens, flagged')
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
