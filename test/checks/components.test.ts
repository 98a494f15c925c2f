import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { FactsKeeper, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import { componentsOf } from '../../shared/checks/groups/components.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

/** Three groups of four; the last one is short of a rollout, and of whoever is in `lacking` a component is not known. */
function rollouts(lacking: readonly string[] = []): TrajectoryFacts[] {
  const members = ['a', 'b', 'c', 'd'].flatMap((group, g) =>
    [0, 1, 2, 3].slice(g === 3 ? 1 : 0).map((at) => ({ id: `${group}${at}`, group, at: at + 4 * g })),
  )
  return members.map(({ id, group, at }) => {
    const [answer, format] = [(at * 7) % 5, (at * 3) % 4]
    const rewards: Record<string, number> = lacking.includes(id) ? { answer } : { answer, format }
    return factsOf(at, { id, group, groupSize: 4, reward: answer - 0.5 * format, rewards })
  })
}

const kept = (facts: readonly TrajectoryFacts[]) => new FactsKeeper().keep(packFacts(facts))()
/** The second group begins where the first one has not ended. */
const interleaved = (facts: readonly TrajectoryFacts[]) =>
  [...facts].sort((a, b) => (a.place.record % 4) - (b.place.record % 4))

it.each([
  { what: 'every rollout has every component', lacking: [], counted: 9 },
  { what: 'a group lacks one', lacking: ['b2'], counted: 6 },
  { what: 'the first group lacks one', lacking: ['a0', 'a1', 'a2', 'a3'], counted: 6 },
  { what: 'one is lacking where no group is complete', lacking: ['d2'], counted: 9 },
])('components are the same wherever the rows of a group stand: $what', ({ lacking, counted }) => {
  const facts = rollouts(lacking)
  const found = componentsOf(dumpOf(facts))
  expect(found).toMatchObject({
    components: [
      { name: 'answer', weight: expect.closeTo(1) },
      { name: 'format', weight: expect.closeTo(-0.5) },
    ],
    degreesOfFreedom: counted,
  })
  for (const rows of [kept(facts), interleaved(facts), kept(interleaved(facts))]) {
    expect(componentsOf(dumpOf(rows))).toEqual(found)
  }
})

/** Two groups of eight. `against` is how much a component with much of the variance goes down where the total goes up. */
function twoGroups(against: number) {
  const sign = (i: number, of: readonly number[]) => of[i % 8] as number
  const rows = Array.from({ length: 16 }, (_, i) => {
    const main = sign(i, [1, 1, 1, 1, -1, -1, -1, -1])
    const other = sign(i, [1, 1, -1, -1, 1, 1, -1, -1])
    const third = sign(i, [1, -1, 1, -1, 1, -1, 1, -1])
    // The large one is nearly at right angles to the total: all others together take away what it brings, or a little more.
    const rewards = { recall: main, em: -(0.5 + against) * main + 0.9 * other, f1: -0.5 * main + 0.9 * third }
    const reward = rewards.recall + rewards.em + rewards.f1
    return factsOf(i, { id: `r${i}`, group: i < 8 ? 'a' : 'b', reward, rewards })
  })
  return rows
}

it('a component pulls against the total where more than chance says so: one of -0.02 in two groups of eight is none', () => {
  const recallOf = (rows: readonly TrajectoryFacts[]) => {
    const found = componentsOf(dumpOf(rows))
    return found === null || found === 'unexplained' ? null : found.components.find(({ name }) => name === 'recall')
  }
  const near = recallOf(twoGroups(0.02))
  expect(near).toMatchObject({ opposes: false, varianceShare: expect.any(Number) })
  expect(near?.varianceShare).toBeGreaterThan(0.3)
  expect(near?.correlation).toBeCloseTo(-0.016, 2)
  expect(runOver('A09', dumpOf(twoGroups(0.02))).findings).toEqual([])
  expect(recallOf(twoGroups(1))).toMatchObject({ opposes: true })
})

it.each([
  ['is named where it is one number', 1, '; style is 1 in all 15 rollouts that have it'],
  ['is not where one rollout has another', 0.5, ''],
])('a component of a reward that is no sum of its components %s', (_, last, told) => {
  const rows = rollouts().map((row, at) => ({
    ...row,
    reward: (at * 11) % 7,
    rewards: { answer: row.rewards?.answer ?? 0, style: at === 14 ? last : 1 },
  }))
  expect(runOver('A09', dumpOf(rows)).abstained).toEqual({
    status: 'not-checkable',
    reason: `the reward is not a weighted sum of the components that are stored${told}`,
  })
})

/** Eight groups of eight whose even rollouts are right, for which they get `right`; `price` is what that costs them by length. */
function priced(
  right: number,
  price: number,
  em: (isRight: boolean, row: number) => number = (isRight) => Number(isRight),
) {
  return Array.from({ length: 64 }, (_, i) => {
    const isRight = i % 2 === 0
    const rewards = { em: em(isRight, i), brevity: (isRight ? -price : 0) + 0.1 * Math.sin(7.3 * i) }
    return factsOf(i, { group: `g${i >> 3}`, reward: right * rewards.em + rewards.brevity, rewards })
  })
}
const sentencesOn = (facts: readonly TrajectoryFacts[]) =>
  runOver('A09', dumpOf(facts)).findings.map(({ message }) => message)

it('what is right is punished: the more it loses, the less of the variance it has', () => {
  expect(sentencesOn(priced(0.5, 0.8))).toEqual([expect.stringContaining('Reward components em and brevity cancel')])
  for (const price of [1.1, 1.3])
    expect(sentencesOn(priced(0.5, price))).toEqual([
      expect.stringMatching(/^Reward component em has 1\d.* and goes against the total in 8 of 8 groups$/),
    ])
})

it('a mark for style that better answers lack, a penalty and a component of many values punish nothing that was reached', () => {
  // By its name it is the answer, and it has no say: that is noted.
  expect(sentencesOn(priced(0.1, 1))).toEqual(['Reward component brevity has 99 % of the variance within groups'])
  expect(sentencesOn(priced(-0.5, -1.3))).toEqual([])
  expect(sentencesOn(priced(0.5, 1.3, (isRight, i) => (isRight ? 1 - (i % 5) / 100 : 0)))).toEqual([])
})
