import { describe, expect, it } from 'vitest'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { chanceOfNoContrast } from '../../shared/checks/groups/all-same-reward.ts'
import { fitOf } from '../../shared/checks/groups/scaling.ts'
import { unbiasedStd } from '../../shared/checks/groups/statistics.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'

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
    expect(runOver('A03', worse).findings[0]).toMatchObject({ severity: 'error', evidence: { advantage: 1.8 } })
  })

  it('cannot check advantages that no formula gives', () => {
    const facts = groupFacts([[1, 0, 0, 0]], (_, __, member) => ({ advantage: [3, 9, 1, 4][member] as number }))
    expect(runOver('A03', dumpOf(facts)).abstained?.status).toBe('not-checkable')
  })
})

describe('C04', () => {
  const rewards = [[0.9, 0.4, 0.6, 0.1]]
  const group = (advantages: readonly (number | null)[]) =>
    dumpOf(
      groupFacts(rewards, (_, __, member) => ({
        advantage: advantages[member] ?? null,
        ...(member === 3 ? { trained: 0, isTruncated: true } : {}),
      })),
    )

  it('names the row that trains nothing and is counted', () => {
    const { tally, findings } = runOver('C04', group(recomputeAdvantages('centre', rewards[0] as number[], 0, 0)))
    expect(tally).toMatchObject({ checked: 4, affected: 1 })
    expect(findings[0]).toMatchObject({ severity: 'warning', record: 3, scope: 'trajectory', group: 'g0' })
    expect(findings[0]?.evidence).toMatchObject({ rows_that_train: 3, rows: 4, mean_of_all: 0.5 })
  })

  it('sees the same under scaling by the std', () => {
    const advantages = recomputeAdvantages('group-std-unbiased', rewards[0] as number[], 1e-4, 0)
    expect(runOver('C04', group(advantages)).tally.affected).toBe(1)
  })

  it('is silent where the baseline is that of the rows that train, where there is none, and where nothing is stored', () => {
    const mean = (0.9 + 0.4 + 0.6) / 3
    expect(runOver('C04', group([0.9 - mean, 0.4 - mean, 0.6 - mean, null])).tally.affected).toBe(0)
    expect(runOver('C04', group([0.9, 0.4, 0.6, 0.1])).tally.affected).toBe(0)
    expect(runOver('C04', group([null, null, null, null])).tally).toMatchObject({ checked: 4, affected: 0 })
  })

  it('is silent where the baseline is that of a batch or of a critic', () => {
    const batch = (0.9 + 0.4 + 0.6 + 0.1 + 4) / 8
    expect(runOver('C04', group([0.9 - batch, 0.4 - batch, 0.6 - batch, null])).tally.affected).toBe(0)
    expect(runOver('C04', group([0.31, -0.02, 0.07, null])).tally.affected).toBe(0)
  })

  it('cannot be checked on incomplete groups', () => {
    const facts = groupFacts(rewards, () => ({ groupSize: 8 }))
    expect(runOver('C04', dumpOf(facts)).abstained?.reason).toBe('incomplete groups')
  })
})

describe('S04', () => {
  it('counts the copies, not the original, and says where that is', () => {
    const facts = [0, 1, 2].map((i) => factsOf(i, { idsHash: i === 1 ? 'b' : 'a', group: 'g' }))
    const { tally, findings } = runOver('S04', dumpOf(facts))
    expect(tally).toMatchObject({ checked: 3, affected: 1 })
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatchObject({ record: 2, severity: 'info', evidence: { copy_of: '0', same_group: true } })
  })

  it('takes rows of nothing but padding for no copies', () => {
    const padded = [0, 1].map((i) => factsOf(i, { idsHash: 'none', realLength: 0 }))
    expect(runOver('S04', dumpOf(padded)).tally).toMatchObject({ checked: 0, affected: 0 })
  })

  it('looks at no row without ids', () => {
    expect(runOver('S04', dumpOf([factsOf(0, { idsHash: null }), factsOf(1, { idsHash: null })])).tally.checked).toBe(0)
  })
})

describe('A10', () => {
  const all = (reward: number) =>
    runOver('A10', dumpOf(groupFacts([1, 2, 3].map(() => [reward, reward, reward, reward]))))

  it.each([0, -1])('names rewards that are all %i', (reward) => {
    const { tally, findings } = all(reward)
    expect(tally).toMatchObject({ checked: 12, affected: 12 })
    expect(findings[0]).toMatchObject({ severity: 'info', message: `All 12 rewards are ${reward}` })
  })

  it('leaves a dump alone that holds only what succeeded', () => {
    expect(all(1).tally.affected).toBe(0)
  })
})

describe('A04', () => {
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
  const centre = (of: readonly number[]) => recomputeAdvantages('centre', of, 0, 0)

  it('holds a declared scaling against the stored values, and names the scheme that fits and the next ones', () => {
    const { tally, findings } = runOver('A04', storing(centre, { scaleRewards: 'group' }))
    expect(tally).toMatchObject({ checked: 2, affected: 2 })
    expect(findings[0]).toMatchObject({ severity: 'error', scope: 'group', evidence: { scheme: 'centre' } })
    expect(findings[0]?.evidence.runners_up).toHaveLength(3)
    expect(runOver('A04', storing(centre, { scaleRewards: 'none' })).tally).toMatchObject({ checked: 2, affected: 0 })
  })

  describe('of rows that an overlong filter left out of the baseline', () => {
    const graded = [
      [0.9, 0.4, 0.6, 0.2, 0],
      [0.2, 0.8, 0.7, 0.5, 0],
      [0.3, 0.6, 0.1, 0.9, 0],
      [1, 1, 1, 1, 0],
    ]
    const ofBatch = unbiasedStd(graded.flatMap((group) => group.slice(0, 4)))
    const leavingOut = (scheme: AdvantageScheme, wrong: (group: number, member: number) => number = () => 0) =>
      dumpOf(
        groupFacts(graded, (_, group, member) => {
          const filtered = recomputeAdvantages(scheme, (graded[group] as number[]).slice(0, 4), 1e-4, ofBatch)
          const advantage = member === 4 ? 0 : (filtered[member] as number) + wrong(group, member)
          return { advantage, ...(member === 4 ? { trained: 0, isTruncated: true } : {}) }
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
})

describe('A05', () => {
  it('looks at very many rows of one group size without comparing all with all', () => {
    // No group sums to 0, every two of them do, and they are too few to call that the window in use: all shifts are tried.
    const facts = groupFacts(
      Array.from({ length: 6 }, () => Array<number>(30_000).fill(0)),
      (_, group, member) => ({ advantage: member > 0 ? 0 : group % 2 === 0 ? 1 : -1 }),
    )
    expect(runOver('A05', dumpOf(facts)).tally.checked).toBe(6)
  })

  const rewards = Array.from({ length: 6 }, (_, group) => [1, 2, 3, 4].map((at) => Math.sin(group * 4 + at) ** 2))
  const prompt = (at: number) => `p${at}`

  it('names groups that are counted off two rows late', () => {
    const facts = groupFacts(rewards, (_, group, member) => ({ promptHash: prompt((group * 4 + member + 2) >> 2) }))
    expect(runOver('A05', dumpOf(facts)).tally).toMatchObject({ checked: 6, affected: 6 })
  })

  it('sees from advantages alone over which rows the mean was taken', () => {
    const flat = rewards.flat()
    const advantages = flat.map((reward, row) => {
      const start = row < 2 ? 0 : row - ((row - 2) % 4)
      const window = flat.slice(row < 2 ? 0 : start, row < 2 ? 2 : start + 4)
      return reward - window.reduce((sum, value) => sum + value, 0) / window.length
    })
    const facts = groupFacts(rewards, (_, group, member) => ({ advantage: advantages[group * 4 + member] as number }))
    const { tally, findings } = runOver('A05', dumpOf(facts))
    expect(tally).toMatchObject({ checked: 6, affected: 6 })
    expect(findings[0]?.evidence.window_whose_advantages_sum_to_0).toEqual({ size: 4, shift: 2 })
  })

  it('is silent where variants of a prompt are dealt out among all groups', () => {
    const facts = groupFacts(rewards, (_, group, member) => ({ promptHash: prompt((group + member) % 2) }))
    expect(runOver('A05', dumpOf(facts)).tally).toMatchObject({ checked: 6, affected: 0 })
  })

  it('names a group with more rollouts than were generated, unless the prompt came back whole', () => {
    const many = (count: number) => [
      ...groupFacts(
        [
          [1, 0],
          [0, 1],
        ],
        () => ({ groupSize: 2 }),
      ),
      ...Array.from({ length: count }, (_, i) => factsOf(10 + i, { group: 'big', groupSize: 2, reward: i % 2 })),
    ]
    expect(runOver('A05', dumpOf(many(3))).tally).toMatchObject({ checked: 3, affected: 1 })
    expect(runOver('A05', dumpOf(many(4))).tally.affected).toBe(0)
    // A size that a person gives holds as one that the rows store does.
    const unsized = (count: number) =>
      dumpOf(
        many(count).map((row) => ({ ...row, groupSize: null })),
        { options: { groupSize: 2 } },
      )
    expect(runOver('A05', unsized(3)).tally).toMatchObject({ affected: 1 })
    expect(runOver('A05', unsized(4)).tally.affected).toBe(0)
  })
})

describe('A06', () => {
  const long = { assistantLengths: [400], trained: 400, weight: 400 }
  const alike = (count: number, prefixHashes: readonly string[]) =>
    dumpOf(
      groupFacts([[1, 0, 0.5, 0.2]], (_, __, member) => ({
        ...long,
        temperature: 0.7,
        prefixHashes: member < count ? prefixHashes : [`a${member}`, `b${member}`],
      })),
    )

  it('notes that most of a group begin alike for long, with their temperature', () => {
    const { findings, tally } = runOver('A06', alike(3, ['a', 'b']))
    expect(tally).toMatchObject({ checked: 1, affected: 1, affectedTokens: 0 })
    expect(findings[0]).toMatchObject({
      severity: 'info',
      message: '3 of 4 rollouts of group g0 begin with the same 256 sampled tokens or more',
      evidence: { shared_prefix: { tokens: 256, rollouts: 3 }, temperature: [0.7], copies: [] },
    })
  })

  it.each([
    ['half of the group', alike(2, ['a', 'b'])],
    ['a short beginning', alike(4, ['a'])],
  ])('does not note %s', (_, dump) => {
    expect(runOver('A06', dump).tally.affected).toBe(0)
  })

  it('tells the beginning that copies share', () => {
    const facts = groupFacts([[1, 1, 0]], (_, __, member) => ({
      ...long,
      idsHash: member < 2 ? 'same' : 'other',
      prefixHashes: member < 2 ? ['a', 'b'] : ['a', 'c'],
    }))
    expect(runOver('A06', dumpOf(facts)).findings[0]).toMatchObject({
      severity: 'warning',
      evidence: { shared_prefix: { tokens: 256, rollouts: 2 }, temperature: null },
    })
  })

  it('leaves short answers alone, which are equal by chance', () => {
    const equal = (length: number) =>
      runOver('A06', dumpOf(groupFacts([[1, 0]], () => ({ idsHash: 'a', assistantLengths: [length] })))).tally
    expect(equal(6)).toMatchObject({ checked: 1, affected: 0 })
    expect(equal(60)).toMatchObject({ checked: 1, affected: 1, affectedTokens: 60 })
  })
})
