import { describe, expect, it } from 'vitest'
import { vocabularyFile } from '../../scripts/vocabulary-file.mjs'
import { createTokenizer } from '../../shared/tokens/create.ts'
import { FAMILIES, testTokenizer, testTokenizerFiles } from '../helpers/tokenizers.ts'

const TEXT = 'Où est <|im_end|> the director’s cut? 12345 \n\n\t漢字 {"name": "search"}'

describe.each(FAMILIES)('%s from its vocabulary alone', (id) => {
  it('frames and shows ids as the whole file does, and reads that once for what takes more', async () => {
    const { tokenizer, config } = await testTokenizerFiles(id)
    const written = JSON.stringify(vocabularyFile(tokenizer))
    let read = 0
    const reread = () => {
      read++
      return tokenizer
    }
    const whole = await testTokenizer(id)
    const own = createTokenizer({ tokenizer: JSON.parse(written), config, reread }, whole)
    // Element by element, a matcher takes seconds for a vocabulary.
    for (const part of ['bytes', 'offsets', 'kinds'] as const) {
      expect(Buffer.from(own.table[part].buffer).equals(Buffer.from(whole.table[part].buffer)), part).toBe(true)
    }
    expect(own.table.size).toBe(whole.table.size)
    expect(own.frame).toEqual(whole.frame)
    expect(own.template).toBe(whole.template)
    expect(read).toBe(0)
    expect(own.encode(TEXT)).toEqual(whole.encode(TEXT))
    expect(own.encode(TEXT, { specials: true })).toEqual(whole.encode(TEXT, { specials: true }))
    const ids = [0, 1, 999, whole.table.size - 1]
    expect(ids.map((each) => own.raw(each))).toEqual(ids.map((each) => whole.raw(each)))
    expect(read).toBe(1)
    expect(written).not.toContain('"merges"')
  })
})

it('is not made of a vocabulary with holes', () => {
  const file = (vocab: Record<string, number>) => vocabularyFile({ model: { type: 'BPE', vocab, merges: [] } })
  expect(file({ a: 0, c: 2 })).toBeNull()
  expect(file({ b: 1, a: 0 })).toEqual({ model: { type: 'BPE', vocab: ['a', 'b'] } })
})
