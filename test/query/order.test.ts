import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ordered, orderOf } from '../../shared/query/order.ts'

const number = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ min: -1, max: 2 }))

const spreads = fc.constantFrom<(number: number, i: number) => number>(
  (number) => number,
  (number, i) => number * 10 ** (i % 7),
  (number) => Math.exp(300 * number),
  (number, i) => (i % 1000 === 0 ? 1e12 * number : 1 + 1e-9 * number),
  (number, i) => (i === 5 ? number * 1e300 : number * 1e-300),
  (number) => Math.round(1e9 * number),
)

describe('order', () => {
  test('is that of a plain sort, absent ones last in both directions', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(number, fc.double())), fc.boolean(), (given, descending) => {
        const values = Float64Array.from(given)
        const direction = descending ? -1 : 1
        const plainly = given
          .map((_, i) => i)
          .sort((a, b) => {
            const [left, right] = [values[a] as number, values[b] as number]
            if (Number.isNaN(left) || Number.isNaN(right))
              return Number(Number.isNaN(left)) - Number(Number.isNaN(right)) || a - b
            return (left < right ? -1 : left > right ? 1 : 0) * direction || a - b
          })
        expect([...ordered(values, descending)]).toEqual(plainly)
      }),
      { numRuns: 500 },
    )
  })

  test('is the same for many different numbers', () => {
    fc.assert(
      fc.property(fc.double(), fc.integer(), fc.boolean(), spreads, (one, seed, descending, spread) => {
        const values = Float64Array.from({ length: 6000 }, (_, i) => {
          const number = spread(Math.sin(i * (seed + 1)), i)
          return i % 11 === 0 ? one : i % 13 === 0 ? Number.NaN : i % 17 === 0 ? -0 : i % 19 === 0 ? 0 : number
        })
        const inOrder = ordered(values, descending)
        expect(new Set(inOrder).size).toBe(values.length)
        const isBefore = (one: number, other: number) => {
          const [left, right] = [values[one] as number, values[other] as number]
          if (left === right || (Number.isNaN(left) && Number.isNaN(right))) return one < other
          return Number.isNaN(right) || (descending ? left > right : left < right)
        }
        const wrong = inOrder.findIndex((index, i) => i > 0 && !isBefore(inOrder[i - 1] as number, index))
        expect(wrong).toBe(-1)
      }),
      { numRuns: 60 },
    )
  })

  test('tells whether numbers are all different, where sorting them tells it', () => {
    const told = new Set<boolean | null>()
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.boolean(), fc.boolean(), (seed, descending, hasTwins) => {
        const values = Float64Array.from({ length: 6000 }, (_, i) => Math.sin(i * seed + 0.5))
        if (hasTwins) values[5000] = values[17] as number
        const { areDifferent } = orderOf(values, descending)
        told.add(areDifferent)
        if (areDifferent !== null) expect(areDifferent).toBe(new Set(values).size === values.length)
      }),
      { numRuns: 60 },
    )
    expect(told).toContain(true)
    expect(told).toContain(false)
  })
})
