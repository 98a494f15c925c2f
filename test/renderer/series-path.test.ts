import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Frame, seriesPath } from '../../renderer/views/charts/series-path.ts'

const WIDTH = 240

const upTo = (count: number) => Array.from({ length: count }, (_, k) => k)
/** One unit for each step and value. */
const plain: Frame = { width: WIDTH, x: (step) => step, y: (value) => value }
/** As a chart of so many steps has it. */
const across = (steps: number): Frame => ({ ...plain, x: (step) => (step / Math.max(1, steps - 1)) * WIDTH })

/** The numbers of a path, in pairs. */
function points(path: string): [number, number][] {
  return [...path.matchAll(/[ML](\S+?) ([^ML]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
}

describe('the line of a series', () => {
  it('goes from step to step through the values', () => {
    expect(seriesPath([10, 20, 30], [1, 3, 2], plain)).toBe('M10 1L10 1L20 3L30 2')
  })

  it('is broken where a step has no finite value', () => {
    const path = seriesPath([1, 2, 3, 4], [0, null, 1, null], plain)
    expect(path.match(/M/g)).toHaveLength(2)
    expect(seriesPath([1, 2], [null, null], plain)).toBe('')
    expect(seriesPath([], [], plain)).toBe('')
  })

  it('keeps the one peak of a long series, and stays short', () => {
    const values = upTo(100_000).map((k) => (k === 54_321 ? 9 : 0))
    const drawn = points(seriesPath(upTo(100_000), values, across(100_000)))
    expect(drawn.length).toBeLessThan(3 * WIDTH)
    expect(drawn.filter(([, y]) => y === 9)).toEqual([[expect.closeTo((54_321 / 100_000) * WIDTH, 0), 9]])
  })

  it('stays among its steps and values, whatever these are', () => {
    const value = fc.integer({ min: -1000, max: 1000 })
    fc.assert(
      fc.property(fc.array(fc.option(value), { maxLength: 2000 }), (values) => {
        const given = new Set(values)
        for (const [x, y] of points(seriesPath(upTo(values.length), values, across(values.length)))) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(WIDTH)
          expect(given.has(y)).toBe(true)
        }
      }),
    )
  })
})
