import { describe, expect, it } from 'vitest'
import { placeAfter } from '../../renderer/views/charts/place-after.ts'

describe('the keys of a chart by step', () => {
  it.each<[string, number | null, number, number | null]>([
    ['ArrowRight', null, 40, 0],
    ['ArrowUp', 3, 40, 4],
    ['ArrowRight', 39, 40, 39],
    ['ArrowLeft', null, 40, 39],
    ['ArrowDown', 3, 40, 2],
    ['ArrowLeft', 0, 40, 0],
    ['PageUp', 3, 40, 7],
    ['PageDown', 3, 40, 0],
    // A leap is a step at least.
    ['PageUp', 1, 3, 2],
    ['Home', 20, 40, 0],
    ['End', null, 40, 39],
    ['Tab', 3, 40, null],
    ['End', null, 0, null],
  ])('%s from %s of %s points leads to %s', (key, at, points, to) => {
    expect(placeAfter(key, at, points)).toBe(to)
  })
})
