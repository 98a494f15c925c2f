import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Message } from '../../../shared/model/trajectory.ts'
import { learnedTemplateOf, rerender } from '../../../shared/tokens/template/rerender.ts'
import { FAMILIES, testTokenizer } from '../../helpers/tokenizers.ts'
import { EXAMPLE } from '../../samples/example-conversation.ts'

/** The example as a dump holds it: thoughts in a field of their own (Qwen3), in the text (Qwen2.5), or not at all beside a call (Llama). */
function messages(thoughts: 'field' | 'text' | 'text-without-calls'): Message[] {
  const turns = EXAMPLE.turns.flatMap(({ thought, call, text, reply }): Message[] => {
    const inText = thoughts === 'text' || (thoughts === 'text-without-calls' && call === null)
    const spoken: Message = {
      role: 'assistant',
      content: inText ? `<think>${thought}</think>${text === '' ? '' : `\n${text}`}` : text,
      ...(thoughts === 'field' ? { reasoning: thought } : {}),
      ...(call === null
        ? {}
        : { toolCalls: [{ id: call.id, name: 'retrieve', arguments: JSON.stringify({ query: call.query }) }] }),
    }
    return call === null ? [spoken] : [spoken, { role: 'tool', content: reply, toolCallId: call.id }]
  })
  return [{ role: 'system', content: EXAMPLE.system }, { role: 'user', content: EXAMPLE.user }, ...turns]
}

const THOUGHTS = { 'qwen2.5': 'text', qwen3: 'field', llama3: 'text-without-calls' } as const

it.each(FAMILIES)('messages of a dump are rendered as Jinja itself renders them: %s', async (family) => {
  const tokenizer = await testTokenizer(family)
  const file = new URL(`../../samples/rendered/${family}.txt`, import.meta.url)
  expect(rerender(tokenizer, messages(THOUGHTS[family]), EXAMPLE.tools)).toBe(readFileSync(file, 'utf8'))
})

it('a conversation that the template refuses has no rendering', async () => {
  const calls = ['a', 'b'].map((name) => ({ id: name, name, arguments: '{}' }))
  const parallel: Message[] = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: null, toolCalls: calls },
  ]
  expect(rerender(await testTokenizer('llama3'), parallel, null)).toBeNull()
  expect(rerender(await testTokenizer('qwen3'), parallel, null)).toContain('"name": "b"')
})

it('a text too long to be worth it has no rendering', async () => {
  expect(rerender(await testTokenizer('qwen3'), [{ role: 'user', content: 'x'.repeat(1 << 21) }], null)).toBeNull()
})

it('without a template nothing is known of it', async () => {
  const tokenizer = { ...(await testTokenizer('qwen3')), template: null }
  expect(learnedTemplateOf(tokenizer)).toBeNull()
  expect(learnedTemplateOf({ ...tokenizer, template: '{% broken' })).toBeNull()
})
