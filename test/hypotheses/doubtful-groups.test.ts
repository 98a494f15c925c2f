import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { resultOf, verdictOf } from './input.ts'

const rewards = Array.from({ length: 20 }, (_, group) => [0, 1, 0.5, (group % 4) / 4])

/** Twenty groups of four with contrast, whose advantages are those of a scheme over these groups; none without one. */
const groups = (
  scheme: AdvantageScheme | null,
  more: (group: number, member: number) => Partial<TrajectoryFacts> = () => ({}),
) =>
  groupFacts(rewards, (_, group, member) => ({
    ...(scheme === null
      ? {}
      : { advantage: recomputeAdvantages(scheme, rewards[group] as number[], 1e-4)[member] as number }),
    ...more(group, member),
  }))

/** Two prompts of two rollouts each. */
const ofTwo = (group: number, member: number) => ({ promptHash: `p${group}.${member >> 1}` })
const DOUBT = /whether each group is of one question: 20 of 20 groups hold several prompts/

describe('where nothing tells whether groups are of one question each', () => {
  it('H05 is not contradicted', () => {
    const result = verdictOf('H05', dumpOf(groups(null, ofTwo)))
    expect(result).toMatchObject({ verdict: 'inconclusive', missing: [expect.stringMatching(DOUBT)] })
  })

  it.each([
    ['group-std-unbiased', 'contradicted', 'medium'],
    ['centre', 'contradicted', 'high'],
  ] as const)('H01 under advantages of %s is %s, %s', (scheme, verdict, confidence) => {
    expect(verdictOf('H01', dumpOf(groups(scheme, ofTwo)))).toMatchObject({ verdict, confidence })
  })

  it('H01 is not contradicted where no advantages fit them either', () => {
    const result = verdictOf('H01', dumpOf(groups(null, ofTwo)), { without: ['advantages'] })
    expect(result).toMatchObject({ verdict: 'inconclusive' })
    expect(result.missing[0]).toMatch(DOUBT)
  })

  it.each<[string, (group: number, member: number) => Partial<TrajectoryFacts>]>([
    ['one prompt', (group) => ({ promptHash: `p${group}` })],
    ['one expected answer', (group, member) => ({ ...ofTwo(group, member), expectedAnswer: group })],
    ['a declared size', (group, member) => ({ ...ofTwo(group, member), groupSize: 4 })],
  ])('both are contradicted, high, with %s', (_, more) => {
    for (const id of ['H01', 'H05'] as const) {
      const result = verdictOf(id, dumpOf(groups('group-std-unbiased', more)))
      expect(result).toMatchObject({ verdict: 'contradicted', confidence: 'high', missing: [] })
    }
  })

  it('H05 is supported all the same by groups without contrast', () => {
    const flat = groupFacts(Array(20).fill([0.4, 0.4, 0.4, 0.4]), (_, group, member) => ofTwo(group, member))
    expect(verdictOf('H05', dumpOf(flat)).verdict).toBe('supported')
  })
})

describe('where groups hold the wrong rollouts (A05)', () => {
  it.each([
    [2, 'contradicted', []],
    [10, 'inconclusive', ['groups that hold the right rollouts: 10 of 20 groups do not (A05)']],
  ] as const)('in %i of 20, H05 is %s', (affected, verdict, missing) => {
    const a05 = resultOf('A05', { unit: 'group', checked: 20, affected, rate: affected / 20 })
    expect(verdictOf('H05', dumpOf(groups(null)), { checks: [a05] })).toMatchObject({ verdict, missing })
  })
})
