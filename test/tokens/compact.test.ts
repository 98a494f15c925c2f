import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { compactTokenizer } from '../../shared/tokens/compact/compact-tokenizer.ts'
import { writeCompact } from '../../shared/tokens/compact/write-compact.ts'
import { createTokenizer } from '../../shared/tokens/create.ts'
import { textMarks } from '../../shared/tokens/frame-lookup.ts'
import { bytesOf } from '../../shared/tokens/table.ts'
import { learnedTemplateOf } from '../../shared/tokens/template/rerender.ts'
import { type Tokenizer, TokenKind } from '../../shared/tokens/tokenizer.ts'
import { FAMILIES, testTokenizer, testTokenizerFiles } from '../helpers/tokenizers.ts'
import { corpus } from './corpus.ts'

const NAME = { id: 'x', title: 'X', origin: 'bundled' } as const
const WORDS = corpus(300, 21).flatMap((text) => text.split(' '))
const LITERALS = ['<tool_call>', '</tool_call>', '<think>', '<|im_end|>', '<|eot_id|>', '<|begin_of_text|>', '<|im_']
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WORDS, ...LITERALS),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 10 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(' '))

describe.each(FAMILIES)('%s in compact form', (family) => {
  let written: Uint8Array
  let compact: Tokenizer
  let whole: Tokenizer
  let library: LibraryTokenizer

  beforeAll(async () => {
    const files = await testTokenizerFiles(family)
    written = writeCompact(files)
    compact = compactTokenizer(written, NAME)
    whole = await testTokenizer(family)
    library = new LibraryTokenizer(files.tokenizer as object, files.config as object)
  })

  it('has every id, its bytes, its kind and its entry, and nothing more', () => {
    // Element by element, a matcher takes seconds for a vocabulary.
    for (const part of ['bytes', 'offsets', 'kinds'] as const) {
      const bytes = (array: Uint8Array | Uint32Array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)
      expect(bytes(compact.table[part]).equals(bytes(whole.table[part])), part).toBe(true)
    }
    expect(compact.table.size).toBe(whole.table.size)
    expect(Buffer.compare(compact.table.textMarks as Uint8Array, textMarks(whole.table))).toBe(0)
    expect(whole.table.textMarks).toBeUndefined()
    const wrong: number[] = []
    for (let id = -1; id <= whole.table.size; id++) {
      const theirs = library.id_to_token(id) ?? null
      if (compact.raw(id) !== whole.raw(id) || compact.raw(id) !== theirs) wrong.push(id)
    }
    expect(wrong).toEqual([])
  })

  it('says what its template does, as the template itself does', () => {
    const learned = learnedTemplateOf(whole)
    expect(learned?.callOpening).toBeTypeOf('string')
    expect(compact.learned).toEqual(learned)
    expect(learnedTemplateOf(compact)).toBe(compact.learned)
    // A tokenizer whose turns the ids contradict has none.
    expect(learnedTemplateOf({ ...compact, template: null, frame: null })).toBeNull()
  })

  it('knows what the library knows of added tokens', () => {
    const added = [...library.get_added_tokens_decoder()]
    expect(added.length).toBeGreaterThan(20)
    for (const [id, { content, special }] of added) {
      expect(compact.table.kinds[id], content).toBe(special ? TokenKind.special : TokenKind.added)
      expect(new TextDecoder().decode(bytesOf(compact.table, id))).toBe(content)
      expect(compact.encode(content, { specials: true })).toEqual([id])
    }
  })

  it('frames turns as the files do', () => {
    expect(compact.frame).toEqual(whole.frame)
    expect(compact.template).toBe(whole.template)
  })

  it('gives the ids of the library, whatever the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const ids = compact.encode(text, { specials: true })
        expect(ids).toEqual(library.encode(text, { add_special_tokens: false }).ids)
        expect(compact.encode(text)).toEqual(whole.encode(text))
      }),
      { numRuns: 500 },
    )
  })

  it('spells every id again as that id alone, where the whole file does', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const differing: number[] = []
    for (let id = 0; id < whole.table.size; id++) {
      let text: string
      try {
        text = decoder.decode(bytesOf(whole.table, id))
      } catch {
        continue
      }
      if (compact.encode(text).join() !== whole.encode(text).join()) differing.push(id)
    }
    expect(differing).toEqual([])
  })

  it('is read from any place in memory, and keeps nothing of it', () => {
    const around = new Uint8Array(written.length + 3)
    around.set(written, 3)
    const read = compactTokenizer(around.subarray(3), NAME)
    around.fill(0xff)
    expect(read.encode('Where does the Nile rise? 12345')).toEqual(whole.encode('Where does the Nile rise? 12345'))
    expect(read.raw(999)).toBe(whole.raw(999))
  })

  it('is refused with a sentence where it is cut or something else', () => {
    const refused = /not a tokenizer in compact form: .*Build the application again/
    expect(() => compactTokenizer(written.subarray(0, written.length - 4), NAME)).toThrow(refused)
    expect(() => compactTokenizer(written.subarray(0, 100), NAME)).toThrow(refused)
    expect(() => compactTokenizer(written.subarray(0, 3), NAME)).toThrow(refused)
    expect(() => compactTokenizer(new TextEncoder().encode('{"version": "1.0"}'), NAME)).toThrow(refused)
  })
})

describe('a tokenizer without compact form', () => {
  it('is refused with what it has no place for', async () => {
    const { tokenizer, config } = await testTokenizerFiles('qwen2.5')
    const json = tokenizer as { model: object; added_tokens: object[] }
    const write = (change: object) => () => writeCompact({ tokenizer: { ...json, ...change }, config })
    expect(write({ normalizer: { type: 'NFKC' } })).toThrow('its steps are not those of our encoder')
    expect(write({ model: { ...json.model, ignore_merges: true } })).toThrow('added tokens may be whole pieces')
    const stray = { ...json.model, vocab: { ...(json.model as { vocab: object }).vocab, 日本: 151_700 } }
    expect(write({ model: stray })).toThrow('not spelt in the byte alphabet')
    expect(() => createTokenizer({ tokenizer: { ...json, model: stray }, config }, NAME)).not.toThrow()
  })
})
