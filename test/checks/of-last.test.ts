import { expect, test } from 'vitest'
import { forgetLast, OfLast, TOGETHER } from '../../shared/checks/of-last.ts'

test('what was found out is kept for as many as are looked at together, and let go of at once', () => {
  const found = new OfLast<object, number | null>()
  const keys = Array.from({ length: TOGETHER }, () => ({}))
  for (const [index, key] of keys.entries()) {
    expect(found.get(key)).toBeUndefined()
    found.set(key, index === 0 ? null : index)
  }
  expect(keys.map((key) => found.get(key))).toEqual(keys.map((_, index) => (index === 0 ? null : index)))
  found.set({}, TOGETHER)
  expect(keys.filter((key) => found.get(key) !== undefined).length).toBeLessThan(TOGETHER)
  found.set(keys[0] as object, 7)
  forgetLast()
  expect(found.get(keys[0] as object)).toBeUndefined()
})
