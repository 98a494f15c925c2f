import { expect, it } from 'vitest'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { resultOf, verdictOf } from '../hypotheses/input.ts'

/** Eight groups of eight, whose reward is the weighted sum of two components. */
function dumpOfTwo(
  [answer, style]: readonly [string, string],
  [ofAnswer, ofStyle]: readonly [number, number],
  isRight: (row: number) => boolean = (row) => row % 2 === 0,
) {
  const rows = Array.from({ length: 64 }, (_, row) => {
    const rewards = { [answer]: Number(isRight(row)), [style]: Number(row % 4 < 2) }
    const reward = ofAnswer * (rewards[answer] as number) + ofStyle * (rewards[style] as number)
    return factsOf(row, { group: `g${row >> 3}`, groupSize: 8, reward, rewards })
  })
  return dumpOf(rows)
}
const told = (dump: ReturnType<typeof dumpOf>) =>
  runOver('A09', dump).findings.map(({ severity, message }) => [severity, message])

it('of two components a format that leaves the answer without a say is noted', () => {
  expect(told(dumpOfTwo(['accuracy', 'format'], [0.02, 1]))).toEqual([
    ['info', 'Reward component format has over 99.9 % of the variance within groups'],
  ])
})

it.each([
  ['an answer beside a little format', ['accuracy', 'format'], [1, 0.1]],
  ['components that weigh alike', ['accuracy', 'format'], [1, 1]],
  ['names that do not say which is the answer', ['first', 'second'], [0.02, 1]],
  ['two ways to score the answer', ['exact_match', 'f1'], [0.02, 1]],
] as const)('nothing is said of %s', (_, names, weights) => {
  expect(told(dumpOfTwo(names, weights))).toEqual([])
})

it('nothing is said of an answer of full weight that is hardly ever right, or never', () => {
  expect(told(dumpOfTwo(['accuracy', 'format'], [1, 1], (row) => row === 8))).toEqual([])
  expect(told(dumpOfTwo(['accuracy', 'format'], [1, 0.5], () => false))).toEqual([])
})

it('H05 says that it is the conflict of components which keeps it from being contradicted', () => {
  const dump = dumpOfTwo(['accuracy', 'format'], [1, 0.5])
  const conflict = resultOf('A09', { affected: 1, checked: 1, rate: 1 })
  const { verdict, would_change: change } = verdictOf('H05', dump, { checks: [conflict] })
  expect(verdict).toBe('inconclusive')
  expect(change).toContainEqual(
    expect.stringMatching(/^contradicted if no reward component goes against another \(A09\)$/),
  )
  expect(verdictOf('H05', dump, { checks: [{ ...conflict, severity: 'info' }] }).verdict).toBe('contradicted')
})
