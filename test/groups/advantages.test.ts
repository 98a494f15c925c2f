import { describe, expect, it } from 'vitest'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { advantageBound, boundOf } from '../../shared/checks/groups/bounds.ts'
import { unbiasedStd } from '../../shared/checks/groups/statistics.ts'
import { fitAdvantages } from '../helpers/at-once.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { stepScaleOf } from './step-scale.ts'

const REWARDS = [
  [0.62, 0.68, 0.71, 0.65],
  [1, 0, 0, 1],
  [0.2, 0.9, 0.4, 0.3],
]
const STEP = stepScaleOf(REWARDS)

/** Groups whose stored advantages are `advantage(rewards)[member]`, rounded to float32. */
function stored(advantage: (rewards: readonly number[]) => readonly number[]) {
  const facts = groupFacts(REWARDS, (_, group, member) => ({
    advantage: Math.fround(advantage(REWARDS[group] as number[])[member] as number),
  }))
  return dumpOf(facts)
}

describe('recomputeAdvantages', () => {
  it('gives the values of the seed example: std 0.0387, advantages of 1.16', () => {
    const [rewards] = REWARDS as [number[]]
    expect(unbiasedStd(rewards)).toBeCloseTo(0.0387, 4)
    const advantages = recomputeAdvantages('group-std-unbiased', rewards, 1e-4)
    expect(Math.max(...advantages)).toBeCloseTo(1.16, 2)
    expect(Math.min(...advantages)).toBeCloseTo(-1.16, 2)
  })

  it('subtracts the mean of the others under leave-one-out', () => {
    expect(recomputeAdvantages('leave-one-out', [1, 0, 0.5], 0)).toEqual([0.75, -0.75, 0])
  })

  it('divides nothing by the std of others that all have one reward, as NeMo-RL does', () => {
    const [success, ...failures] = recomputeAdvantages('leave-one-out-std', [1, 0, 0, 0], 1e-6)
    expect(success).toBe(1)
    expect(failures.map((advantage) => advantage.toFixed(4))).toEqual(['-0.5773', '-0.5773', '-0.5773'])
  })

  it('gives 0 to a group without spread, whatever the eps', () => {
    expect(recomputeAdvantages('group-std-biased', [0.5, 0.5], 0)).toEqual([0, 0])
  })

  it.each([2, 4, 8, 16])('bounds |A| of a group of %i by (n − 1)/√n', (n) => {
    const rewards = [1, ...Array<number>(n - 1).fill(0)]
    expect(recomputeAdvantages('group-std-unbiased', rewards, 0)[0]).toBeCloseTo(
      advantageBound('group-std-unbiased', n),
      9,
    )
    expect(recomputeAdvantages('group-std-biased', rewards, 0)[0]).toBeCloseTo(advantageBound('group-std-biased', n), 9)
  })
})

describe('boundOf', () => {
  const rewards = [
    [1, 0, 0, 0],
    [0, 1, 1, 1],
    [0.3, 0.9, 0.1, 1],
  ]
  it.each([
    'centre',
    'leave-one-out',
    'group-std-unbiased',
    'group-std-biased',
  ] as const)('is reached and never passed under %s', (scheme) => {
    const bound = boundOf(scheme, 4, 1) as number
    const largest = rewards.flatMap((group) => recomputeAdvantages(scheme, group, 0)).map(Math.abs)
    expect(Math.max(...largest)).toBeCloseTo(bound, 9)
  })

  it.each(['none', 'batch-std', 'batch-mean-std', 'centre-batch-std'] as const)('is not known under %s', (scheme) => {
    expect(boundOf(scheme, 4, 1)).toBeNull()
  })
})

describe('fitAdvantages', () => {
  it.each([
    'none',
    'centre',
    'leave-one-out',
    'group-std-unbiased',
    'group-std-biased',
    'batch-std',
    'leave-one-out-std',
    'batch-mean-std',
    'centre-batch-std',
  ] as const)('finds %s among all', (scheme: AdvantageScheme) => {
    const fit = fitAdvantages(stored((rewards) => recomputeAdvantages(scheme, rewards, 1e-4, STEP)))
    expect(fit).toMatchObject({ scheme, share: 1, groups: 3, accepted: true })
    expect(fit?.residual).toBeLessThan(1e-5)
  })

  it.each([
    ['is not divided', 1],
    ['is divided by eps alone', 1e6],
  ])('finds the std of the others where what they all have %s', (_, alone) => {
    const groups = [
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [0, 1, 1, 1],
    ]
    const facts = groupFacts(groups, (_, group, member) => {
      const rewards = groups[group] as number[]
      const advantage = recomputeAdvantages('leave-one-out-std', rewards, 1e-6)[member] as number
      return { advantage: Math.abs(advantage) === 1 ? advantage * alone : advantage }
    })
    expect(fitAdvantages(dumpOf(facts))).toMatchObject({ scheme: 'leave-one-out-std', eps: 1e-6, share: 1 })
  })

  it.each(['batch-mean-std', 'centre-batch-std'] as const)('finds %s whose means are over tokens', (scheme) => {
    const trained = (group: number, member: number) => 10 + 37 * group + 211 * member
    const weights = REWARDS.map((rewards, group) => rewards.map((_, member) => trained(group, member)))
    const step = stepScaleOf(REWARDS, weights)
    const facts = groupFacts(REWARDS, (_, group, member) => ({
      advantage: recomputeAdvantages(scheme, REWARDS[group] as number[], 1e-8, step)[member] as number,
      trained: trained(group, member),
    }))
    expect(fitAdvantages(dumpOf(facts))).toMatchObject({ scheme, share: 1, accepted: true })
  })

  it('calls no std of all rewards the scheme, where nothing tells the steps, unless every group fits', () => {
    const ofStep = (step: number | null, stray: number) =>
      fitAdvantages(
        dumpOf(
          groupFacts(REWARDS, (_, group, member) => ({
            step,
            advantage:
              (recomputeAdvantages('batch-std', REWARDS[group] as number[], 1e-4, STEP)[member] as number) *
              (group === 0 ? stray : 1),
          })),
        ),
      )
    expect(ofStep(null, 1)).toMatchObject({ scheme: 'batch-std', accepted: true })
    expect(ofStep(null, 1.2)).toMatchObject({ accepted: false })
    expect(ofStep(40, 1.2)).toMatchObject({ scheme: 'batch-std', accepted: true })
  })

  it('calls one group of a step by its own mean', () => {
    const [rewards] = REWARDS as [number[]]
    const facts = groupFacts([rewards], (_, __, member) => ({
      advantage: recomputeAdvantages('batch-mean-std', rewards, 1e-4, stepScaleOf([rewards]))[member] as number,
    }))
    const fit = fitAdvantages(dumpOf(facts))
    expect(fit?.scheme).toBe('group-std-unbiased')
    expect(fit?.runnersUp.map(({ scheme }) => scheme)).not.toContain('batch-mean-std')
  })

  it('tells a large eps from the usual one', () => {
    const fit = fitAdvantages(stored((rewards) => recomputeAdvantages('group-std-unbiased', rewards, 0.1)))
    expect(fit).toMatchObject({ scheme: 'group-std-unbiased', eps: 0.1 })
  })

  it('is not misled by one exploded group', () => {
    const fit = fitAdvantages(
      stored((rewards) =>
        rewards[0] === 1 ? [7428, -1, -1, -1] : recomputeAdvantages('group-std-unbiased', rewards, 1e-4),
      ),
    )
    expect(fit).toMatchObject({ scheme: 'group-std-unbiased', accepted: true })
    expect(fit?.share).toBeCloseTo(2 / 3)
  })

  it('accepts nothing where no formula gives the stored values', () => {
    expect(fitAdvantages(stored((rewards) => rewards.map((_, i) => Math.sin(7 * i + 1))))?.accepted).toBe(false)
  })

  it('is null where nothing is stored, and where no group has a spread', () => {
    expect(fitAdvantages(dumpOf(groupFacts(REWARDS)))).toBeNull()
    expect(fitAdvantages(dumpOf(groupFacts([[1, 1]], () => ({ advantage: 0 }))))).toBeNull()
  })

  it('leaves out groups of one reward but for rows that train nothing: every formula without these gives 0', () => {
    const cut = { trained: 0, excluded: true, advantage: 0 }
    const level = groupFacts([[1, 1, 0, 1]], (reward) => (reward === 0 ? cut : { advantage: 0 }))
    expect(fitAdvantages(dumpOf(level))).toBeNull()
    const uneven = groupFacts([[1, 0.5, 0, 1]], (reward) => (reward === 0 ? cut : { advantage: 0 }))
    expect(fitAdvantages(dumpOf(uneven))).toMatchObject({ accepted: false })
  })

  it('leaves rows without an advantage out of the comparison and in the mean', () => {
    const facts = groupFacts([[1, 0, 0.4, 0.2]], (reward, _, member) => ({
      advantage: member === 0 ? null : reward - 0.4,
    }))
    expect(fitAdvantages(dumpOf(facts))).toMatchObject({ scheme: 'centre', accepted: true })
  })
})
