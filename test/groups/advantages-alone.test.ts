import { describe, expect, it } from 'vitest'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

/** Rewards of right and wrong that were not stored; group 5 has one that is wrong beside others that are right. */
const REWARDS = [1, 2, 4, 3, 6, 7, 5].map((right) => Array.from({ length: 8 }, (_, member) => Number(member < right)))

function storing(scheme: AdvantageScheme, others: Readonly<Record<number, readonly (number | null)[]>> = {}) {
  const rows = REWARDS.flatMap((rewards, group) => {
    const made = others[group] ?? recomputeAdvantages(scheme, rewards, 1e-6)
    return made.map((advantage, member) => factsOf(group * 8 + member, { group: `g${group}`, advantage }))
  })
  return dumpOf(rows)
}

const found = (dump: ReturnType<typeof dumpOf>) => {
  const { tally, findings, abstained } = runOver('A03', dump)
  return { checked: tally.checked, groups: findings.map(({ group }) => group), why: abstained?.reason ?? null }
}
const UNTOLD = { checked: 0, groups: [], why: 'the dump does not carry rewards' }
const ONE_FAR = [0.377964, 0.377964, 0.377964, 0.377964, -6211.18, 0.377964, 0.377964, 0.377964]

describe('A03 without rewards', () => {
  it('names one far out beside others that are alike, as where the std of these is rounding', () => {
    const dump = storing('leave-one-out-std', { 5: ONE_FAR })
    expect(found(dump)).toEqual({ checked: 1, groups: ['g5'], why: null })
    const [fault] = runOver('A03', dump).findings
    expect(fault?.message).toContain('An advantage of −6211 in group g5; the other 7 rollouts have 0.377964 each')
    expect(fault?.evidence).toMatchObject({ advantage: -6211.18, trajectory: '44' })
  })

  it.each([
    ['others that differ', ONE_FAR.map((each, member) => (member === 2 ? 0.377 : each))],
    ['others of the same sign', ONE_FAR.map(Math.abs)],
    ['others of another size, as a mean leaves them', ONE_FAR.map((each) => (each < 0 ? each : 887.31))],
    ['one within a weight', ONE_FAR.map((each) => (each < 0 ? -5.3 : each))],
    ['one of which a rollout has none', ONE_FAR.map((each, member) => (member === 2 ? null : each))],
  ])('says nothing of %s', (_, odd) => {
    expect(found(storing('leave-one-out-std', { 5: odd }))).toEqual(UNTOLD)
  })

  const residue = [2700, 2699, 2700, 2701, 2700, 2700, 2698, 2700]

  it.each([
    'group-std-unbiased',
    'group-std-biased',
  ] as const)('names one far beyond the bound where every other group has the std 1: %s', (scheme) => {
    expect(found(storing(scheme, { 2: residue }))).toEqual({ checked: 7, groups: ['g2'], why: null })
    expect(found(storing(scheme))).toEqual({ checked: 7, groups: [], why: null })
  })

  it.each(['centre', 'none', 'leave-one-out'] as const)('knows no bound where no std divides: %s', (scheme) => {
    expect(found(storing(scheme, { 2: residue }))).toEqual(UNTOLD)
  })

  it('does not take the std of a batch for that of groups that are all alike', () => {
    const rows = Array.from({ length: 48 }, (_, row) => {
      const advantage = row === 47 ? 100 : row % 2 === 0 ? 1 : -1
      return factsOf(row, { group: `g${row >> 3}`, advantage })
    })
    expect(found(dumpOf(rows))).toEqual(UNTOLD)
  })

  it('says that groups are lacking where nothing tells them', () => {
    const rows = ONE_FAR.map((advantage, row) => factsOf(row, { advantage }))
    expect(found(dumpOf(rows)).why).toBe('the dump does not carry rewards, groups')
  })
})
