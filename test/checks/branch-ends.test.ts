import { expect, it } from 'vitest'
import { untrainedReplies } from '../../shared/checks/branch-ends.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'

const row = (trained: number, context: readonly string[], ends: readonly string[] = []) =>
  ({ trained, branchEnds: { trained: ends, context } }) as unknown as TrajectoryFacts

it.each<[string, TrajectoryFacts[], number | null]>([
  ['rows that train', [row(5, ['a']), row(5, [], ['b'])], 0.5],
  ['none of the rows that train nothing, which lose more than a reply', [row(5, ['a'], ['a']), row(0, ['b'])], null],
  ['a share of the rows that train', [row(5, ['a']), row(0, ['b']), row(0, ['c'])], 1],
  ['no row where another trains the reply', [row(5, ['a']), row(5, [], ['a'])], null],
])('replies that no row trains are counted in %s', (_, facts, share) => {
  expect(untrainedReplies(facts)).toBe(share)
})
