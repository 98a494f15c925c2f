import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

/** Six groups of 4, 8 and 16 rollouts; the last of 16 has one reward. */
const REWARDS = [4, 8, 16, 4, 8, 16].map((size, at) =>
  Array.from({ length: size }, (_, member) => (at === 5 ? 1 : ((member * 7 + at) % 5) / 4)),
)
const stored = (rewards = REWARDS) =>
  groupFacts(rewards, (_, group, member) => ({
    advantage: recomputeAdvantages('group-std-unbiased', rewards[group] as number[], 1e-4)[member] as number,
  }))
const sizesOf = (facts: TrajectoryFacts[]) =>
  dumpOf(facts)
    .groups.filter(({ complete }) => complete)
    .map(({ members }) => members.length)

describe('groups of several sizes', () => {
  it('are whole where their advantages are made of their own rows', () => {
    expect(sizesOf(stored())).toEqual([4, 8, 16, 4, 8, 16])
    const { tally, abstained } = runOver('A04', dumpOf(stored()))
    expect(abstained).toBeNull()
    expect(tally).toMatchObject({ checked: 5, affected: 0 })
  })

  it('are not where rows are missing, or nothing is stored', () => {
    const some = stored().filter(({ place: { record } }) => record % 5 !== 0)
    expect(sizesOf(some)).toEqual([])
    const without = stored().map((row) => ({ ...row, advantage: null, maxAdvantage: null }))
    for (const code of ['A01', 'A05'])
      expect(runOver(code, dumpOf(without)).abstained).toEqual({
        status: 'not-checkable',
        reason:
          'incomplete groups: they have 4, 8 or 16 rollouts, and nothing tells which of them are whole (--group-size, or a group_size in the rows)',
      })
    expect(runOver('A01', dumpOf(some)).abstained?.reason).toMatch(/^incomplete groups: they have (between )?\d+/)
  })

  it('are looked at with one that is faulty among many', () => {
    const many = Array.from({ length: 4 }, () => REWARDS).flat()
    const facts = stored(many).map((row) => (row.group === 'g1' ? { ...row, advantage: -(row.advantage ?? 0) } : row))
    expect(runOver('A04', dumpOf(facts)).findings.map(({ group }) => group)).toEqual(['g1'])
  })
})
