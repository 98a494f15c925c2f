import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { untrainedReplies } from '../../shared/checks/grouping/branch-ends.ts'

const row = (trained: number, context: readonly string[], ends: readonly string[] = []) =>
  ({ trained, branchEnds: { trained: ends, context } }) as unknown as TrajectoryFacts

it.each<[string, TrajectoryFacts[], string | null]>([
  ['rows that train', [row(5, ['a']), row(5, [], ['b'])], '1 of 2'],
  ['none of the rows that train nothing, which lose more than a reply', [row(5, ['a'], ['a']), row(0, ['b'])], null],
  ['those of the rows that train', [row(5, ['a']), row(0, ['b']), row(0, ['c'])], '1 of 1'],
  ['no row where another trains the reply', [row(5, ['a']), row(5, [], ['a'])], null],
])('replies that no row trains are counted in %s', (_, facts, counted) => {
  const lost = untrainedReplies(facts)
  expect(lost && `${lost.rollouts} of ${lost.of}`).toBe(counted)
})
