import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weightOf, weightUnits } from '../../shared/model/weight.ts'

const sum = (weights: readonly number[]) => weightOf(weights.reduce((units, weight) => units + weightUnits(weight), 0n))

describe('loss weights', () => {
  it('have the same sum in any order and any grouping', () => {
    // As doubles these sums differ in their last digits: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1.
    fc.assert(
      fc.property(fc.array(fc.float({ min: 0, max: 4, noNaN: true })), fc.nat(), (weights, cut) => {
        const at = cut % (weights.length + 1)
        expect(sum(weights.toReversed())).toBe(sum(weights))
        expect(sum([...weights.slice(at), ...weights.slice(0, at)])).toBe(sum(weights))
      }),
    )
  })

  it('are whole tokens exactly, however many', () => {
    expect(sum([2 ** 45, 1])).toBe(2 ** 45 + 1)
    expect(sum(Array.from({ length: 1000 }, () => 1))).toBe(1000)
  })

  it('may be tiny, as those of a loss that is averaged over a batch', () => {
    expect(sum([1e-8, 1e-8]) / 2e-8).toBeCloseTo(1, 3)
  })

  it('that are no numbers weigh nothing', () => {
    expect(sum([Number.NaN, Number.POSITIVE_INFINITY, 2])).toBe(2)
  })
})
