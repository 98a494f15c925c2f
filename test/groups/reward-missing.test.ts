import { describe, expect, it } from 'vitest'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

describe('A10', () => {
  const all = (reward: number) =>
    runOver('A10', dumpOf(groupFacts([1, 2, 3].map(() => [reward, reward, reward, reward]))))

  it.each([
    [0, '0'],
    [-1, '−1'],
  ])('names rewards that are all %i, below 0 with a minus sign and no hyphen', (reward, written) => {
    const { tally, findings } = all(reward)
    expect(tally).toMatchObject({ checked: 12, affected: 12 })
    expect(findings[0]).toMatchObject({ severity: 'info', message: `All 12 rewards are ${written}` })
  })

  it('leaves a dump alone that holds only what succeeded', () => {
    expect(all(1).tally.affected).toBe(0)
  })

  /** Three groups of four, the first `rewarded` of which have a reward; `first` is that of the first of them. */
  const some = (rewarded: number, first = 0) =>
    groupFacts(
      [0, 1, 2].map((group) => [0, 1, 0, 1].map((reward, at) => (group + at === 0 ? first : reward))),
      (_, group, member) => (group * 4 + member < rewarded ? {} : { reward: null }),
    )

  it('names those that have none where most have one', () => {
    expect(runOver('A10', dumpOf(some(7)))).toMatchObject({ tally: { checked: 12, affected: 5 }, abstained: null })
  })

  it.each([6, 3])('says how many have none where only %i of 12 have one, and passes none of them', (rewarded) => {
    const { tally, findings, abstained } = runOver('A10', dumpOf(some(rewarded)))
    expect(tally.checked).toBe(0)
    expect(findings).toEqual([])
    expect(abstained).toEqual({
      status: 'not-checkable',
      reason: `${12 - rewarded} of 12 rollouts have no reward: with so many nothing tells whether they should have one`,
    })
  })

  it('names one that is no number beside many that are missing, and judges those alone that are there', () => {
    const { tally, findings, abstained } = runOver('A10', dumpOf(some(4, Number.NaN)))
    expect(tally).toMatchObject({ checked: 4, affected: 1 })
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('The reward is NaN')])
    expect(abstained).toBeNull()
  })
})
