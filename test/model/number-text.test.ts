import fc from 'fast-check'
import { expect, test } from 'vitest'
import { count, measured } from '../../shared/model/number-text.ts'

const written = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

test('whole numbers have a comma before each three digits', () => {
  expect([0, 7, 999, 1_000, 910_233, 1_234_567_890].map(count)).toEqual([
    '0',
    '7',
    '999',
    '1,000',
    '910,233',
    '1,234,567,890',
  ])
})

test('any number is written as the rules of English say', () => {
  const edges = [
    -0,
    -1,
    -999,
    -1_000,
    -123_456,
    0.5,
    1.5,
    -0.4,
    999.5,
    1e21,
    2 ** 53,
    -(2 ** 53),
    NaN,
    Infinity,
    -Infinity,
  ]
  for (const value of edges) expect(count(value)).toBe(written.format(value))
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.double()), (value) => {
      expect(count(value)).toBe(written.format(value))
    }),
  )
})

test('a measure below 0 has the sign of prose, a number between words too', () => {
  expect(measured('correlation of length and reward', -0.2497)).toBe('−0.2497')
  expect(measured('mean reward', -3)).toBe('−3')
  expect(measured('mean reward', 3)).toBe('3')
})

test('a difference of shares is written as the shares are', () => {
  expect(measured('difference of the shares of rollouts that were cut', 0.3125)).toBe('31.3 %')
})
