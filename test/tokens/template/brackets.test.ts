import { expect, it } from 'vitest'
import { segment } from '../../../shared/tokens/segment.ts'
import { decodeSpan } from '../../../shared/tokens/text.ts'
import { byteTokenizer } from './other-families.ts'

/** As Phi-4-mini's: a role between bars opens a turn, and tools stand between two tokens of which the first opens replies as well. */
const PHI = {
  name: 'phi-4-mini',
  names: {},
  controls: ['<|system|>', '<|user|>', '<|assistant|>', '<|tool|>', '<|/tool|>', '<|end|>'],
  template:
    "{% for message in messages %}{% if message['role'] == 'system' and tools %}{{ '<|system|>' + message['content'] + '<|tool|>' + (tools | tojson) + '<|/tool|>' + '<|end|>' }}{% else %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}",
}
const tokenizer = byteTokenizer(PHI)

function turnsOf(text: string): string[] {
  const ids = Int32Array.from(tokenizer.encode(text, { specials: true }))
  const { turns } = segment(ids, tokenizer, null)
  return turns.map(
    ({ kind, contentStart, contentEnd, endToken }) =>
      `${kind}: ${decodeSpan(tokenizer.table, ids, contentStart, contentEnd)}${endToken < 0 ? '' : '.'}`,
  )
}

it('tools that stand between brackets within a turn are no turn of a tool', () => {
  expect(
    turnsOf('<|system|>Ask.<|tool|>[{}]<|/tool|><|end|><|user|>Who?<|end|><|assistant|>a<|end|><|tool|>Ines<|end|>'),
  ).toEqual(['system: Ask.<|tool|>[{}]<|/tool|>.', 'user: Who?.', 'assistant: a.', 'tool: Ines.'])
})

it('a reply behind a turn that was never closed is one, whatever closes brackets elsewhere', () => {
  expect(turnsOf('<|system|>Ask.<|tool|>Ines<|end|><|user|>Who<|/tool|>?<|end|><|assistant|>a<|end|>')).toEqual([
    'system: Ask.',
    'tool: Ines.',
    'user: Who<|/tool|>?.',
    'assistant: a.',
  ])
})
