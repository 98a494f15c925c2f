import { expect, it } from 'vitest'
import { conversation } from '../helpers/conversation.ts'
import { audited, qwen, turnsOf } from '../session/dumps.ts'

/** What the checks of calls say of rollouts whose model writes its call as this text. */
async function toldOf(written: string, name = 'search') {
  const tokenizer = await qwen()
  const rows = [0, 1, 2, 3].map((seed) => {
    const turns = turnsOf(tokenizer, seed).map((turn, i) => (i === 2 ? { ...turn, text: written } : turn))
    const row = conversation(tokenizer, turns, { id: `rollout-${seed}`, messages: true })
    const messages = (row.record.messages ?? []).map((message, i) =>
      i === 2
        ? {
            role: 'assistant',
            content: '',
            tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{"query": "river"}' } }],
          }
        : message,
    )
    return JSON.stringify({ ...row.record, messages })
  })
  const { checks } = (await audited(rows.map((row) => `${row}\n`).join(''))).report()
  return Object.fromEntries(
    checks
      .filter(({ code }) => code === 'T12' || code === 'C07')
      .map(({ code, status, reason }) => [code, { status, reason }]),
  )
}

it('calls in a syntax that nobody knows are not checkable: messages have them', async () => {
  const { T12, C07 } = await toldOf('<|action|>{"name": "search", "parameters": {"query": "river"}}<|action_end|>')
  for (const told of [T12, C07]) {
    expect(told?.status).toBe('not-checkable')
    expect(told?.reason).toMatch(/the way in which this template writes calls is not known/)
  }
})

it('calls that the ids lack are no calls that could not be read', async () => {
  const { C07 } = await toldOf('Let me think about the river.')
  expect(C07?.status).toBe('not-applicable')
})

it('calls that are read are looked at', async () => {
  const { C07 } = await toldOf('<tool_call>\n{"name": "search", "arguments": {"query": "river"}}\n</tool_call>')
  expect(C07?.status).toBe('pass')
})
