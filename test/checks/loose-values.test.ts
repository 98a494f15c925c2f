import { expect, it } from 'vitest'
import { FactColumns } from '../../shared/checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { groupFacts } from '../helpers/facts.ts'

const advantagesOf = (facts: readonly TrajectoryFacts[]) => [...new FactColumns(facts).numbers('advantage')]

it('keeps what was read of a list that stays as it is', () => {
  let reads = 0
  const facts = groupFacts([[0, 1]]).map((each, at) =>
    Object.defineProperty({ ...each }, 'advantage', {
      get: () => {
        reads++
        return at
      },
    }),
  )
  expect([advantagesOf(facts), advantagesOf(facts)]).toEqual([
    [0, 1],
    [0, 1],
  ])
  expect(reads).toBe(2)
})

it('reads anew once rollouts are added, or all are replaced', () => {
  const rollouts = (advantage: number) => groupFacts([[0, 1]], () => ({ advantage }))
  const facts = rollouts(1)
  expect(advantagesOf(facts)).toEqual([1, 1])
  facts.push(...rollouts(2))
  expect(advantagesOf(facts)).toEqual([1, 1, 2, 2])
  for (const [at, each] of rollouts(3).entries()) facts[at] = each
  expect(advantagesOf(facts)).toEqual([3, 3, 2, 2])
})
