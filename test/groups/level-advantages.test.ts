import { describe, expect, it } from 'vitest'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

/** Eight groups of four with one reward each; the advantages of the first `others` of them are not 0. */
function level(others: number) {
  const rewards = Array.from({ length: 8 }, (_, group) => Array<number>(4).fill(group % 2))
  return dumpOf(
    groupFacts(rewards, (_, group, member) => ({ advantage: group < others ? [0.5, -0.5, 1, -1][member] : 0 })),
  )
}

describe('A04 where each group has one reward', () => {
  it('is not checkable once advantages are other than 0: the stored rewards cannot have made them', () => {
    expect(runOver('A04', level(3)).abstained).toEqual({
      status: 'not-checkable',
      reason: expect.stringMatching(
        /^each group has one reward, and 3 of 8 complete groups have advantages other than 0/,
      ),
    })
  })

  it('does not say so of groups with different rewards, whose advantages are not there to compare', () => {
    const rewards = Array.from({ length: 8 }, () => [0, 1, 0, 1])
    const one = dumpOf(groupFacts(rewards, (_, __, member) => ({ advantage: member === 0 ? 0.5 : null })))
    expect(runOver('A04', one).abstained).toBeNull()
  })

  it('has nothing to look at where all of them are 0', () => {
    const { tally, abstained } = runOver('A04', level(0))
    expect([tally.checked, abstained]).toEqual([0, null])
  })
})
