import { expect, it } from 'vitest'
import { MOST_COMPONENTS } from '../../shared/session/requests/table.ts'
import { tableFields } from '../../shared/session/table-fields.ts'

it('names the reward components of a dump, the commonest first, as more is read', () => {
  const facts: { rewards: Record<string, number> | null }[] = [{ rewards: { b: 1, a: 0 } }, { rewards: null }]
  expect(tableFields(facts)).toEqual({ rewards: ['a', 'b'], moreRewards: 0 })
  facts.push({ rewards: { b: Number.NaN } })
  expect(tableFields(facts).rewards).toEqual(['b', 'a'])
  facts.push({ rewards: Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`c${k}`, k])) })
  const { rewards, moreRewards } = tableFields(facts)
  expect(rewards).toHaveLength(MOST_COMPONENTS)
  expect(rewards.length + moreRewards).toBe(102)
})
