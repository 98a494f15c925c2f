import { expect, it } from 'vitest'
import { turnBars } from '../../renderer/views/verdicts/turn-bars.ts'

const bar = (from: number, to: number, affected: number) => ({ from, to, affected })

it('draws a bar a turn as long as there is room, those without a fault too', () => {
  expect(turnBars({ 1: 0, 2: 5, 10: 3 })).toEqual([bar(1, 1, 0), bar(2, 2, 5), bar(10, 10, 3)])
  expect(turnBars({})).toEqual([])
  expect(turnBars({ 1: 0, 2: 0 })).toEqual([])
})

it('shows faults of late turns among hundreds, in bars of as many turns each', () => {
  const counts = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [at + 1, at + 1 === 150 ? 7 : 0]))
  const bars = turnBars(counts)
  expect(bars).toHaveLength(8)
  expect(bars[0]).toEqual(bar(1, 25, 0))
  expect(bars.at(-1)).toEqual(bar(176, 200, 0))
  expect(bars.filter(({ affected }) => affected > 0)).toEqual([bar(126, 150, 7)])
})
