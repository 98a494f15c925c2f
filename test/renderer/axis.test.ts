import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stepTicks, valueAxis } from '../../renderer/views/charts/axis.ts'

describe('an axis', () => {
  it.each([
    ['from zero on', [0.2, 0.7, null], [0, 0.2, 0.4, 0.6, 0.8]],
    [
      'not from zero where that would flatten what values do',
      [100.1, 100.2, 100.3],
      [100.1, 100.15, 100.2, 100.25, 100.3],
    ],
    ['with zero among its numbers where values lie about it', [-0.4, 0.5], [-0.5, 0, 0.5]],
    ['up to zero for losses', [-8, -2], [-8, -6, -4, -2, 0]],
    ['for a level line', [3, 3], [0, 1, 2, 3]],
    ['for a line that is level but for how sums are rounded', [0.3, 0.1 + 0.2], [0, 0.1, 0.2, 0.3]],
    ['for nothing but zero', [0, 0], [0, 0.5, 1]],
    ['where no value is known', [null], [0, 1]],
  ])('is drawn %s', (_, values, ticks) => {
    expect(valueAxis(values, false).ticks).toEqual(ticks)
  })

  it('of shares goes from nothing, to one at most', () => {
    expect(valueAxis([0.95, 1], true, 2)).toEqual({ from: 0, to: 1, ticks: [0, 0.5, 1] })
    expect(valueAxis([0, 1], true)).toEqual({ from: 0, to: 1, ticks: [0, 0.5, 1] })
    expect(valueAxis([0.3, 0.97], true, 2)).toEqual({ from: 0, to: 1, ticks: [0, 0.5, 1] })
  })

  it('spans all values, however large or small, by a few numbers that ascend', () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.boolean(), (values, isShare) => {
        const { from, to, ticks } = valueAxis(values, isShare)
        const slack = (to / 2 - from / 2) * 1e-5
        expect(from).toBeLessThanOrEqual(Math.min(...values) + slack)
        expect(to).toBeGreaterThanOrEqual(Math.max(...values) - slack)
        expect(from).toBeLessThan(to)
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(ticks.length).toBeLessThanOrEqual(7)
        expect([...ticks].sort((a, b) => a - b)).toEqual(ticks)
        for (const tick of ticks) expect(tick >= from && tick <= to).toBe(true)
      }),
    )
  })

  it('writes steps between the first and the last that stand apart from both', () => {
    expect(stepTicks(0, 100)).toEqual([20, 40, 60, 80])
    expect(stepTicks(1, 3)).toEqual([2])
    // `step 40` stands on the left, and 100 would stand in it.
    expect(stepTicks(40, 399)).toEqual([200, 300])
    expect(stepTicks(40, 45)).toEqual([41, 42, 43, 44])
    expect(stepTicks(5, 5)).toEqual([])
    expect(stepTicks(0, Number.MAX_VALUE).length).toBeLessThan(6)
  })
})
