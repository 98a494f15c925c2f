import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Family, LLAMA31, QWEN3, QWEN25, renderPieces } from '../../samples/frames.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { EXAMPLE } from './example-conversation.ts'

const FAMILIES: readonly Family[] = [QWEN25, QWEN3, LLAMA31]

/** What the chat template in the family's `tokenizer_config.json` renders, written down with a Jinja implementation. */
function templateOutput(family: Family): string {
  return readFileSync(new URL(`./rendered/${family.name}.txt`, import.meta.url), 'utf8')
}

describe.each(FAMILIES.map((family) => [family.name, family] as const))('%s', (name, family) => {
  const pieces = renderPieces(family, EXAMPLE)

  test('the pieces join to what the chat template renders', () => {
    expect(pieces.map((piece) => piece.text).join('')).toBe(templateOutput(family))
  })

  test('encoded one by one, the pieces have the ids of the whole text', async () => {
    const tokenizer = await testTokenizer(name)
    const whole = tokenizer.encode(templateOutput(family), { specials: true })
    expect(pieces.flatMap((piece) => tokenizer.encode(piece.text, { specials: true }))).toEqual(whole)
  })
})

test('the frames have the ids that the families document', async () => {
  const qwen = await testTokenizer('qwen2.5')
  const llama = await testTokenizer('llama3')
  expect(qwen.encode(QWEN25.generation, { specials: true })).toEqual([151644, 77091, 198])
  expect(qwen.encode(QWEN25.endToken + QWEN25.separator, { specials: true })).toEqual([151645, 198])
  expect(llama.encode(LLAMA31.generation, { specials: true })).toEqual([128006, 78191, 128007, 271])
  expect(llama.encode(LLAMA31.endToken + LLAMA31.separator, { specials: true })).toEqual([128009])
  const thinking = await testTokenizer('qwen3')
  const turn = QWEN3.sampled({ thought: 'So.', call: null, text: 'Ilver', reply: '' })
  const ids = thinking.encode(turn, { specials: true })
  expect(ids.slice(0, 2)).toEqual([151667, 198])
  expect(ids.slice(ids.indexOf(151668), ids.indexOf(151668) + 2)).toEqual([151668, 271])
})
