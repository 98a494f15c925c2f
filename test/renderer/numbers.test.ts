import { describe, expect, it } from 'vitest'
import { bytes, counted, decimalsOf, inDecimals, percent, percentOfColumn, real } from '../../renderer/text/numbers.ts'

describe('numbers for people', () => {
  it('never rounds a fault away, nor the last good one', () => {
    expect(percent(0.0001)).toBe('< 0.1 %')
    expect(percent(0.99999)).toBe('> 99.9 %')
    expect([percent(0), percent(0.0468), percent(0.5), percent(1)]).toEqual(['0 %', '4.7 %', '50 %', '100 %'])
  })

  it('gives shares of a column one digit behind the point, and leaves none and all without', () => {
    const column = [0, 0.2, 0.206, 1, 0.0001, 0.99999, Number.NaN]
    expect(column.map(percentOfColumn)).toEqual(['0 %', '20.0 %', '20.6 %', '100 %', '< 0.1 %', '> 99.9 %', '–'])
  })

  it('tells an absent number from a strange one', () => {
    expect(real(null)).toBe('–')
    expect([real(Number.NaN), real(Number.POSITIVE_INFINITY), real(Number.NEGATIVE_INFINITY)]).toEqual([
      'NaN',
      '∞',
      '−∞',
    ])
    expect([real(0), real(-0.08166), real(1.5), real(123456), real(-0)]).toEqual([
      '0',
      '−0.08166',
      '1.5',
      '123,456',
      '0',
    ])
  })

  it.each([
    { column: [0.9, 0.5533, -0.08167, 1, null], shown: ['0.9000', '0.5533', '−0.0817', '1.0000', '–'] },
    { column: [1, 0, 1], shown: ['1', '0', '1'] },
    { column: [0.5, 0.00002, -0], shown: ['0.5', '2.00e−5', '0.0'] },
    { column: [0.25, 12345.6, Number.NaN], shown: ['0.25', '12,350', 'NaN'] },
  ])('gives a column like decimals: $shown', ({ column, shown }) => {
    const decimals = decimalsOf(column)
    expect(column.map((value) => inDecimals(value, decimals))).toEqual(shown)
  })

  it('rounds a tie away from zero, as it is written', () => {
    expect([0.6375, -0.6375, 0.6725, 0.0005].map((value) => inDecimals(value, 3))).toEqual([
      '0.638',
      '−0.638',
      '0.673',
      '0.001',
    ])
  })

  it('chooses a unit for bytes', () => {
    expect([bytes(999_499), bytes(999_950), bytes(1000)]).toEqual(['999 kB', '1.0 MB', '1.0 kB'])
    expect([bytes(0), bytes(999), bytes(4_200_000), bytes(123_000_000_000)]).toEqual([
      '0 B',
      '999 B',
      '4.2 MB',
      '123 GB',
    ])
  })

  it('agrees in number', () => {
    expect([counted(1, 'rollout'), counted(1200, 'rollout')]).toEqual(['1 rollout', '1,200 rollouts'])
  })
})
