import { describe, expect, it } from 'vitest'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { verdictOf } from '../hypotheses/input.ts'

describe('incomplete groups', () => {
  it.each([
    [null, '1 has no reward'],
    [Number.NaN, '1 has a reward that is NaN or infinite'],
  ])('with a reward of %s say so', (odd, reason) => {
    const facts = groupFacts([[1, 0, 0.5]]).map((row, i) => (i === 1 ? { ...row, reward: odd } : row))
    expect(runOver('A01', dumpOf(facts, { options: { groupSize: 3 } })).abstained?.reason).toBe(
      `incomplete groups: of the rollouts of 1 group ${reason}`,
    )
  })

  it.each([
    [8, 'a whole multiple, as epochs leave that share their keys and store no step', () => ({})],
    [
      12,
      'its own ones more than once, as where a step was written or read twice',
      (i: number) => ({ idsHash: `${i % 4}` }),
    ],
  ])('of %i where 4 are declared hold too many, and lack nobody', (size, why, of) => {
    const rewards = Array.from({ length: 10 }, () => Array.from({ length: size }, (_, i) => i % 2))
    const facts = groupFacts(rewards).map((row, i) => ({ ...row, step: null, groupSize: 4, ...of(i) }))
    const hold = `10 of 10 groups hold more rollouts than the 4 that are generated for a prompt, ${why}`
    // That epochs share a key is sound, and no step tells whether they do: no fault, and no silence either.
    for (const code of ['A01', 'A05']) {
      expect(runOver(code, dumpOf(facts)).abstained).toEqual({
        status: 'not-checkable',
        reason: `no complete groups: ${hold}`,
      })
    }
    for (const id of ['H01', 'H05'] as const)
      expect(verdictOf(id, dumpOf(facts)).missing).toEqual([`complete groups (${hold})`])
    // Within one step it can be no epoch.
    expect(runOver('A05', dumpOf(facts.map((row) => ({ ...row, step: 3 })))).tally.affected).toBe(10)
  })

  it('of which some hold too many and others too few are told as that', () => {
    const facts = groupFacts([
      [1, 0, 1, 0, 1, 0],
      [1, 0],
    ]).map((row) => ({ ...row, step: null, groupSize: 4 }))
    expect(runOver('A01', dumpOf(facts)).abstained?.reason).toBe(
      'no complete groups: 1 of 2 groups holds more rollouts than the 4 that are generated for a prompt',
    )
    const given = facts.filter(({ group }) => group === 'g0')
    expect(runOver('A01', dumpOf(given, { options: { groupSize: 8 } })).abstained?.reason).toBe('incomplete groups')
  })

  it('of one rollout each lack nobody', () => {
    const alone = dumpOf(groupFacts([[1], [0], [0.5]]))
    expect(runOver('A01', alone).abstained?.reason).toBe(
      'incomplete groups: each has one rollout, which is compared with none',
    )
    for (const id of ['H01', 'H05'] as const) {
      expect(verdictOf(id, alone).missing).toEqual([
        'complete groups (each has one rollout, which is compared with none)',
      ])
    }
  })
})
