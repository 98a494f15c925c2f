import { beforeAll, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { audited, lines, qwen } from './dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

async function tagged(text: string) {
  const session = await audited(
    lines([conversation(tokenizer, [system('Write <think>thoughts</think>.'), user('Hi'), assistant(text)])]),
  )
  const { tags, text: whole, textOffsets } = await session.detail(0)
  return tags.map(({ name, start, end, closed }) => [name, whole.slice(textOffsets[start], textOffsets[end]), closed])
}

it('finds what stands between tags in replies, the tags included, whatever tokens spell them', async () => {
  const spans = await tagged(
    '<think>\nhm <cite>a</cite>\n</think>\n<answer>Teal</answer> <tool_call>\n{}\n</tool_call>',
  )
  expect(spans.map(([name, , closed]) => [name, closed])).toEqual([
    ['think', true],
    ['cite', true],
    ['answer', true],
    ['tool_call', true],
  ])
  for (const [name, text] of spans) expect(text).toMatch(new RegExp(`<${name}>[^]*</${name}>`))
})

it('runs to the end of the turn where a tag is never closed, and takes no closing tag for an opening one', async () => {
  expect(await tagged('</think> so <think>I go on')).toEqual([['think', ' <think>I go on', false]])
  expect(await tagged('a < b and <thinking> and < think>')).toEqual([])
})
