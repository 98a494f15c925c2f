import { expect, it } from 'vitest'
import { MOST_COMPONENTS } from '../../shared/session/requests/table.ts'
import { tableFields } from '../../shared/session/table-fields.ts'
import { factsOf } from '../helpers/facts.ts'

it('names the reward components of a dump, the commonest first, as more is read', () => {
  const facts = [factsOf(0, { rewards: { b: 1, a: 0 } }), factsOf(1, { rewards: null })]
  expect(tableFields(facts)).toEqual({ rewards: ['a', 'b'], moreRewards: 0 })
  facts.push(factsOf(2, { rewards: { b: Number.NaN } }))
  expect(tableFields(facts).rewards).toEqual(['b', 'a'])
  facts.push(factsOf(3, { rewards: Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`c${k}`, k])) }))
  const { rewards, moreRewards } = tableFields(facts)
  expect(rewards).toHaveLength(MOST_COMPONENTS)
  expect(rewards.slice(2, 6)).toEqual(['c0', 'c1', 'c2', 'c3'])
  expect(rewards.length + moreRewards).toBe(102)
})
