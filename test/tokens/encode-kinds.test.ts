import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { mergeIds } from '../../shared/tokens/bpe/merge.ts'
import { MergeTable } from '../../shared/tokens/bpe/merge-table.ts'
import { PieceCache } from '../../shared/tokens/bpe/piece-cache.ts'
import { readEncoding } from '../../shared/tokens/bpe/read-encoding.ts'
import { spellBytes } from '../../shared/tokens/byte-alphabet.ts'
import { createTokenizer } from '../../shared/tokens/create.ts'
import { readVocabulary } from '../../shared/tokens/vocabulary.ts'

type Json = Record<string, unknown>

const ALPHABET = Array.from({ length: 256 }, (_, byte) => [spellBytes(Uint8Array.of(byte)), byte] as const)
const ENTRIES = ['lo', 'low', 'er', 'Ġlow', 'Ġl', 'Ġnew', 'ne', 'new', 'whole']
const VOCAB = Object.fromEntries([...ALPHABET, ...ENTRIES.map((entry, i) => [entry, 256 + i] as const)])
const MERGES = ['l o', 'lo w', 'e r', 'Ġ l', 'Ġl ow', 'n e', 'ne w', 'Ġ new']
// The library merges what no entry spells; such a file is its own to encode.
const KNOWN = MERGES.filter((merge) => merge !== 'Ġl ow')

const BYTES = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false }
const split = (Regex: string, more: Json = {}) => ({
  type: 'Split',
  pattern: { Regex },
  behavior: 'Isolated',
  invert: false,
  ...more,
})
const WORD = ' ?\\p{L}+|\\s+|[^\\s\\p{L}]+'
const sequence = (...pretokenizers: Json[]) => ({ type: 'Sequence', pretokenizers })
const added = (id: number, content: string, more: Json = {}) => ({
  id,
  content,
  special: false,
  normalized: false,
  ...more,
})

const MODEL = { type: 'BPE', vocab: VOCAB, merges: KNOWN }
const FILE = {
  normalizer: { type: 'NFC' },
  pre_tokenizer: sequence(split(WORD), BYTES),
  model: MODEL,
  added_tokens: [] as Json[],
}
const withModel = (more: Json) => ({ ...FILE, model: { ...MODEL, ...more } })

const TEXTS = [
  'low lower newer whole wholes  \n\n low',
  'a <x> b<x>low <x>',
  'e\u0301 \u00e9 \u212a K <\u212a>',
  'whole',
  ' <K> ',
  '<K>',
  '<\u212a>',
  'one1two22 3 four',
  `${'low'.repeat(60)} ${'new'.repeat(100)}`,
  'lone \ud800 surrogate \udc00',
  '中文😀',
]

const fast = (json: Json, config: Json = {}) => {
  const files = { tokenizer: json, config }
  const vocabulary = readVocabulary(files)
  return (
    readEncoding(
      files,
      vocabulary,
      vocabulary.added.filter(({ special }) => !special),
    ) !== null
  )
}

const sameAsLibrary = (json: Json, config: Json = {}) => {
  const ours = createTokenizer({ tokenizer: json, config }, { id: 'x', title: 'X', origin: 'file' })
  const library = new LibraryTokenizer({ post_processor: null, decoder: null, ...json }, config)
  for (const text of TEXTS) {
    const { ids } = library.encode(text, { add_special_tokens: false })
    expect(ours.encode(text), text).toEqual(ids.filter((id) => id !== undefined))
  }
}

describe('our encoder takes over', () => {
  const template = (single: Json[]) => ({ ...FILE, post_processor: { type: 'TemplateProcessing', single } })
  it.each<[string, Json]>([
    ['the plain kind', FILE],
    ['no normaliser', { ...FILE, normalizer: null }],
    ['merges as pairs', withModel({ merges: KNOWN.map((merge) => merge.split(' ')) })],
    ['a merge that is listed twice', withModel({ merges: ['w e', 'e r', ...KNOWN, 'l o'].slice(1) })],
    ['entries that no merge reaches, taken whole', withModel({ ignore_merges: true })],
    ['entries that no merge reaches, not taken whole', withModel({ ignore_merges: false })],
    ['a pattern that leaves gaps', { ...FILE, pre_tokenizer: sequence(split('\\d|x'), BYTES) }],
    ['a pattern that matches nothing at all', { ...FILE, pre_tokenizer: sequence(split('x*'), BYTES) }],
    ['added tokens', { ...FILE, added_tokens: [added(300, '<x>'), added(301, '<K>'), added(302, 'x> b')] }],
    ['an added token that is an entry too', { ...FILE, added_tokens: [added(257, 'low')] }],
    ['an added token spelt as bytes', { ...withModel({ ignore_merges: true }), added_tokens: [added(300, 'Ġfour')] }],
    ['a template', template([{ SpecialToken: { id: '<s>' } }, { Sequence: { id: 'A', type_id: 0 } }])],
  ])('%s, with the ids of the library', (_, json) => {
    expect(fast(json)).toBe(true)
    sameAsLibrary(json)
  })
})

describe('the library encodes', () => {
  it.each<[string, Json, Json?]>([
    ['another normaliser', { ...FILE, normalizer: { type: 'NFKC' } }],
    [
      'several normalisers',
      { ...FILE, normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Lowercase' }] } },
    ],
    ['two patterns', { ...FILE, pre_tokenizer: sequence(split('\\d'), split(WORD), BYTES) }],
    [
      'a step after the bytes',
      { ...FILE, pre_tokenizer: sequence(split(WORD), BYTES, { type: 'Digits', individual_digits: true }) },
    ],
    ['a pattern that removes', { ...FILE, pre_tokenizer: sequence(split(' ', { behavior: 'Removed' }), BYTES) }],
    ['an inverted pattern', { ...FILE, pre_tokenizer: sequence(split(WORD, { invert: true }), BYTES) }],
    ['a pattern that is a text', { ...FILE, pre_tokenizer: sequence(split('', { pattern: { String: 'o' } }), BYTES) }],
    [
      'a space before the text',
      { ...FILE, pre_tokenizer: sequence(split(WORD), { ...BYTES, add_prefix_space: true }) },
    ],
    ["GPT-2's own pattern", { ...FILE, pre_tokenizer: { ...BYTES, use_regex: true } }],
    [
      'a byte without an entry',
      withModel({ vocab: Object.fromEntries(Object.entries(VOCAB).filter(([, id]) => id !== 113)) }),
    ],
    ['a merge into no entry', withModel({ merges: [...KNOWN, 'w h'] })],
    ['a merge of no entry', withModel({ merges: MERGES })],
    ['two entries of one id', withModel({ vocab: { ...VOCAB, again: 257 } })],
    ['a suffix at the end of words', withModel({ end_of_word_suffix: '</w>' })],
    ['fused unknowns', withModel({ fuse_unk: true, unk_token: 'low' })],
    ['an added token with another id than its entry', { ...FILE, added_tokens: [added(300, 'low')] }],
    [
      'an added token that takes white space',
      { ...FILE, added_tokens: [added(300, '<x>', { lstrip: true, rstrip: true })] },
    ],
    ['half of a character as added token', { ...FILE, added_tokens: [added(300, '\ud83d')] }],
    ['a template without the text', { ...FILE, post_processor: { type: 'TemplateProcessing', single: [] } }],
    ['text that is to lose its spaces', FILE, { remove_space: true }],
    ['text that is to lose its accents', FILE, { do_lowercase_and_remove_accent: true }],
  ])('%s', (_, json, config) => {
    expect(fast(json, config)).toBe(false)
    sameAsLibrary(json, config)
  })

  it('says why it cannot, where the pattern is none', () => {
    const json = { ...FILE, pre_tokenizer: sequence(split('('), BYTES) }
    const tokenizer = createTokenizer({ tokenizer: json, config: null }, { id: 'x', title: 'X', origin: 'file' })
    expect(() => tokenizer.encode('a')).toThrow('this tokenizer can show ids but cannot encode text')
  })
})

/** Each merge as left, right and what they join into, the lowest rank first. */
const mergeTable = (merges: readonly (readonly [number, number, number])[]) =>
  new MergeTable({
    left: Int32Array.from(merges, ([left]) => left),
    right: Int32Array.from(merges, ([, right]) => right),
    joined: Int32Array.from(merges, ([, , joined]) => joined),
  })

describe('mergeIds', () => {
  it('joins the lowest rank first and of several the leftmost, long and short alike', () => {
    const table = mergeTable([
      [2, 1, 3],
      [1, 1, 2],
      [3, 3, 4],
    ])
    const merged = (length: number) => {
      const ids = new Int32Array(length).fill(1)
      return [...ids.subarray(0, mergeIds(ids, length, table))]
    }
    // 1 1 1 → 2 1 → 3; 3 3 → 4
    expect(merged(6)).toEqual([4])
    expect(merged(7)).toEqual([4, 1])
    expect(merged(600)).toEqual(new Array(100).fill(4))
    expect(merged(605)).toEqual([...new Array(100).fill(4), 3, 2])
  })

  it('does what the rule says, in any table', () => {
    // Some are looked up directly, others in the hash table.
    const id: fc.Arbitrary<number> = fc.constantFrom(0, 1, 2, 254, 255, 256, 257)
    const rules = fc.array(fc.tuple(id, id, id), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(rules, fc.array(id, { minLength: 1, maxLength: 120, size: 'max' }), (merges, ids) => {
        const table = mergeTable(merges)
        const rankOf = (left?: number, right?: number) => merges.findLastIndex(([a, b]) => a === left && b === right)
        const expected = [...ids]
        for (;;) {
          const ranks = expected.slice(1).map((right, i) => rankOf(expected[i], right))
          const lowest = Math.min(...ranks.filter((rank) => rank >= 0))
          if (lowest === Number.POSITIVE_INFINITY) break
          expected.splice(ranks.indexOf(lowest), 2, merges[lowest]?.[2] as number)
        }
        const given = Int32Array.from(ids)
        expect([...given.subarray(0, mergeIds(given, ids.length, table))]).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })
})

describe('PieceCache', () => {
  const ids = Int32Array.of(7, 8, 9)
  const utf8 = new TextEncoder()
  const found = (cache: PieceCache, piece: string) => {
    const to: number[] = []
    const bytes = utf8.encode(piece)
    cache.read(bytes)
    return cache.append(0, bytes.length, to) ? to : null
  }
  const remember = (cache: PieceCache, piece: string, count: number) => {
    const bytes = utf8.encode(piece)
    cache.read(bytes)
    cache.remember(0, bytes.length, ids, count)
  }

  it('gives what it was told, and nothing else', () => {
    const cache = new PieceCache()
    remember(cache, 'one', 1)
    remember(cache, 'three', 3)
    remember(cache, 'none', 0)
    expect(found(cache, 'one')).toEqual([7])
    expect(found(cache, 'three')).toEqual([7, 8, 9])
    expect(found(cache, 'none')).toEqual([])
    expect(found(cache, 'two')).toBeNull()
    const long = 'x'.repeat(65)
    remember(cache, long, 3)
    expect(found(cache, long)).toBeNull()
  })

  it('tells pieces apart by all of their bytes and by where they end, wherever they lie', () => {
    const piece = fc.uint8Array({ minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(9), fc.nat(9), (pieces, before, after) => {
        const cache = new PieceCache()
        const known = new Map<string, number>()
        for (const [id, bytes] of pieces.entries()) {
          const around = Uint8Array.of(...new Array(before).fill(id), ...bytes, ...new Array(after).fill(id))
          const to: number[] = []
          cache.read(around)
          const isKnown = cache.append(before, before + bytes.length, to)
          const expected = known.get(bytes.join())
          expect(isKnown ? to : null).toEqual(expected === undefined ? null : [expected])
          if (isKnown) continue
          cache.remember(before, before + bytes.length, Int32Array.of(id), 1)
          known.set(bytes.join(), id)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('begins anew when it is full', () => {
    const cache = new PieceCache()
    remember(cache, 'first', 2)
    // A few more than it takes, as some crowd each other.
    const last = (1 << 17) + 2_000
    for (let i = 0; i <= last; i++) remember(cache, `piece ${i}`, 1)
    expect(found(cache, 'first')).toBeNull()
    expect(found(cache, `piece ${last}`)).toEqual([7])
  })

  it('leaves pieces that crowd each other rather than looking long for them', () => {
    const cache = new PieceCache()
    // A hash that is always the same puts all pieces behind one another.
    const imul = vi.spyOn(Math, 'imul').mockReturnValue(5)
    try {
      const pieces = Array.from({ length: 40 }, (_, i) => `p${i}`)
      for (const piece of pieces) remember(cache, piece, 1)
      const kept = pieces.filter((piece) => found(cache, piece) !== null)
      expect(kept.length).toBeGreaterThan(1)
      expect(kept.length).toBeLessThan(pieces.length)
    } finally {
      imul.mockRestore()
    }
  })
})
