import { readFileSync } from 'node:fs'
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { Tokenizer as RustTokenizer } from 'tokenizers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { rolloutTexts } from '../bench/rollout-text.ts'
import { FAMILIES, testTokenizer, testTokenizerFiles, testTokenizerPath } from '../helpers/tokenizers.ts'
import { corpus } from './corpus.ts'

const WORDS = corpus(400, 9).flatMap((text) => text.split(' '))
/** Runs of one or two things are the long pieces, which take another way than short ones. */
const runs = fc
  .tuple(
    fc.constantFrom('a', 'ab', ' ', '\n', '!', '=-', 'é', '中', '😀', '\u0301', 'Z9'),
    fc.integer({ min: 1, max: 300 }),
  )
  .map(([text, count]) => text.repeat(count))
const letters = fc.string({ unit: fc.constantFrom(...'etaoinshrdluETAOINé中'), maxLength: 200, size: 'max' })
const units = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20, size: 'max' })
  .map((codes) => String.fromCharCode(...codes))
const literals = fc.constantFrom(
  '<tool_call>',
  '<think>',
  '<|im_end|>',
  '<|eot_id|>',
  '<tool_call',
  '\u212a',
  "'\u017f",
  '\u1fef',
)
const texts = fc
  .array(fc.oneof(runs, letters, units, literals, fc.constantFrom(...WORDS), fc.string({ unit: 'grapheme' })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''))

describe.each(FAMILIES)('%s by our encoder', (family) => {
  let ours: Tokenizer
  let library: LibraryTokenizer

  beforeAll(async () => {
    ours = await testTokenizer(family)
    const files = await testTokenizerFiles(family)
    library = new LibraryTokenizer(files.tokenizer as object, files.config as object)
  })

  it('gives the ids of the library, whatever the text', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(ours.encode(text, { specials: true })).toEqual(library.encode(text, { add_special_tokens: false }).ids)
      }),
      { numRuns: 1_500 },
    )
  })

  it('gives the ids of the Rust implementation for rollouts and for long pieces', { timeout: 60_000 }, async () => {
    const json = JSON.parse(readFileSync(testTokenizerPath(family, 'tokenizer.json'), 'utf8')) as object
    const rust = RustTokenizer.fromString(JSON.stringify({ ...json, post_processor: null }))
    const long = fc.sample(fc.oneof(runs, letters), { numRuns: 300, seed: 3 })
    const all = [...rolloutTexts(1 << 20, WORDS, 5), ...long]
    const encodings = await rust.encodeBatch(all)
    for (const [i, text] of all.entries()) expect(ours.encode(text, { specials: true })).toEqual(encodings[i]?.getIds())
  })

  // How long it takes, `npm run bench -- encode` says; work that grew with the square of the length would take hours.
  it('gets to the end of a megabyte of one character', { timeout: 60_000 }, () => {
    for (const character of ['a', '7', ' ', '\n', '=', '中', '\u0301']) {
      expect(ours.encode(character.repeat(1 << 20)).length, JSON.stringify(character)).toBeGreaterThan(1000)
    }
  })

  it('remembers no more than it may, and is right again after it forgot', { timeout: 60_000 }, () => {
    const many = Array.from(
      { length: 150_000 },
      (_, i) => ` w${i.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')}`,
    )
    const first = ours.encode(many.slice(0, 500).join(''))
    ours.encode(many.join(''))
    expect(ours.encode(many.slice(0, 500).join(''))).toEqual(first)
    const last = many.slice(-500).join('')
    expect(ours.encode(last)).toEqual(library.encode(last, { add_special_tokens: false }).ids)
  })
})
