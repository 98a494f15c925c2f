import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { remedyOf } from '../../shared/hypotheses/remedies.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'
import { resultOf, verdictOf } from './input.ts'

const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

/** `tiny` groups with a gap of 0.01 among `count` groups of 4, the others with contrast; range 0.5, noise floor 0.025. */
function _mixedRewards(count: number, tiny: number): number[][] {
  return Array.from({ length: count }, (_, i) => (i < tiny ? [0.6, 0.61, 0.6, 0.6] : [0.4, 0.9, 0.7, 0.5]))
}

const _scaledBy = (scheme: 'group-std-unbiased' | 'centre', rewards: readonly (readonly number[])[]) =>
  groupFacts(rewards, (_, group, member) => ({
    advantage: recomputeAdvantages(scheme, rewards[group] as number[], 1e-4)[member] as number,
  }))

describe('H05', () => {
  const healthy = Array.from({ length: 20 }, () => [0, 1, 0.5, 0.2])

  it('is contradicted by rewards with contrast', () => {
    const result = verdictOf('H05', dumpOf(groupFacts(healthy)), { without: ['reward_components'] })
    expect(result).toMatchObject({ verdict: 'contradicted', confidence: 'high', missing: ['reward_components'] })
  })

  it.each([
    [10, 'supported'],
    [9, 'contradicted'],
  ] as const)('with %i of 20 groups without contrast it is %s', (flat, verdict) => {
    const rewards = healthy.map((group, i) => (i < flat ? [0.4, 0.4, 0.4, 0.4] : group))
    expect(verdictOf('H05', dumpOf(groupFacts(rewards))).verdict).toBe(verdict)
  })

  const flat = Array.from({ length: 8 }, () => [0, 0, 0, 0])
  const advantagesOf = (of: (group: number, member: number) => Partial<TrajectoryFacts>) =>
    dumpOf(groupFacts(flat, (_, group, member) => of(group, member)))

  it.each<[string, (group: number, member: number) => Partial<TrajectoryFacts>]>([
    ['token by token', () => ({ advantage: null, maxAdvantage: 0.7 })],
    ['rollout by rollout', (group, member) => ({ advantage: (group % 3) - 1.5 * member + 0.2 })],
  ])('is undecided where all rewards are one, and advantages are made of something else: %s', (_, of) => {
    const { verdict, missing } = verdictOf('H05', advantagesOf(of))
    expect(verdict).toBe('inconclusive')
    expect(missing.join()).toMatch(
      /^what the run learns from: all have reward 0, and 32 of 32 rollouts have advantages/,
    )
  })

  it.each<[string, (group: number, member: number) => Partial<TrajectoryFacts>]>([
    ['are 0', () => ({ advantage: 0 })],
    ['are what rounding leaves of 0', (_, member) => ({ advantage: member * 1e-5 })],
    ['are one number for all', () => ({ advantage: -0.5 })],
    ['are 0 but for a few', (group, member) => ({ advantage: group < 2 ? member - 1.5 : 0 })],
    ['are not stored', () => ({})],
  ])('is supported by rewards that are all one where advantages %s', (_, of) => {
    expect(verdictOf('H05', advantagesOf(of)).verdict).toBe('supported')
  })

  it.each([
    [0.002, 'inconclusive'],
    [0.2, 'contradicted'],
  ] as const)('where rewards lie %f about 0.65 it is %s: what the fixed noise floor is above may be a matter of units', (spread, verdict) => {
    const rewards = Array.from({ length: 12 }, (_, i) =>
      [-1.2, 0.4, 1, -0.2].map((z, k) => 0.65 + spread * (z + ((i * k) % 3) / 3)),
    )
    const { because, missing, would_change, ...result } = verdictOf('H05', dumpOf(groupFacts(rewards)))
    expect(result.verdict).toBe(verdict)
    expect(because.some(({ speaks }) => speaks === 'for')).toBe(false)
    expect(missing.join()).toMatch(verdict === 'contradicted' ? /^$/ : /their std within groups is \d\d % of their own/)
    const contradicting = 'contradicted if rewards that differ by so little are told apart on purpose'
    expect(would_change.includes(contradicting)).toBe(verdict === 'inconclusive')
  })

  it.each([
    [1, 'contradicted'],
    [0.02, 'contradicted'],
    [0.01, 'contradicted'],
    [1e-9, 'supported'],
  ] as const)('rewards of 0 and %f by turns are judged by their own range, if they differ at all: %s', (high, verdict) => {
    const rewards = Array.from({ length: 20 }, () => [0, high, 0, high])
    const { because, ...result } = verdictOf('H05', dumpOf(groupFacts(rewards)))
    expect(result.verdict).toBe(verdict)
    expect(because.some(({ speaks }) => speaks === 'for')).toBe(verdict === 'supported')
  })

  it('is supported by rewards of a small unit that are the same within groups', () => {
    const rewards = Array.from({ length: 20 }, (_, i) => Array(4).fill((i % 4) * 0.005) as number[])
    expect(verdictOf('H05', dumpOf(groupFacts(rewards))).verdict).toBe('supported')
  })

  it('is supported where the std within groups is under a tenth of the range', () => {
    const means = Array.from({ length: 30 }, (_, i) => i / 29)
    const rewards = means.map((mean) => [mean - 0.09, mean + 0.09, mean - 0.09, mean + 0.09])
    const result = verdictOf('H05', dumpOf(groupFacts(rewards)))
    expect(result.verdict).toBe('supported')
    expect(result.because[0]?.measure).toMatch(/share of the reward range/)
  })

  describe('of rewards with a tail', () => {
    /** Each group has what lies between the quantiles of the others: a tail of both signs whose end moves out with every group. */
    const tailed = (groups: number) =>
      Array.from({ length: groups }, (_, group) =>
        Array.from({ length: 8 }, (_, member) => {
          const quantile = (member + (group + 0.5) / groups) / 8
          return (quantile < 0.5 ? 1 : -1) * Math.log(1 - Math.abs(2 * quantile - 1))
        }),
      )

    // By the whole range of 500 groups, which the contract's formula takes, their spread is below a tenth of it.
    it.each([
      [4, 'contradicted'],
      [32, 'contradicted'],
      [500, 'inconclusive'],
    ] as const)('is never supported by the number of its groups alone: %i, %s', (groups, verdict) => {
      const found = verdictOf('H05', dumpOf(groupFacts(tailed(groups))))
      expect(found.verdict).toBe(verdict)
      const shares = found.because.filter(({ measure }) => measure.includes('as a share of the reward range'))
      expect(shares.map(({ speaks }) => speaks)).toEqual(groups === 500 ? ['against', 'for'] : ['against'])
    })

    it('says how wide their range was taken to be', () => {
      const { because } = verdictOf('H05', dumpOf(groupFacts(tailed(500))))
      const line = because.find(({ measure }) => measure === 'reward range that groups are held against')
      expect(line?.value).toMatch(/^−8\.29405 to 8\.29405 in 500 groups, taken as 7\.\d+ wide for the few at its ends$/)
    })
  })

  it('is supported where groups differ far more than their members', () => {
    const apart = Array.from({ length: 20 }, (_, i) => (i % 2 ? [0.9, 1, 0.6, 0.9] : [0.1, 0, 0.4, 0.1]))
    expect(verdictOf('H05', dumpOf(groupFacts(apart))).verdict).toBe('contradicted')
    const far = Array.from({ length: 20 }, (_, i) => (i % 2 ? [1, 1, 0.78, 1] : [0, 0, 0.22, 0]))
    const result = verdictOf('H05', dumpOf(groupFacts(far)))
    expect(result.verdict).toBe('supported')
    expect(result.because[0]?.measure).toMatch(/contrast ratio/)
  })

  it.each([
    [1, 'if all are right, take harder prompts.'],
    [0, 'if none is right, take easier prompts.'],
    [-0.5, 'if none is right, take easier prompts.'],
  ])('asks, where every reward is %s, whether the reward function tells answers apart', (reward, advised) => {
    const result = verdictOf(
      'H05',
      dumpOf(groupFacts(Array.from({ length: 20 }, () => [reward, reward, reward, reward]))),
    )
    expect(result.verdict).toBe('supported')
    expect(remedyOf(result)).toBe(
      `Every reward of a complete group is ${String(reward).replace('-', '−')}: see that the reward function can tell a right answer from a wrong one, and ${advised}`,
    )
  })

  describe('of rollouts that may have been chosen by their reward', () => {
    const sized = (sizes: readonly number[], reward: number) => sizes.map((size) => Array<number>(size).fill(reward))
    const parts = sized([4, 2, 1, 4, 3, 4, 4, 2], 1)
    const whole = sized(Array<number>(8).fill(4), 1)
    const ruled = (groups: number[][], advantage?: number) =>
      verdictOf('H05', dumpOf(groupFacts(groups, () => (advantage === undefined ? {} : { advantage }))))

    it.each([
      ['parts of groups', parts, undefined, '4 of 8 groups are of another size than 4'],
      ['parts of groups, trained alike', parts, 1, 'each has reward 1, and is trained with advantage 1'],
      ['whole groups, trained alike', whole, 0.5, 'each has reward 1, and is trained with advantage 0.5'],
    ])('it is inconclusive: %s', (_, groups, advantage, why) => {
      const { verdict, missing, because, would_change } = ruled(groups, advantage)
      expect(verdict).toBe('inconclusive')
      expect(missing[0]).toContain(why)
      expect(because.some(({ speaks }) => speaks !== undefined && speaks !== null)).toBe(false)
      expect(would_change).toContain('supported if no rollout of another reward was left out of the dump')
    })

    it.each([
      ['whole groups', whole, undefined],
      ['whole groups whose baseline leaves nothing', whole, 0],
      ['parts of groups whose baseline leaves nothing', parts, 0],
      ['nothing is rewarded', sized([4, 2, 1, 4, 3, 4, 4, 2], 0), undefined],
      ['a dump that begins and ends within a group', [...whole, ...sized([2, 1], 1)], undefined],
      ['rewards of two values', [...whole, [0, 0, 0, 0]], 0.5],
    ])('it is supported: %s', (_, groups, advantage) => {
      expect(ruled(groups, advantage).verdict).toBe('supported')
    })
  })

  it('takes questions that a file asks once, beside whole groups of another, for no parts of groups', () => {
    const alone = Array.from({ length: 9 }, (_, i) =>
      factsOf(i, { group: `asked once ${i}`, reward: 1, place: { source: 1, record: i, part: 0 } }),
    )
    expect(verdictOf('H05', dumpOf([...groupFacts(Array(8).fill([1, 1, 1, 1])), ...alone])).verdict).toBe('supported')
  })

  it('asks, where some groups are all solved and others not at all, for prompts between these', () => {
    const rewards = Array.from({ length: 20 }, (_, i) => [i % 2, i % 2, i % 2, i % 2])
    expect(remedyOf(verdictOf('H05', dumpOf(groupFacts(rewards))))).toBe(
      'Take prompts that the model solves sometimes, neither always nor never, or a reward that grades answers more finely.',
    )
  })

  /** Total = 1·exact − or + w·style; the components vary on their own. */
  const conflicting = (exact: number[], style: number[], weight: number) =>
    groupFacts(
      Array.from({ length: 10 }, () => exact.map((e, i) => e + weight * (style[i] as number))),
      (_, __, member) => ({ rewards: { exact: exact[member] as number, style: style[member] as number } }),
    )

  it('is supported by a component with much variance that is high where the total is low', () => {
    const dump = dumpOf(conflicting([1, 0, 1, 0], [0, 0.8, 0.1, 0.8], 1))
    const result = verdictOf('H05', dump)
    expect(result.verdict).toBe('supported')
    expect(result.because[0]?.measure).toMatch(/reward component style, against the total/)
  })

  it('is not contradicted where components cancel each other and neither goes against the total', () => {
    const dump = dumpOf(groupFacts(healthy))
    const told = (severity: 'warning' | 'info') =>
      verdictOf('H05', dump, { checks: [resultOf('A09', { affected: 1, severity })] }).verdict
    expect(told('warning')).toBe('inconclusive')
    expect(told('info')).toBe('contradicted')
  })

  it('does not take a penalty for a conflict: what it takes off moves with the total', () => {
    const dump = dumpOf(conflicting([1, 0, 1, 0], [0, 0.8, 0.1, 0.8], -1))
    expect(verdictOf('H05', dump).verdict).toBe('contradicted')
  })

  it('gives a metric that the total does not contain no share of it', () => {
    const facts = groupFacts(healthy, (reward, group, member) => ({
      rewards: { exact: reward, num_turns: 9 - 5 * reward + ((group * 7 + member * 3) % 4) },
    }))
    expect(verdictOf('H05', dumpOf(facts)).verdict).toBe('contradicted')
  })

  it('is inconclusive where the total is not made of the components', () => {
    const facts = groupFacts(healthy, (_, group, member) => ({
      rewards: { other: ((group + 1) * (member + 2) * 37) % 11 },
    }))
    const result = verdictOf('H05', dumpOf(facts))
    expect(result.verdict).toBe('inconclusive')
    expect(result.missing[0]).toMatch(/weights of the reward components/)
  })

  it('is not checkable without rewards or groups', () => {
    expect(verdictOf('H05', dumpOf(rows(3)), { without: ['group'] })).toMatchObject({
      verdict: 'not-checkable',
      missing: ['group'],
    })
  })
})
