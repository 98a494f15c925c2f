import { describe, expect, it } from 'vitest'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import type { DeclaredScaling } from '../../shared/checks/groups/scaling.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { verdictOf } from './input.ts'

/** Of 20 groups of 4, half have a gap of 0.01; the noise floor is 0.025. */
const REWARDS = Array.from({ length: 20 }, (_, i) => (i % 2 ? [0.6, 0.61, 0.6, 0.6] : [0.4, 0.9, 0.7, 0.5]))

/** A step of its own for each group where `steps`. */
function stored(scheme: AdvantageScheme, scaleRewards: DeclaredScaling, steps = false) {
  const facts = groupFacts(REWARDS, (_, group, member) => ({
    advantage: recomputeAdvantages(scheme, REWARDS[group] as number[], 1e-4)[member] as number,
    ...(steps ? { step: group } : {}),
  }))
  return dumpOf(facts, { options: { scaleRewards } })
}

const schemeOf = (dump: ReturnType<typeof stored>) =>
  verdictOf('H01', dump).because.find(({ measure }) => measure === 'advantage scheme')?.value

describe('reward scaling that is declared beside stored advantages', () => {
  it.each([
    'none',
    'batch',
  ] as const)('is not believed where they are divided by the std of the group: %s', (declared) => {
    const dump = stored('group-std-unbiased', declared)
    expect(verdictOf('H01', dump)).toMatchObject({ verdict: 'supported', confidence: 'high' })
    expect(schemeOf(dump)).toBe(
      `group-std-unbiased, eps 0.0001 (fits 100 % of 20 groups, residual 0 % of the largest advantage; declared as ${declared})`,
    )
    expect(runOver('A02', dump).tally).toMatchObject({ checked: 20, affected: 10 })
    expect(runOver('A04', dump).tally).toMatchObject({ affected: 20 })
  })

  it.each(['none', 'batch'] as const)('is not needed where they are centred: %s', (declared) => {
    expect(verdictOf('H01', stored('centre', declared)).verdict).toBe('contradicted')
  })

  it('decides where they are of its kind', () => {
    const dump = stored('leave-one-out', 'none')
    expect(verdictOf('H01', dump).verdict).toBe('contradicted')
    expect(schemeOf(dump)).toBe('leave-one-out (given)')
    expect(runOver('A04', dump).tally.affected).toBe(0)
  })

  it('decides where no formula gives them', () => {
    const facts = groupFacts(REWARDS, (reward, _, member) => ({ advantage: reward ** 3 + 0.07 * member }))
    const dump = dumpOf(facts, { options: { scaleRewards: 'none' } })
    expect(verdictOf('H01', dump).verdict).toBe('contradicted')
    expect(schemeOf(dump)).toBe('centre (given)')
  })

  it('tells formulas apart that give the same numbers: a step of one group has its std', () => {
    const dump = stored('group-std-unbiased', 'batch', true)
    expect(schemeOf(dump)).toBe('batch-std, eps 0.0001 (given)')
    expect(runOver('A04', dump).tally.affected).toBe(0)
  })

  it('keeps a division that may still be done to what is stored, and says what that is', () => {
    const dump = stored('centre', 'group')
    expect(verdictOf('H01', dump).verdict).toBe('supported')
    expect(schemeOf(dump)).toBe(
      'group-std-unbiased, eps 0.0001 (given; what is stored is that of centre, which fits 100 % of 20 groups, residual 0 % of the largest advantage)',
    )
  })
})
