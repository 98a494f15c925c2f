import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HEIGHT, seriesPath, WIDTH } from '../../renderer/views/verdicts/series-path.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, k) => k)

/** The numbers of a path, in pairs. */
function points(path: string): [number, number][] {
  return [...path.matchAll(/[ML](\S+?) ([^ML]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
}

describe('the line of a series', () => {
  it('goes from the first step to the last, from the least value to the greatest', () => {
    expect(seriesPath([10, 20, 30], [1, 3, 2])).toBe(`M0 ${HEIGHT}L0 ${HEIGHT}L${WIDTH / 2} 0L${WIDTH} ${HEIGHT / 2}`)
  })

  it('is broken where a step has no finite value', () => {
    const path = seriesPath([1, 2, 3, 4], [0, null, 1, null])
    expect(path.match(/M/g)).toHaveLength(2)
    expect(seriesPath([1, 2], [null, null])).toBe('')
    expect(seriesPath([], [])).toBe('')
  })

  it('keeps the one peak of a long series, and stays short', () => {
    const values = upTo(100_000).map((k) => (k === 54_321 ? 9 : 0))
    const drawn = points(seriesPath(upTo(100_000), values))
    expect(drawn.length).toBeLessThan(3 * WIDTH)
    expect(drawn.filter(([, y]) => y === 0)).toEqual([[expect.closeTo((54_321 / 100_000) * WIDTH, 0), 0]])
  })

  it('stays in its frame, whatever the numbers', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(fc.array(fc.option(finite), { maxLength: 2000 }), (values) => {
        for (const [x, y] of points(seriesPath(upTo(values.length), values))) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(WIDTH)
          expect(y).toBeGreaterThanOrEqual(0)
          expect(y).toBeLessThanOrEqual(HEIGHT)
        }
      }),
    )
  })
})
