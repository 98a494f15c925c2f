import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, lines, qwen } from './dumps.ts'

const START = 151644
const END = 151645
const PAD = 151643
const MANY = 150_000

let tokenizer: Tokenizer
let neighbours: readonly [string, string]
beforeAll(async () => {
  tokenizer = await qwen()
  neighbours = [lines([cleanRollout(tokenizer, 1)]), lines([cleanRollout(tokenizer, 2)])]
})

const row = (fields: object) => `${JSON.stringify({ id: 'odd', ...fields })}\n`
const repeated = (length: number, pattern: readonly number[]) =>
  Array.from({ length }, (_, i) => pattern[i % pattern.length] as number)

const userHeader = () => [START, ...tokenizer.encode('user'), 198]
const assistantHeader = () => [START, ...tokenizer.encode('assistant'), 198]

/** Rows that no trainer writes, each longer than any stack. */
const ODD: Readonly<Record<string, () => object>> = {
  'a mask that alternates through a user turn': () => {
    const ids = [...userHeader(), ...repeated(MANY, [9707, 11])]
    return { input_ids: ids, loss_mask: repeated(ids.length, [0, 1]) }
  },
  'a mask that alternates through an assistant turn': () => {
    const ids = [...assistantHeader(), ...repeated(MANY, [9707, 11])]
    return { input_ids: ids, loss_mask: repeated(ids.length, [0, 1]), attention_mask: repeated(ids.length, [1, 0]) }
  },
  'nothing but starts of turns': () => ({
    input_ids: repeated(MANY, [START]),
    loss_mask: repeated(MANY, [1]),
  }),
  'nothing but ends of turns': () => ({ input_ids: repeated(MANY, [END]), loss_mask: repeated(MANY, [1]) }),
  'nothing but padding': () => ({ input_ids: repeated(MANY, [PAD]), loss_mask: repeated(MANY, [0, 1]) }),
  'turns of no length': () => {
    const turn = [...userHeader(), END, 198, ...assistantHeader(), END, 198]
    return { input_ids: repeated(MANY, turn), loss_mask: repeated(MANY, [0, 0, 1]) }
  },
  'turns that never begin': () => ({
    input_ids: repeated(MANY * 2, [9707, END]),
    loss_mask: repeated(MANY * 2, [1, 0]),
  }),
  'ids that are none': () => ({ input_ids: repeated(MANY, [-1, 2 ** 31 - 1, 0]), loss_mask: repeated(MANY, [1]) }),
  'messages without end': () => ({
    input_ids: [...userHeader(), 9707],
    loss_mask: [0, 0, 0, 1],
    messages: repeated(20_000, [0]).map((_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `Message ${i}` })),
    is_truncated: true,
  }),
  'a lost text of one letter': () => ({
    input_ids: [...userHeader(), ...tokenizer.encode('Hello'), END, 198, ...assistantHeader(), 64],
    loss_mask: [],
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'a'.repeat(3_000_000) },
    ],
    is_truncated: true,
  }),
  'a limit that is no limit': () => ({
    ...cleanRollout(tokenizer, 3).record,
    limits: { max_seq_len: -1, max_prompt_length: 0, max_turns: 1e308 },
  }),
  'names from prototypes': () => ({
    ...cleanRollout(tokenizer, 4).record,
    id: '__proto__',
    group_id: 'constructor',
    rewards: { __proto__: 1, hasOwnProperty: 2, toString: 3 },
    reward: 3,
  }),
  'arrays that fit nothing': () => ({
    input_ids: [...userHeader(), 9707],
    loss_mask: [1],
    advantages: repeated(MANY, [1]),
    logprobs: { sampler: [], trainer: 'x' },
    position_ids: {},
  }),
}

describe('an odd record', () => {
  it.each(Object.keys(ODD))('of %s is read, and costs its neighbours nothing', async (name) => {
    const odd = (ODD[name] as () => object)()
    const session = await audited(neighbours[0] + row(odd) + neighbours[1])
    expect(session.facts.map(({ id }) => id)).toEqual(['rollout-1', (odd as { id?: string }).id ?? 'odd', 'rollout-2'])
    expect(session.rows([0, 2]).map(({ codes }) => codes)).toEqual([[], []])
    const { ids, text, textOffsets, states, facts } = await session.detail(1)
    expect(states).toHaveLength(ids?.length ?? 0)
    expect(textOffsets.at(-1)).toBe(text.length)
    expect(facts.place.record).toBe(1)
    const { totals } = session.report()
    const { total, trained, masked, padding, unknown } = totals.tokens
    expect(trained + masked + padding + unknown).toBe(total)
    expect(JSON.parse(JSON.stringify(session.report()))).toEqual(session.report())
  })

  it('of nothing but thoughts is read', async () => {
    const ids = [START, ...(await testTokenizer('qwen3')).encode('assistant'), 198, ...repeated(MANY, [151667, 151668])]
    const session = await audited(row({ input_ids: ids, loss_mask: repeated(ids.length, [1]) }))
    expect(session.report().tokenizer.id).toBe('qwen3')
    expect(session.facts[0]).toMatchObject({ assistantTurns: 1, realLength: ids.length })
  })

  it('that says how long a row may be, where nothing is limited, limits nothing', async () => {
    const session = await audited(row((ODD['a limit that is no limit'] as () => object)()))
    expect(session.report().limits).toMatchObject({ max_seq_len: null, max_prompt_length: null })
  })
})

describe('a dump of very many rollouts', () => {
  const few = (i: number) =>
    `{"input_ids": [${i % 7}, 1], "loss_mask": [0, 1], "reward": ${i % 3}, "advantage": ${(i % 3) - 1}`

  it('that are nearly all the same, in one group, is counted whole and listed in part', async () => {
    const count = 60_000
    const text = Array.from(
      { length: count },
      (_, i) => `${few(i)}, "group_id": "g", "rewards": {"a": ${i % 3}}}`,
    ).join('\n')
    const session = await audited(text)
    const report = session.report()
    expect(report.totals).toMatchObject({ trajectories: count, groups: 1 })
    expect(report.checks.find(({ code }) => code === 'S04')).toMatchObject({ checked: count, affected: count - 7 })
    expect(report.findings).toHaveLength(10_000)
    expect(report.findings_omitted).toBe(count - 7 - 10_000)
    expect((await session.search({ text: 'finding:S04' })).indices).toHaveLength(count - 7)
  })
  it('that are half masked and begin with a question is judged without comparing each with each', async () => {
    const ask = tokenizer.encode('Hello')
    const ids = (i: number) => [...userHeader(), ...ask, i % 5000, END, 198, ...assistantHeader(), 9707, END]
    const count = 40_000
    const text = Array.from({ length: count }, (_, i) => {
      const input_ids = ids(i)
      const last = input_ids.length - 2
      const loss_mask = input_ids.map((_, token) => (token >= last && i % 2 === 0 ? 1 : 0))
      // The masked half has reward 2 and counts in the mean, which is then 1.5 and not 1.
      const reward = i % 2 === 0 ? i % 3 : 2
      return JSON.stringify({ input_ids, loss_mask, reward, advantage: reward - 1.5, group_id: 'g' })
    }).join('\n')
    const report = (await audited(text)).report()
    expect(report.checks.find(({ code }) => code === 'C04')).toMatchObject({ checked: count, affected: count / 2 })
    expect(report.checks.find(({ code }) => code === 'C01')).toMatchObject({ status: 'pass', checked: count })
  })
})
