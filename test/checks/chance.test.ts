import { expect, it } from 'vitest'
import { chanceOfAtLeast, chanceOfSoFew } from '../../shared/checks/reporting/chance.ts'

it('counts the draws that come out as often or oftener', () => {
  expect(chanceOfAtLeast(3, 3, 0.5)).toBeCloseTo(1 / 8)
  expect(chanceOfAtLeast(1, 3, 0.5)).toBeCloseTo(7 / 8)
})

it.each([
  ['none of a hundred where two others have it', [100, 0], [100, 2], (100 * 99) / (200 * 199)],
  ['none of eight where eight others have it', [8, 0], [8, 8], 1 / 12870],
  // C(10, 1) · C(10, 10) + C(10, 2) · C(10, 9), of C(20, 11): one of these has it whatever comes out.
  ['more than the others can have', [10, 2], [10, 9], (10 + 450) / 167960],
  ['as many as there are', [5, 5], [5, 5], 1],
] as const)('counts the ways in which so few come out: %s', (_, these, others, chance) => {
  const [a, b] = [these, others].map(([checked, affected]) => ({ checked, affected }))
  expect(chanceOfSoFew(a!, b!)).toBeCloseTo(chance, 10)
})
