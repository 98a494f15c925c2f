import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RowKind } from '../../renderer/views/rollout/layout.ts'
import { lineAt, linesBetween, lineTops } from '../../renderer/views/rollout/line-tops.ts'

const kinds = fc.array(fc.constantFrom(...Object.values(RowKind)), { minLength: 1, maxLength: 60 })

function topsOf(kinds: readonly number[], isGrid: boolean) {
  return lineTops({ count: kinds.length, estimate: kinds.length, kinds: Uint8Array.from(kinds) }, isGrid)
}

describe('where lines stand', () => {
  it('is below the lines above, of which cells of the grid are taller', () => {
    expect(topsOf([RowKind.turn, RowKind.tokens, RowKind.fold], false).total).toBe(72)
    const tops = topsOf([RowKind.turn, RowKind.tokens, RowKind.fold], true)
    expect([0, 1, 2, 3].map(tops.topOf)).toEqual([0, 24, 70, 94])
    expect(tops.total).toBe(94)
  })

  it('leads back to the line, from its first pixel to its last', () => {
    fc.assert(
      fc.property(kinds, fc.boolean(), (kinds, isGrid) => {
        const tops = topsOf(kinds, isGrid)
        for (let line = 0; line < kinds.length; line++) {
          expect(lineAt(tops, tops.topOf(line))).toBe(line)
          expect(lineAt(tops, tops.topOf(line + 1) - 0.5)).toBe(line)
        }
        expect(lineAt(tops, -1)).toBe(0)
        expect(lineAt(tops, tops.total + 1)).toBe(kinds.length - 1)
      }),
    )
  })

  it('says which lines a window shows: every one that has a pixel in it', () => {
    fc.assert(
      fc.property(kinds, fc.boolean(), fc.nat(3000), fc.integer({ min: 1, max: 900 }), (kinds, isGrid, top, height) => {
        const tops = topsOf(kinds, isGrid)
        const [first, last] = linesBetween(tops, top, top + height)
        for (let line = 0; line < kinds.length; line++) {
          if (tops.topOf(line) < top + height && tops.topOf(line + 1) > top) {
            expect(line).toBeGreaterThanOrEqual(first)
            expect(line).toBeLessThanOrEqual(last)
          }
        }
        expect(first).toBeLessThanOrEqual(last)
        expect(last).toBeLessThan(kinds.length)
      }),
    )
  })

  it('is as high as it will be about, where only the first lines are laid out', () => {
    const tops = lineTops({ count: 2, estimate: 10, kinds: Uint8Array.of(RowKind.tokens, RowKind.tokens) }, false)
    expect(tops.total).toBe(240)
    expect(lineAt(tops, 200)).toBe(1)
  })

  it('is nowhere as long as there is no line', () => {
    expect(linesBetween(topsOf([], false), 0, 100)).toEqual([0, 0])
  })
})
