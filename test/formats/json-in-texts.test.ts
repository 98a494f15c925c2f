import { describe, expect, it } from 'vitest'
import { Fields } from '../../shared/formats/fields.ts'
import { messagesOf } from '../../shared/formats/messages.ts'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from './read-source.ts'

const MESSAGES = [
  { role: 'user', content: 'Who wrote it?' },
  { role: 'assistant', content: null, tool_calls: [{ function: { name: 'search', arguments: { query: 'it' } } }] },
  { role: 'tool', content: 'She did.' },
]
const TOOLS = [{ type: 'function', function: { name: 'search' } }]
const ROW = { input_ids: [5, 6, 7, 8], loss_mask: [0, 0, 1, 1] }

const read = (rows: readonly object[]) =>
  readSource(memorySource(new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))))

describe('messages and tools that a column holds as JSON', () => {
  const asText = { ...ROW, messages: JSON.stringify(MESSAGES), tools: JSON.stringify(TOOLS), documents: '["She did."]' }

  it('are read as if they stood in the record', async () => {
    const { trajectories } = await read([asText, { ...ROW, messages: MESSAGES, tools: TOOLS, documents: ['She did.'] }])
    const [text, plain] = trajectories
    expect(text?.issues).toEqual([])
    for (const field of ['messages', 'tools', 'documents'] as const) {
      expect(text?.[field]).toHaveLength(field === 'messages' ? 3 : 1)
      expect(text?.[field]).toEqual(plain?.[field])
    }
  })

  it('cost no neighbour where they are torn, or nested without end', async () => {
    const torn = JSON.stringify(MESSAGES).slice(0, -9)
    const deep = `[{"role":"user","content":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`
    const { trajectories, skipped } = await read([asText, { ...asText, messages: torn }, { ...asText, messages: deep }])
    expect(skipped).toEqual([])
    expect(trajectories.map(({ messages }) => messages?.length ?? null)).toEqual([3, null, null])
    expect(trajectories[1]?.issues).toMatchObject([{ code: 'bad-type', field: 'messages' }])
  })

  it('are those of rollouts without ids', async () => {
    const told = { reward: 1, group_id: 'a', messages: JSON.stringify(MESSAGES) }
    const { trajectories } = await read([told, told])
    expect(trajectories.map(({ messages }) => messages?.length)).toEqual([3, 3])
  })

  it('are those of prompts and completions', async () => {
    const row = (prompt: string, completion: string) => ({ step: 1, prompt, completion, correct: 1, advantage: 0.5 })
    const [asked, answered] = [MESSAGES.slice(0, 1), [{ role: 'assistant', content: 'She.' }]].map((each) =>
      JSON.stringify(each),
    ) as [string, string]
    const json = '[{"role":"engineer","name":"Ada"}]'
    const { trajectories } = await read([row(asked, answered), row(asked, answered), row('Who is there?', json)])
    expect(trajectories.map(({ messages }) => messages?.map(({ content }) => content))).toEqual([
      ['Who wrote it?', 'She.'],
      ['Who wrote it?', 'She.'],
      ['Who is there?', json],
    ])
  })
})

it.each([
  '[]',
  '[1, 2]',
  '[{"role":"engineer","name":"Ada"}]',
  '[{"role":"user","content":"a"}, 3]',
  '[{"role":"user","content":"a"}] and more',
  "[{'role': 'user', 'content': 'a'}]",
  '{"role":"user","content":"a"}',
])('%s is a text and no messages', (text) => {
  expect(messagesOf(text)).toBeNull()
})

it('a field of JSON that is torn or nested without end is an issue, and null is a value', () => {
  const deep = `${'['.repeat(2000)}${']'.repeat(2000)}`
  const fields = new Fields({ torn: '{"a":', deep, none: 'null', whole: '{"a":[1]}' })
  expect(['torn', 'deep', 'none', 'whole'].map((name) => fields.json(name))).toEqual([null, null, null, { a: [1] }])
  expect(fields.issues.map(({ field }) => field)).toEqual(['torn', 'deep'])
})
