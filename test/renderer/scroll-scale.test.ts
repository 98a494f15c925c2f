import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { barOf, furthest, MOST_DRAWN, scrollScale, topAfter } from '../../renderer/lists/scroll-scale.ts'

const ROW = 30
const scales = fc
  .tuple(fc.integer({ min: 1, max: 20_000_000 }), fc.integer({ min: ROW, max: 2000 }))
  .map(([rows, window]) => scrollScale(rows * ROW, window))

describe('a scroll bar that stands for more than it moves', () => {
  it('is never taller than browsers draw, and moves by the pixel where there is room', () => {
    expect(scrollScale(30 * 1_000_000, 800).drawn).toBe(MOST_DRAWN)
    const small = scrollScale(30 * 100, 800)
    expect(small.drawn).toBe(3000)
    expect(topAfter(small, { top: 0, bar: 0 }, 1234)).toBe(1234)
    expect(barOf(small, 1234)).toBe(1234)
  })

  it('reaches every row, and rests where it stands for its place', () => {
    fc.assert(
      fc.property(scales, fc.double({ min: 0, max: 1, noNaN: true }), (scale, share) => {
        const most = furthest(scale)
        const top = share * most.top
        const bar = barOf(scale, top)
        expect(bar).toBeGreaterThanOrEqual(0)
        expect(bar).toBeLessThanOrEqual(most.bar + 1e-6)
        // A jump onto that place of the bar shows the place, to a fraction of a row.
        const jumped = topAfter(scale, { top: -1e9, bar: -1e9 }, bar)
        const tolerance = scale.drawn === scale.total ? 1e-6 : most.top / most.bar + 1e-3
        expect(Math.abs(jumped - top)).toBeLessThanOrEqual(tolerance)
      }),
    )
  })

  it('moves the list by the pixel in small steps, and its ends are the ends of the list', () => {
    fc.assert(
      fc.property(
        scales,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: -2000, max: 2000 }),
        (scale, share, step) => {
          const most = furthest(scale)
          const before = { top: share * most.top, bar: barOf(scale, share * most.top) }
          const bar = Math.max(0, Math.min(most.bar, before.bar + step))
          const top = topAfter(scale, before, bar)
          expect(top).toBeGreaterThanOrEqual(0)
          expect(top).toBeLessThanOrEqual(most.top)
          if (bar === 0) expect(top).toBe(0)
          else if (bar === most.bar) expect(top).toBe(most.top)
          else if (Math.abs(bar - before.bar) <= scale.window && bar > 1 && bar < most.bar - 1) {
            const moved = Math.max(0, Math.min(most.top, before.top + bar - before.bar))
            expect(top).toBeCloseTo(moved, 3)
          }
        },
      ),
    )
  })
})
