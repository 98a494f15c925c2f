import { describe, expect, it } from 'vitest'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { compared } from './compared.ts'
import { lines, qwen } from './dumps.ts'

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed)

describe('questions that two runs put in other words', () => {
  it('are paired by their own sentences where one run adds some to each, and both are shown', async () => {
    const tokenizer = await qwen()
    const sums = (behind: string, from: number) =>
      lines(
        SEEDS.map((seed) => {
          const question = `What is ${seed + from} and ${seed}?${behind}`
          const more = { id: `sum-${seed}`, messages: true, reward: 1 }
          return conversation(tokenizer, [user(question), assistant(`It is ${2 * seed + from}.`)], more)
        }),
      )
    const page = await compared(sums('', 0), sums('\n\nPut the answer into a box.', 0))
    const { pairs, together } = await page.ask('comparison', {})
    expect(pairs).toMatchObject({ pairs: 12, onlyHere: 0, onlyThere: 0, words: 12, rendering: null, likeAnswers: null })
    expect(together.find(({ id }) => id === 'H08')).toMatchObject({ verdict: 'supported' })
    expect((await page.ask('pairs', { differ: ['words'] })).total).toBe(12)
    expect((await page.ask('pair', { position: 0 })).prompt.at(-1)).toEqual({
      what: 'question',
      says: ['The first message of the second run goes on for 28 characters where the other ends.'],
      here: 'What is 0 and 0?',
      there: 'What is 0 and 0?\n\nPut the answer into a box.',
    })
    const others = await compared(sums('', 0), sums('\n\nPut the answer into a box.', 50))
    expect((await others.ask('comparison', {})).pairs).toMatchObject({ pairs: 0, onlyHere: 12, onlyThere: 12 })
  })

  it('are paired where one run has ids alone and the other messages', async () => {
    const tokenizer = await qwen()
    const written = (names: readonly string[]) =>
      SEEDS.map((seed) => {
        const turns = [user(`What is ${seed} and ${seed}?`), assistant(`It is ${2 * seed}.`)]
        const own = { id: `sum-${seed}`, group: `g${seed}`, messages: true, reward: 1 }
        const { record } = conversation(tokenizer, turns, own)
        return JSON.stringify(record, [...names, 'role', 'content'])
      }).join('\n')
    const ids = written(['id', 'input_ids', 'loss_mask', 'reward'])
    const texts = written(['id', 'group_id', 'messages', 'reward'])
    for (const [first, second] of [
      [ids, texts],
      [texts, ids],
    ] as const) {
      const page = await compared(first, second)
      const { pairs } = await page.ask('comparison', {})
      expect(pairs).toMatchObject({ pairs: 12, onlyHere: 0, onlyThere: 0, words: 0, system: null, tools: null })
    }
  })
})
