import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atOnce, filtered, forEachOf, sorted } from '../../shared/model/steps.ts'

const rows = fc.array(fc.record({ key: fc.nat(20), at: fc.nat() }), { maxLength: 40 }).chain((few) =>
  // Of more rows than one step takes, too.
  fc.constantFrom(1, 60).map((times) => Array.from({ length: times }, () => few).flat()),
)

describe('rows in steps', () => {
  test('are sorted as at once, equal ones in their own order', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const own = given.map(({ key }, at) => ({ key, at }))
        const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key
        expect(atOnce(sorted(own, byKey))).toEqual([...own].sort(byKey))
      }),
    )
  })

  test('are each looked at once, in order', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const seen: unknown[] = []
        atOnce(forEachOf(given, (row, index) => seen.push([row, index])))
        expect(seen).toEqual(given.map((row, index) => [row, index]))
        expect(atOnce(filtered(given, ({ key }) => key > 9))).toEqual(given.filter(({ key }) => key > 9))
      }),
    )
  })

  test('of a long list are left alone in between', () => {
    const shares = [...forEachOf(Array.from({ length: 5000 }), () => undefined)]
    expect(shares.length).toBeGreaterThan(5)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(
      [
        ...sorted(
          Array.from({ length: 5000 }, (_, i) => -i),
          (a, b) => a - b,
        ),
      ].length,
    ).toBeGreaterThan(5)
  })
})
