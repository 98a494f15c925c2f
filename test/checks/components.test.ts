import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { componentsOf } from '../../shared/checks/groups/components.ts'
import { FactsKeeper, packFacts } from '../../shared/checks/kept-facts.ts'
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

const kept = (facts: readonly TrajectoryFacts[]) => new FactsKeeper().unpack(packFacts(facts))
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
