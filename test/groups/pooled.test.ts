import { describe, expect, it } from 'vitest'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { fitOf } from '../../shared/checks/groups/scaling.ts'
import { mean } from '../../shared/checks/groups/statistics.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

/** Numbers from 0 to 1 without order. */
const wave = (at: number) => Math.abs((Math.sin(at * 12.9898 + 4.1) * 43758.5453) % 1)

const SIZE = 8
const graded = Array.from({ length: 16 }, (_, group) =>
  Array.from({ length: SIZE }, (_, row) => 0.5 * wave(500 + group) + 0.5 * wave(group * SIZE + row)),
)
const binary = graded.map((own, group) => own.map((each) => Number(each > 0.3 + 0.1 * (group % 4))))

type Rewards = readonly (readonly number[])[]

/** The advantages of each group by itself, or together with those of the same part. */
function over(rewards: Rewards, scheme: AdvantageScheme, parts: readonly (readonly number[])[] = []): number[][] {
  const made = rewards.map((own) => recomputeAdvantages(scheme, own, 1e-6))
  for (const part of parts) {
    const all = recomputeAdvantages(
      scheme,
      part.flatMap((group) => rewards[group] as number[]),
      1e-6,
    )
    for (const [at, group] of part.entries()) made[group] = all.slice(at * SIZE, (at + 1) * SIZE)
  }
  return made
}

const storing = (rewards: Rewards, advantages: readonly (readonly number[])[]) =>
  dumpOf(
    groupFacts(rewards, (_, group, member) => ({ advantage: advantages[group]?.[member] as number, step: group >> 3 })),
  )
const errorsOf = (dump: ReturnType<typeof dumpOf>) =>
  ['A03', 'A04', 'A05'].map((code) => runOver(code, dump).tally.affected)

describe('a baseline that several prompts of a step share', () => {
  const schemes = ['centre', 'leave-one-out', 'group-std-unbiased', 'group-std-biased'] as const
  const parts = [
    [1, 4],
    [6, 2],
    [9, 10, 14],
  ]

  it.each(
    schemes.flatMap((scheme) => [[scheme, 'graded', graded] as const, [scheme, 'right and wrong', binary] as const]),
  )('is no fault of them: %s, %s', (scheme, _, rewards) => {
    const dump = storing(rewards, over(rewards, scheme, parts))
    expect(fitOf(dump)).toMatchObject({ scheme, accepted: true })
    expect(fitOf(dump)?.share).toBeLessThan(1)
    expect(errorsOf(dump)).toEqual([0, 0, 0])
  })

  it('is none where the std of the others divides', () => {
    const made = over(graded, 'leave-one-out-std', [
      [1, 4],
      [6, 2],
    ])
    expect(errorsOf(storing(graded, made))).toEqual([0, 0, 0])
  })

  it('takes the bound of all their rollouts along', () => {
    const rewards = graded.map((own, group) =>
      group === 1 ? [...Array(7).fill(0.01), 0.9] : group === 4 ? Array.from(own, (_, at) => 0.01 + 0.001 * at) : own,
    )
    const dump = storing(rewards, over(rewards, 'group-std-unbiased', [[1, 4]]))
    expect(Math.max(...dump.facts.map(({ advantage }) => advantage as number))).toBeGreaterThan(7 / Math.sqrt(8))
    expect(errorsOf(dump)).toEqual([0, 0, 0])
  })

  it('holds for a part whose rewards are all the same', () => {
    const rewards = binary.map((own, group) => (group === 4 ? own.map(() => 1) : own))
    expect(errorsOf(storing(rewards, over(rewards, 'group-std-unbiased', [[1, 4]])))).toEqual([0, 0, 0])
  })

  it.each<[string, (made: number[][]) => void]>([
    [
      'it is that of another prompt',
      (made) => {
        made[1] = graded[1]!.map((reward) => reward - mean(graded[4] as number[]))
      },
    ],
    ['the advantages of one are smaller', (made) => void (made[1] = made[1]!.map((each) => 0.7 * each))],
    ['both are turned around', (made) => [1, 4].forEach((at) => void (made[at] = made[at]!.map((each) => -each)))],
    [
      'one is of another step',
      (made) => {
        const both = over(graded, 'centre', [[1, 12]])
        for (const group of [1, 12]) made[group] = both[group] as number[]
      },
    ],
  ])('is a fault where %s', (_, spoil) => {
    const made = over(graded, 'centre')
    spoil(made)
    expect(errorsOf(storing(graded, made))[1]).toBeGreaterThan(0)
  })
})
