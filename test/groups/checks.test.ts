import { describe, expect, it } from 'vitest'
import type { EndReason, TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { chanceOfNoContrast } from '../../shared/checks/groups/all-same-reward.ts'
import { fitOf } from '../../shared/checks/groups/scaling.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { stepScaleOf } from './step-scale.ts'

describe('A01', () => {
  it('states the share against chance', () => {
    const rewards = [
      [1, 1],
      [1, 0],
      [0, 0],
      [1, 0],
    ]
    const { tally, findings } = runOver('A01', dumpOf(groupFacts(rewards)))
    expect(tally).toMatchObject({ checked: 4, affected: 2, placesChecked: 4, placesAffected: 2, affectedTokens: 240 })
    expect(findings[0]).toMatchObject({
      severity: 'info',
      scope: 'group',
      group: 'g0',
      record: null,
      evidence: { share_of_groups: 0.5, chance: 0.5 },
    })
    expect(findings[0]?.members?.map(({ record }) => record)).toEqual([0, 1])
  })

  it.each([
    [0.65, 2, 0.545],
    [0.65, 4, 0.194],
    [0.65, 8, 0.032],
    [0.9, 8, 0.43],
  ])('gives the documented chance for p = %f and groups of %i', (p, size, chance) => {
    const rewards = Array.from({ length: 20 * size }, (_, i) => (i < p * 20 * size ? 1 : 0))
    const groups = Array.from({ length: 20 }, (_, g) => rewards.slice(g * size, (g + 1) * size))
    expect(chanceOfNoContrast(dumpOf(groupFacts(groups)).groups)).toBeCloseTo(chance, 3)
  })

  it('knows no chance for graded rewards', () => {
    expect(chanceOfNoContrast(dumpOf(groupFacts([[0.1, 0.5, 0.9]])).groups)).toBeNull()
  })

  it('looks at complete groups only', () => {
    const { tally, abstained } = runOver(
      'A01',
      dumpOf(
        groupFacts([
          [1, 1],
          [1, 1],
        ]),
        { options: { groupSize: 4 } },
      ),
    )
    expect(tally.checked).toBe(0)
    expect(abstained).toEqual({ status: 'not-checkable', reason: 'incomplete groups' })
  })
})

const TINY = [
  [0.62, 0.63, 0.62, 0.625],
  [0.9, 0.4, 0.7, 0.5],
]

describe('A02', () => {
  it('needs to know the scaling', () => {
    expect(runOver('A02', dumpOf(groupFacts(TINY))).abstained?.status).toBe('not-checkable')
    expect(runOver('A02', dumpOf(groupFacts(TINY), { options: { scaleRewards: 'none' } })).abstained?.status).toBe(
      'not-applicable',
    )
    expect(runOver('A02', dumpOf(groupFacts(TINY), { options: { scaleRewards: 'group' } })).tally).toMatchObject({
      checked: 2,
      affected: 1,
    })
  })

  it('finds nothing amplified where the whole batch divides', () => {
    expect(runOver('A02', dumpOf(groupFacts(TINY), { options: { scaleRewards: 'batch' } })).tally).toMatchObject({
      checked: 2,
      affected: 0,
    })
  })

  it('finds nothing amplified under a large eps', () => {
    const options = { scaleRewards: 'group', advantageEps: 0.1 } as const
    expect(runOver('A02', dumpOf(groupFacts(TINY), { options })).tally.affected).toBe(0)
  })

  it('names the component that made the gap', () => {
    const facts = groupFacts(TINY, (reward) => ({ rewards: { exact: 0.6, format: reward - 0.6 } }))
    const { findings } = runOver('A02', dumpOf(facts, { options: { scaleRewards: 'group' } }))
    expect(findings[0]?.evidence).toMatchObject({ component_with_the_gap: 'format', scheme: 'group-std-unbiased' })
  })

  it('calls no group amplified that has no gap at all', () => {
    const facts = groupFacts([
      [0.5, 0.5],
      [1, 0],
    ])
    expect(runOver('A02', dumpOf(facts, { options: { scaleRewards: 'group' } })).tally).toMatchObject({
      checked: 2,
      affected: 0,
    })
  })
})

describe('A03', () => {
  it('does not apply where nothing is divided by the std of the group', () => {
    const facts = groupFacts(TINY, (reward, group) => ({ advantage: reward - (group === 0 ? 0.62375 : 0.625) }))
    expect(runOver('A03', dumpOf(facts)).abstained?.status).toBe('not-applicable')
  })

  it('holds the wider bound where the scaling is only declared', () => {
    const facts = groupFacts([[1, 0, 0, 0]], (_, __, member) => ({ advantage: member === 0 ? 1.7 : -0.2 }))
    const dump = dumpOf(facts, { options: { scaleRewards: 'group' } })
    expect(runOver('A03', dump).tally).toMatchObject({ checked: 1, affected: 0 })
    const worse = dumpOf(
      facts.map((row) => ({ ...row, maxAdvantage: 1.8 })),
      { options: { scaleRewards: 'group' } },
    )
    expect(runOver('A03', worse).findings[0]).toMatchObject({
      severity: 'error',
      message: 'An advantage of size 1.8 in group g0; rewards of 4 rollouts give at most 1.732',
      evidence: { advantage: 1.8 },
    })
  })

  it('cannot check advantages that no formula gives', () => {
    const facts = groupFacts([[1, 0, 0, 0]], (_, __, member) => ({ advantage: [3, 9, 1, 4][member] as number }))
    expect(runOver('A03', dumpOf(facts)).abstained).toMatchObject({
      status: 'not-checkable',
      reason:
        'how advantages are scaled is not known, no known formula gives the stored ones: declare the reward scaling',
    })
  })

  it('blames no formula where every group has one reward, which all formulas make 0 of', () => {
    const facts = groupFacts([[1, 1, 1]], () => ({ advantage: 0 }))
    expect(runOver('A03', dumpOf(facts)).abstained?.reason).toContain('no group has different rewards to tell it by')
  })
})

describe('A04', () => {
  it('says of advantages that differ from token to token that they cannot be held against rewards', () => {
    const rewards = [
      [1, 0],
      [0, 1],
    ]
    const uneven = dumpOf(groupFacts(rewards, () => ({ advantage: null, maxAdvantage: 1.2 })))
    const reason =
      'advantages are given token by token: no two rollouts of a group with different rewards have one each'
    expect(runOver('A04', uneven).abstained).toEqual({ status: 'not-checkable', reason })
    // Nothing is stored, or no rewards differ: there is nothing to look at.
    const nothing = dumpOf(groupFacts(rewards, () => ({ advantage: null, maxAdvantage: null })))
    const alike = dumpOf(groupFacts([[1, 1]], () => ({ advantage: null, maxAdvantage: 1.2 })))
    for (const dump of [nothing, alike]) expect(runOver('A04', dump).abstained).toBeNull()
  })

  const rewards = [
    [0.9, 0.4, 0.6, 0.1],
    [0.2, 0.8, 0.7, 0.5],
  ]
  const storing = (advantages: (rewards: readonly number[]) => readonly number[], options = {}) =>
    dumpOf(
      groupFacts(rewards, (_, group, member) => ({
        advantage: advantages(rewards[group] as number[])[member] as number,
      })),
      { options },
    )
  const centre = (of: readonly number[]) => recomputeAdvantages('centre', of, 0)

  it('holds a declared scaling against the stored values, and names the scheme that fits and the next ones', () => {
    const { tally, findings } = runOver('A04', storing(centre, { scaleRewards: 'group' }))
    expect(tally).toMatchObject({ checked: 2, affected: 2 })
    expect(findings[0]).toMatchObject({ severity: 'error', scope: 'group', evidence: { scheme: 'centre' } })
    expect(findings[0]?.evidence.runners_up).toHaveLength(3)
    expect(runOver('A04', storing(centre, { scaleRewards: 'none' })).tally).toMatchObject({ checked: 2, affected: 0 })
  })

  const scaled = (eps: number) => (of: readonly number[]) => recomputeAdvantages('group-std-unbiased', of, eps)

  it('holds a declared eps against the stored values', () => {
    const { tally, findings } = runOver('A04', storing(scaled(0.1), { scaleRewards: 'group', advantageEps: 1e-4 }))
    expect(tally).toMatchObject({ checked: 2, affected: 2 })
    expect(findings[0]?.message).toContain('with eps 0.1, while eps is declared as 0.0001')
    for (const advantageEps of [0.1, undefined]) {
      const options = { scaleRewards: 'group', ...(advantageEps === undefined ? {} : { advantageEps }) }
      expect(runOver('A04', storing(scaled(0.1), options)).tally).toMatchObject({ checked: 2, affected: 0 })
    }
  })

  it('calls advantages that are all 0 wrong where a scaling is declared, and else those of an unknown formula', () => {
    const zeros = (of: readonly number[]) => of.map(() => 0)
    const { tally, findings } = runOver('A04', storing(zeros, { scaleRewards: 'group' }))
    expect(tally).toMatchObject({ checked: 2, affected: 2 })
    expect(findings[0]?.message).toContain('are all 0, while its rewards differ')
    expect(runOver('A04', storing(zeros)).abstained).toMatchObject({ status: 'not-checkable' })
  })

  describe('of rows that an overlong filter left out of the baseline', () => {
    const graded = [
      [0.9, 0.4, 0.6, 0.2, 0],
      [0.2, 0.8, 0.7, 0.5, 0],
      [0.3, 0.6, 0.1, 0.9, 0],
      [1, 1, 1, 1, 0],
    ]
    const step = stepScaleOf(graded.map((group) => group.slice(0, 4)))
    const leavingOut = (
      scheme: AdvantageScheme,
      wrong: (group: number, member: number) => number = () => 0,
      more: (isFiltered: boolean) => Partial<TrajectoryFacts> = (isFiltered) =>
        isFiltered ? { trained: 0, isTruncated: true } : {},
    ) =>
      dumpOf(
        groupFacts(graded, (_, group, member) => {
          const filtered = recomputeAdvantages(scheme, (graded[group] as number[]).slice(0, 4), 1e-4, step)
          const advantage = member === 4 ? 0 : (filtered[member] as number) + wrong(group, member)
          return { advantage, ...more(member === 4) }
        }),
      )

    it.each([
      'centre',
      'leave-one-out',
      'group-std-unbiased',
      'group-std-biased',
      'batch-std',
    ] as const)('knows %s, where those that train have one reward, too', (scheme) => {
      expect(fitOf(leavingOut(scheme))).toMatchObject({ scheme, share: 1 })
      expect(runOver('A04', leavingOut(scheme)).tally).toMatchObject({ checked: 3, affected: 0 })
    })

    it.each([
      'batch-mean-std',
      'centre-batch-std',
    ] as const)('knows %s, which gives a level group what the step has', (scheme) => {
      expect(fitOf(leavingOut(scheme))).toMatchObject({ scheme, share: 1 })
      expect(runOver('A04', leavingOut(scheme)).tally).toMatchObject({ checked: 4, affected: 0 })
    })

    it('knows their rows without a mask by a limit that ended them and by their 0, and by nothing less', () => {
      const unmasked = (endReason: EndReason) =>
        leavingOut('group-std-unbiased', undefined, (isFiltered) => ({
          trained: null,
          endReason: isFiltered ? endReason : 'stop',
        }))
      expect(runOver('A04', unmasked('cut-prose')).tally).toMatchObject({ checked: 3, affected: 0 })
      expect(fitOf(unmasked('stop'))).toMatchObject({ accepted: false })
    })

    describe('beside others that train nothing because they failed', () => {
      const rewards = [
        [0.9, 0.4, 0.6, 0.2, 0, 0.3],
        [0.2, 0.8, 0.7, 0.5, 0, 0],
        [0.3, 0.6, 0.1, 0.9, 0.1, 0.7],
        [1, 0, 1, 1, 0, 0],
      ]
      const CUT = { trained: 0, isTruncated: true, endReason: 'cut-prose' } as const
      const FAILED = { trained: 0, isTruncated: false, finishReason: 'abort' } as const
      const over = (isCounted: (member: number) => boolean, shift: (group: number) => number = () => 0) =>
        dumpOf(
          groupFacts(rewards, (_, group, member) => {
            const own = rewards[group] as number[]
            const counted = own.filter((_, at) => isCounted(at))
            const made = recomputeAdvantages('group-std-unbiased', counted, 1e-4)
            const advantage = isCounted(member) ? (made[counted.indexOf(own[member] as number)] as number) : 0
            const trains = member < 4
            return {
              advantage: trains ? advantage + shift(group) : advantage,
              ...(trains ? {} : member === 4 ? CUT : FAILED),
            }
          }),
        )

      it.each<[string, (member: number) => boolean]>([
        ['cut rows are counted and failed ones are not', (member) => member < 5],
        ['failed rows are counted and cut ones are not', (member) => member !== 4],
      ])('knows that %s', (_, isCounted) => {
        expect(fitOf(over(isCounted))).toMatchObject({ scheme: 'group-std-unbiased', share: 1 })
        expect(runOver('A04', over(isCounted)).tally).toMatchObject({ checked: 4, affected: 0 })
      })

      it('names what neither choice of rows gives', () => {
        const { tally } = runOver(
          'A04',
          over(
            (member) => member < 5,
            (group) => (group === 2 ? 0.2 : 0),
          ),
        )
        expect(tally).toMatchObject({ checked: 4, affected: 1 })
      })
    })

    it('names an advantage in a group whose training rows all have one reward', () => {
      const wrong = (group: number, member: number) => (group === 3 && member === 0 ? 0.5 : 0)
      const { tally, findings } = runOver('A04', leavingOut('group-std-unbiased', wrong))
      expect(tally).toMatchObject({ checked: 4, affected: 1 })
      expect(findings[0]).toMatchObject({ group: 'g3' })
    })

    it('takes the 0 of a row that trains nothing for no rank', () => {
      const squashed = (scheme: AdvantageScheme) =>
        leavingOut(scheme, (group, member) => Math.tanh(graded[group]?.[member] ?? 0))
      expect(runOver('A04', squashed('centre'))).toMatchObject({
        abstained: { status: 'not-checkable' },
        tally: { affected: 0 },
      })
    })
  })

  it('names advantages of the wrong sign, though no formula gives them', () => {
    const { tally } = runOver(
      'A04',
      storing((of) => centre(of).map((advantage) => -advantage)),
    )
    expect(tally).toMatchObject({ checked: 2, affected: 2 })
  })

  it('does not judge an unknown formula that keeps the order of rewards', () => {
    const { tally, abstained } = runOver(
      'A04',
      storing((of) => of.map((reward) => reward ** 3 + 1)),
    )
    expect(tally.affected).toBe(0)
    expect(abstained).toMatchObject({ status: 'not-checkable', reason: expect.stringContaining('no known formula') })
  })

  it('forgives values that were stored with two decimals', () => {
    const { tally } = runOver(
      'A04',
      storing((of) => centre(of).map((value) => Math.round(value * 100) / 100)),
    )
    expect(tally).toMatchObject({ checked: 2, affected: 0 })
  })
})
