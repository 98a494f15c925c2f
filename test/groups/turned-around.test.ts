import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

/** Numbers from 0 to 1 without order. */
const wave = (at: number) => Math.abs((Math.sin(at * 12.9898 + 4.1) * 43758.5453) % 1)

const graded = (groups: number, size = 8) =>
  Array.from({ length: groups }, (_, group) => Array.from({ length: size }, (_, row) => wave(group * size + row)))
const binary = (groups: number, size = 8) =>
  Array.from({ length: groups }, (_, group) =>
    Array.from({ length: size }, (_, row) => Number((row + 3 * group) % size < 2 + (group % (size - 3)))),
  )

type Advantages = (rewards: readonly number[], group: number) => readonly number[]
const plain: Advantages = (rewards) => recomputeAdvantages('group-std-unbiased', rewards, 1e-4)
const over =
  (of: (advantage: number, group: number, member: number) => number): Advantages =>
  (rewards, group) =>
    plain(rewards, group).map((each, member) => of(each, group, member))

/** None of them is a formula that anything knows. */
const UNKNOWN: readonly (readonly [string, Advantages])[] = [
  ['a factor for each group', over((each, group) => (0.5 + 1.5 * wave(group)) * each)],
  ['squashed', over((each) => Math.tanh(1.3 * each))],
  ['clipped behind a factor', over((each, group) => Math.max(-0.8, Math.min(0.8, (0.5 + wave(group)) * each)))],
  ['a bonus', over((each, group, member) => each + 0.1 * wave(100 + group * 8 + member))],
]

function storing(
  rewards: readonly (readonly number[])[],
  advantages: Advantages,
  turned: readonly number[],
  more: (group: number, member: number, advantage: number) => Partial<TrajectoryFacts> = () => ({}),
) {
  const made = rewards.map((own, group) =>
    advantages(own, group).map((each) => (turned.includes(group) ? -each : each)),
  )
  return dumpOf(
    groupFacts(rewards, (_, group, member) => {
      const advantage = made[group]?.[member] as number
      return { advantage, ...more(group, member, advantage) }
    }),
  )
}

const judged = (dump: ReturnType<typeof dumpOf>) => {
  const { findings, abstained } = runOver('A04', dump)
  return abstained?.status ?? findings.map(({ group, severity }) => `${group} ${severity}`)
}

describe('groups that are turned around where no formula gives the advantages', () => {
  it.each(
    UNKNOWN.flatMap(([title, advantages]) =>
      [graded, binary].map((rewards) => [`${title}, ${rewards.name}`, rewards, advantages] as const),
    ),
  )('are a warning each: %s', (_, rewards, advantages) => {
    expect(judged(storing(rewards(8), advantages, [3]))).toEqual(['g3 warning'])
    expect(judged(storing(rewards(64), advantages, [7, 40]))).toEqual(['g7 warning', 'g40 warning'])
    expect(judged(storing(rewards(64), advantages, []))).toBe('not-checkable')
  })

  it('say what the others do', () => {
    const [, advantages] = UNKNOWN[0] as (typeof UNKNOWN)[number]
    const { tally, findings } = runOver('A04', storing(graded(8), advantages, [3]))
    expect(tally).toMatchObject({ checked: 8, affected: 1 })
    expect(findings[0]?.message).toBe(
      'Advantages of group g3 rank its rollouts against their rewards, while those of 7 other groups go with theirs, and no known formula gives them',
    )
  })

  const ofOther = over((each, group, member) => Math.tanh(group === 5 ? wave(500 + member) : each))
  it.each<[string, ReturnType<typeof dumpOf>]>([
    ['something else gives the order of another one', storing(graded(64), ofOther, [7])],
    [
      'their rewards differ by noise alone',
      storing(
        graded(8).map((own, group) => (group === 3 ? own.map((each) => 0.5 + each / 100) : own)),
        (UNKNOWN[1] as (typeof UNKNOWN)[number])[1],
        [3],
      ),
    ],
    [
      'they are of two rollouts',
      storing(
        graded(8, 2),
        over((each, group) => (1 + wave(group)) * each),
        [3],
      ),
    ],
    [
      'a component of the reward gives the order',
      storing(graded(8), (UNKNOWN[1] as (typeof UNKNOWN)[number])[1], [3], (_, __, advantage) => ({
        rewards: { answer: advantage / 2, brevity: -advantage / 3 },
      })),
    ],
  ])('are none where %s', (_, dump) => {
    expect(judged(dump)).toBe('not-checkable')
  })
})

describe('most groups have a pair against their rewards, and no formula gives the advantages', () => {
  const bonus = (most: number) => over((each, group, member) => each + most * (wave(900 + group * 8 + member) - 0.5))
  it('tells nothing where advantages go with rewards all in all', () => {
    for (const most of [0.5, 1, 1.5]) expect(judged(storing(graded(64), bonus(most), []))).toBe('not-checkable')
  })

  const shuffled: Advantages = (rewards, group) => {
    const advantages = plain(rewards, group)
    return advantages.map((_, member) => Math.tanh(advantages[(member + 3) % advantages.length] as number))
  }
  it.each<[string, Advantages]>([
    ['they are those of other rollouts of the group', shuffled],
    ['little of them is the reward', bonus(12)],
  ])('is wrong where %s', (_, advantages) => {
    const { findings } = runOver('A04', storing(graded(64), advantages, []))
    expect(findings.length).toBeGreaterThan(56)
    expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(['error']))
  })
})
