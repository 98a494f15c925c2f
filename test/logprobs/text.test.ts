import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digits, rounded } from '../../shared/checks/logprobs/text.ts'

test('three digits are those that the exact way gives', () => {
  const exactly = (value: number) => String(Number(value.toPrecision(3)))
  const ties = fc.tuple(fc.integer({ min: -20_000, max: 20_000 }), fc.constantFrom(2e5, 2e4, 2000, 200, 20, 2))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.double(),
        fc.double({ min: -120, max: 120 }),
        ties.map(([whole, by]) => whole / by),
      ),
      (value) => {
        expect(String(rounded(value))).toBe(exactly(value))
      },
    ),
    {
      numRuns: 20_000,
      examples: [[0.0999999], [0.1], [1.005], [9.995], [99.95], [-0.0125], [0], [-0]].map(
        ([x]) => [x as number] as [number],
      ),
    },
  )
})

test('a number below 0 is written with a minus sign, and is a number without one', () => {
  expect(digits(-0.02361)).toBe('−0.0236')
  expect(rounded(-0.02361)).toBe(-0.0236)
})
