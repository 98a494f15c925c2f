import { describe, expect, it } from 'vitest'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import { findUnproved } from '../helpers/at-once.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { verdictOf } from '../hypotheses/input.ts'

const REWARDS = [
  [0.9, 0.4, 0.6, 0.1],
  [1, 0, 0, 1],
  [0.2, 0.9, 0.4, 0.3],
]

/** Groups of rollouts of three rows each, whose later rows have `later` of what the formula gives. */
function dump(later: (advantage: number, row: number, rollout: number) => number | null, rows = 3) {
  let record = 0
  let rollout = 0
  const facts = REWARDS.flatMap((rewards, at) => {
    const made = recomputeAdvantages('group-std-unbiased', rewards, 1e-4)
    return rewards.flatMap((reward, member) => {
      const branchOf = `${at}-${member}`
      const number = rollout++
      return Array.from({ length: rows }, (_, row) => {
        const first = made[member] as number
        const advantage = row === 0 ? first : later(first, row, number)
        return factsOf(record++, { group: `g${at}`, branchOf, reward, advantage })
      })
    })
  })
  return dumpOf(facts)
}

const a04 = (view: ReturnType<typeof dump>) => {
  const { tally, findings, abstained } = runOver('A04', view)
  const reason = abstained?.reason ?? findUnproved(checkByCode('A04')!, tally, view)
  return { affected: tally.affected, reason, findings }
}

describe('rows of one rollout', () => {
  it('that have one advantage are judged by it', () => {
    expect(a04(dump((advantage) => advantage))).toMatchObject({ affected: 0, reason: null })
    expect(a04(dump(() => null))).toMatchObject({ affected: 0, reason: null })
  })

  it('that have several are not what a formula over rollouts gives', () => {
    const view = dump((advantage, row, rollout) => advantage + row * ((rollout % 3) - 0.5))
    const told = 'rows of 12 of 12 rollouts that train several have different advantages'
    expect(a04(view)).toMatchObject({ affected: 0, reason: expect.stringContaining(told) })
    expect(runOver('A03', view).abstained?.reason).toContain(told)
    expect(verdictOf('H01', view).verdict).toBe('inconclusive')
  })

  it('that have several in one rollout prove nothing of that one', () => {
    const view = dump((advantage, _, rollout) => (rollout === 5 ? advantage + 1 : advantage))
    expect(a04(view)).toMatchObject({
      affected: 0,
      reason: expect.stringContaining('rows of 1 of 12 rollouts that train several have different advantages'),
    })
  })

  it('are turned around where the same rows of every rollout are', () => {
    const { affected, findings } = a04(dump((advantage) => -advantage))
    expect(affected).toBe(3)
    expect(findings[0]?.message).toBe(
      '8 rows of 4 rollouts of group g0 have the advantage of the first row of the rollout with its sign turned, as the same rows of every rollout have',
    )
    expect(a04(dump((advantage, row) => (row === 1 ? advantage : -advantage))).affected).toBe(3)
  })

  it('are two players where their rewards are turned around as well', () => {
    const { facts } = dump((advantage) => -advantage, 2)
    const players = dumpOf(facts.map((row, at) => (at % 2 === 0 ? row : { ...row, reward: -(row.reward ?? 0) })))
    expect(a04(players)).toMatchObject({ affected: 0, reason: expect.stringMatching(/^rows of 12 of 12 /) })
  })

  it('that are leaves of a tree with a reward each are the rows of their group, and no torn window', () => {
    const leaves = REWARDS.concat(REWARDS).map((rewards) => [...rewards, ...rewards.map((each) => 1 - each)])
    const facts = leaves.flatMap((rewards, at) => {
      const made = recomputeAdvantages('group-std-unbiased', rewards, 1e-4)
      const own = (reward: number, leaf: number) => ({ reward, advantage: made[leaf] as number })
      return rewards.map((reward, leaf) =>
        factsOf(8 * at + leaf, { group: `g${at}`, branchOf: `${at}-${leaf >> 1}`, ...own(reward, leaf) }),
      )
    })
    expect(runOver('A05', dumpOf(facts)).tally.affected).toBe(0)
    expect(a04(dumpOf(facts))).toMatchObject({ affected: 0, reason: expect.stringMatching(/^rows of /) })
    // A window of other rows than those of the groups is one as before.
    const shifted = facts.map((row, at) => ({ ...row, advantage: facts[(at + 3) % facts.length]?.advantage ?? 0 }))
    expect(runOver('A05', dumpOf(shifted.slice(0, -3))).tally.affected).toBeGreaterThan(0)
  })

  it('may be credited by turn where they are turned in some rollouts alone', () => {
    expect(a04(dump((advantage, _, rollout) => (rollout % 2 === 0 ? advantage : -advantage)))).toMatchObject({
      affected: 0,
      reason: expect.stringMatching(/^rows of 6 of 12 /),
    })
  })
})
