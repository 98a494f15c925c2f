import { afterEach, describe, expect, it } from 'vitest'
import { forgetPlaces, goTo } from '../../renderer/state/place.ts'
import { groupsPlace, narrow } from '../../renderer/views/groups/groups-place.ts'

afterEach(forgetPlaces)

describe('the step whose groups are listed', () => {
  it.each([0, -3, 12, 0.25, 1e-7, 1763817600000, 1.5e21])('%d comes back out of the address', (step) => {
    narrow({ step: 7 })
    narrow({ step })
    expect(groupsPlace().query.step).toBe(step)
    narrow({ step: null })
    expect(groupsPlace().query).toEqual({})
  })

  it.each(['', ' ', 'last', 'NaN', 'Infinity', '-Infinity', '1e999', '3 4'])('“%s” narrows nothing', (step) => {
    goTo('groups', { step })
    expect(groupsPlace().query).toEqual({})
  })
})
