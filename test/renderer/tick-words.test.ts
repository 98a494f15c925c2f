import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueAxis } from '../../renderer/views/charts/axis.ts'
import { tickWords } from '../../renderer/views/charts/tick-words.ts'
import type { MeasureUnit } from '../../shared/session/requests/compare.ts'

describe('the numbers beside an axis', () => {
  it.each<[string, number[], MeasureUnit, string[]]>([
    ['as many decimals as the finest needs', [0, 0.5, 1], 'number', ['0', '0.5', '1.0']],
    ['whole numbers where they do', [-8, -6, 0], 'nats', ['−8', '−6', '0']],
    ['more digits where an axis begins late', [1500.2, 1500.4, 1500.6], 'tokens', ['1,500.2', '1,500.4', '1,500.6']],
    ['thousands in short', [0, 20_000, 40_000], 'tokens', ['0', '20K', '40K']],
    ['thousands that hardly differ', [10_100, 10_110, 10_120], 'tokens', ['10.10K', '10.11K', '10.12K']],
    ['millions that hardly differ', [1_234_500, 1_234_600], 'number', ['1,234.5K', '1,234.6K']],
    [
      'plain numbers where thousands would need many decimals',
      [10_100.1, 10_100.2],
      'number',
      ['10,100.1', '10,100.2'],
    ],
    ['negative thousands with the sign of all others', [-12_000, -10_000], 'number', ['−12K', '−10K']],
    ['shares', [0, 0.5, 1], 'share', ['0 %', '50 %', '100 %']],
    ['small shares', [0, 0.0001, 0.0002, 0.0005], 'share', ['0 %', '0.01 %', '0.02 %', '0.05 %']],
    ['what is very small', [0, 2e-5, 4e-5], 'nats', ['0', '2e−5', '4e−5']],
    ['what is very large', [0, 5e19, 1e20], 'number', ['0', '0.5e+20', '1.0e+20']],
    ['very small shares', [0, 5e-9], 'share', ['0 %', '5e−7 %']],
    ['ends that have no power of ten in common', [-1e-300, 1.5e308], 'number', ['−1e−300', '1.5e+308']],
    ['nothing', [0], 'number', ['0']],
  ])('are %s', (_, ticks, unit, words) => {
    expect(tickWords(ticks, unit)).toEqual(words)
  })

  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ noNaN: true, min: -2e6, max: 2e6 }),
  )
  // Most axes that begin away from zero are of values that hardly differ.
  const near = fc
    .tuple(value, fc.double({ noNaN: true, min: 0, max: 0.3 }))
    .map(([one, apart]) => [one, one * (1 - apart)])

  it('differ from tick to tick and read back to theirs', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(value), near), fc.constantFrom(2, 4), (values, pieces) => {
        const { ticks } = valueAxis(values, false, pieces)
        expect(new Set(ticks).size).toBe(ticks.length)
        const words = tickWords(ticks, 'number')
        expect(new Set(words).size).toBe(ticks.length)
        expect(words.map(readBack)).toEqual(ticks)
      }),
      { numRuns: 2000, examples: [[[-1.0010010010010013e308, -0], 2]] },
    )
  })

  it('differ from tick to tick also where they are shares', () => {
    const share = fc.oneof(fc.double({ noNaN: true, min: 0, max: 1 }), fc.double({ noNaN: true, min: 0, max: 1e-3 }))
    fc.assert(
      fc.property(fc.array(share), fc.constantFrom(2, 4), (values, pieces) => {
        const { ticks } = valueAxis(values, true, pieces)
        const words = tickWords(ticks, 'share')
        expect(new Set(words).size).toBe(ticks.length)
        expect(words.every((each) => each.endsWith(' %'))).toBe(true)
        for (const [at, tick] of ticks.entries()) expect(readBack(words[at] ?? '') / 100).toBeCloseTo(tick, 12)
      }),
      { numRuns: 1000 },
    )
  })
})

function readBack(words: string): number {
  const text = words.replace(' %', '').replaceAll('−', '-').replaceAll(',', '')
  const power = { K: 'e3', M: 'e6', B: 'e9', T: 'e12' }[text.at(-1) ?? '']
  return Number(power === undefined ? text : `${text.slice(0, -1)}${power}`)
}
