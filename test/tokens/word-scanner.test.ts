import { SplitPreTokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wordScanner } from '../../shared/tokens/bpe/word-scanner.ts'
import { FAMILIES, testTokenizerFiles } from '../helpers/tokenizers.ts'
import { corpus } from './corpus.ts'

const REGEX = (digits: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`
const patternOf = (Regex: string) =>
  new SplitPreTokenizer({ type: 'Split', behavior: 'Isolated', invert: false, pattern: { Regex } }).pattern as RegExp

/** One or two of each class, of each length in UTF-8, and what the pattern names by itself. */
const CHARACTERS = [
  ..."sStTmMdDrReEvVlLaZ'’ \t\n\r\v09._-",
  ...'\u0085\u00a0\u1680\u2003\u2028\u3000\ufeff',
  ...'éſK中ǅª\u0301²½٣Ⅷ\u200b\ufffd😀𝐀𝟘𐄀\u{10ffff}',
  '\ud800',
  '\udc00',
]
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...CHARACTERS),
      fc.constantFrom("'re", "'LL", ' \n ', '\r\n', '  ', '123', '1234567', '...'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 40, size: 'max' },
  )
  .map((parts) => parts.join(''))

/** Pieces as UTF-8 has them. */
const utf8 = new TextEncoder()
const wellFormed = (text: string) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(utf8.encode(text))

describe.each(['\\p{N}', '\\p{N}{1,3}'])('where %s are one piece', (digits) => {
  const pattern = patternOf(REGEX(digits))
  const scanner = wordScanner(pattern)
  const scanned = (text: string): string[] => {
    const bytes = utf8.encode(text)
    // What lies behind the end is another text's.
    const room = Uint8Array.of(...bytes, ...utf8.encode('s 1中'))
    const found: string[] = []
    scanner?.read(room, bytes.length)
    for (let at = 0; at < bytes.length; ) {
      const end = scanner?.pieceEnd(at) ?? 0
      expect(end).toBeGreaterThan(at)
      found.push(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(room.subarray(at, end)))
      at = end
    }
    return found
  }

  it('cuts any text as the pattern of the library does', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(scanned(text)).toEqual((text.match(pattern) ?? []).map(wellFormed))
      }),
      { numRuns: 5_000 },
    )
    for (const text of corpus(2_000, 4)) expect(scanned(text)).toEqual((text.match(pattern) ?? []).map(wellFormed))
  })

  it('takes every character for what the pattern takes it', () => {
    const wrong: string[] = []
    for (let from = 0; from < 0x110000; from += 0x400) {
      if (from >= 0xd800 && from < 0xe000) continue
      const text = Array.from({ length: 0x400 }, (_, i) => `a${String.fromCodePoint(from + i)}a `).join('')
      const bytes = utf8.encode(text)
      scanner?.read(bytes, bytes.length)
      const ends: number[] = []
      for (let at = 0; at < bytes.length; ends.push(at)) at = scanner?.pieceEnd(at) ?? bytes.length
      let end = 0
      const expected = (text.match(pattern) ?? []).map((piece) => (end += utf8.encode(piece).length))
      if (ends.join() !== expected.join()) wrong.push(`in the 1,024 from U+${from.toString(16)}`)
    }
    expect(wrong).toEqual([])
  })
})

it.each(FAMILIES)('cuts for %s', async (family) => {
  const { tokenizer } = await testTokenizerFiles(family)
  const { pretokenizers } = (tokenizer as { pre_tokenizer: { pretokenizers: { pattern?: { Regex: string } }[] } })
    .pre_tokenizer
  expect(wordScanner(patternOf(pretokenizers[0]?.pattern?.Regex ?? ''))).not.toBeNull()
})

it('leaves every other pattern to the pattern', () => {
  expect(wordScanner(/\p{L}+|\p{N}/gu)).toBeNull()
  expect(wordScanner(patternOf(REGEX('\\p{N}{1,2}')))).toBeNull()
  const { source } = patternOf(REGEX('\\p{N}'))
  expect(wordScanner(new RegExp(source, 'giu'))).toBeNull()
})
