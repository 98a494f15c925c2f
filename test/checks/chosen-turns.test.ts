import { expect, it } from 'vitest'
import { assistant, conversation, type TurnLayout, tool, user } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

const LONG = Array.from({ length: 12 }, (_, at) => `the register of parish ${at} says who was born there`).join('; ')

/** Three turns, of which the last is not trained; of the others one token of so many is. */
const masked = (every: number, last: string) => {
  const editMask = (mask: number[], layout: readonly TurnLayout[]) => {
    const turns = layout.filter(({ role }) => role === 'assistant')
    for (const { contentStart, endToken } of turns)
      for (let at = contentStart; at <= endToken; at++) mask[at] = (at - contentStart + 1) % every === 0 ? 1 : 0
    const { contentStart, endToken } = turns.at(-1)!
    mask.fill(0, contentStart, endToken + 1)
  }
  const turns = [user('Who was born there?'), assistant(LONG), tool(LONG), assistant(LONG), tool(LONG), assistant(last)]
  return findingsOf('M03', 'qwen2.5', (tokenizer) => [conversation(tokenizer, turns, { editMask })])
}

it('a short turn of which a mask that chooses tokens trains none is not masked out (M03)', async () => {
  expect(await masked(8, 'Maud Ester.')).toEqual([])
})

it('a long one is, and so is a short one beside turns that are trained whole', async () => {
  expect(await masked(8, LONG)).toHaveLength(1)
  expect(await masked(1, 'Maud Ester.')).toHaveLength(1)
})
