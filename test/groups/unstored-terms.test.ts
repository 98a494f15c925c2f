import { describe, expect, it } from 'vitest'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

/**
 * Twelve groups of right and wrong answers. Advantages are of rewards that hold a term of each rollout, as a KL or the cost of its tokens, which the
 * stored rewards lack.
 *
 * @param shift added to the first advantage of the sixth group
 */
function withTerm(term: number, shift = 0) {
  const rewards = Array.from({ length: 12 }, (_, group) =>
    Array.from({ length: 8 }, (_, member) => Number(member <= group % 6)),
  )
  return dumpOf(
    groupFacts(rewards, (_, group, member) => {
      const own = rewards[group] as number[]
      const rewarded = own.map((reward, at) => reward - term * Math.sin(31 * group + 7 * at) ** 2)
      const made = recomputeAdvantages('group-std-unbiased', rewarded, 1e-6)
      return { advantage: (made[member] as number) + (group === 5 && member === 0 ? shift : 0) }
    }),
  )
}

describe('A04 of advantages whose rewards hold something small that is not stored', () => {
  it.each([0.001, 0.01, 0.02])('says nothing of a term of %f, which leaves every group off a little', (term) => {
    expect(runOver('A04', withTerm(term)).tally.affected).toBe(0)
  })

  it('names the group that is off by far more than the others', () => {
    const { tally, findings } = runOver('A04', withTerm(0.01, 0.4))
    expect(tally.affected).toBe(1)
    expect(findings[0]).toMatchObject({ severity: 'error', group: 'g5' })
  })

  it('names the group that is off by as little where the others are not', () => {
    expect(runOver('A04', withTerm(0.01)).tally.affected).toBe(0)
    const { tally, findings } = runOver('A04', withTerm(0, 0.03))
    expect(tally.affected).toBe(1)
    expect(findings[0]).toMatchObject({ group: 'g5' })
  })
})
