import { beforeAll, describe, expect, it } from 'vitest'
import { TokenFlag } from '../../shared/model/tokens.ts'
import { buildTokenTable, bytesOf } from '../../shared/tokens/table.ts'
import { byteSpans, decodeSpan, tokenTexts } from '../../shared/tokens/text.ts'
import { type Tokenizer, TokenKind, type TokenTable } from '../../shared/tokens/tokenizer.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

let qwen: Tokenizer

beforeAll(async () => {
  qwen = await testTokenizer('qwen3')
})

/** A table of 256 ids, id i spelling byte i. */
function byteTable(): TokenTable {
  return {
    size: 256,
    bytes: Uint8Array.from({ length: 256 }, (_, i) => i),
    offsets: Uint32Array.from({ length: 257 }, (_, i) => i),
    kinds: new Uint8Array(256).fill(1),
  }
}

function pieces(table: TokenTable, ids: Int32Array): string[] {
  const { text, textOffsets } = tokenTexts(table, ids)
  return [...ids].map((_, i) => text.slice(textOffsets[i], textOffsets[i + 1]))
}

describe('tokenTexts', () => {
  it('puts a character that several tokens spell at the first of them', () => {
    const ids = Int32Array.from(qwen.encode('a 🫠b'))
    const texts = pieces(qwen.table, ids)
    expect(texts.join('')).toBe('a 🫠b')
    const first = texts.findIndex((text) => text.includes('🫠'))
    expect(texts[first + 1]).toBe('')
    const { flags } = tokenTexts(qwen.table, ids)
    expect((flags[first] as number) & TokenFlag.endsInsideCharacter).toBeTruthy()
    expect((flags[first + 1] as number) & TokenFlag.startsInsideCharacter).toBeTruthy()
    expect(flags[0]).toBe(0)
    expect(flags[ids.length - 1]).toBe(0)
  })

  it('marks special and added tokens, and shows unknown ids as such', () => {
    const ids = Int32Array.of(151644, 151667, 151643, 400_000, -100, 198)
    expect(pieces(qwen.table, ids)).toEqual([
      '<|im_start|>',
      '<think>',
      '<|endoftext|>',
      '⟨id 400000?⟩',
      '⟨id -100?⟩',
      '\n',
    ])
    expect([...tokenTexts(qwen.table, ids).flags]).toEqual([1, 2, 1, 16, 16, 0])
  })

  it('marks what the vocabulary has without a byte', () => {
    const table = byteTable()
    const offsets = Uint32Array.from([...table.offsets, table.offsets.at(-1) as number])
    const kinds = Uint8Array.from([...table.kinds, TokenKind.added])
    const silent = { ...table, size: table.size + 1, offsets, kinds }
    const { text, flags } = tokenTexts(silent, Int32Array.of(0x61, table.size, 0x62))
    expect(text).toBe('ab')
    expect([...flags]).toEqual([0, TokenFlag.added | TokenFlag.silent, 0])
  })

  it('ends a character under way at an unknown id', () => {
    expect(pieces(byteTable(), Int32Array.of(0xf0, 0x9f, 999, 0x61))).toEqual(['\ufffd', '', '⟨id 999?⟩', 'a'])
  })

  it('reads bytes that are no UTF-8 as TextDecoder does', () => {
    const table = byteTable()
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const hard = [
      0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xa0, 0xed, 0x9f, 0xef, 0xbb, 0xf0, 0x90, 0xf4, 0x8f, 0xf5, 0xff,
    ]
    let state = 7
    for (let round = 0; round < 4_000; round++) {
      const bytes = Uint8Array.from({ length: 12 }, () => {
        state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
        return hard[(state >> 8) % hard.length] as number
      })
      const { text, textOffsets } = tokenTexts(table, Int32Array.from(bytes))
      expect(text).toBe(decoder.decode(bytes))
      expect([...textOffsets]).toEqual([...textOffsets].sort((a, b) => a - b))
      expect(textOffsets[bytes.length]).toBe(text.length)
    }
  })

  it('decodes a span as it decodes each token, whatever the ids and however long', () => {
    const { table } = qwen
    let state = 3
    const random = (below: number) => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
      return (state >> 8) % below
    }
    for (const length of [0, 1, 2, 30, 300, 5_000, 200_000, 31, 301]) {
      const ids = Int32Array.from({ length }, () => random(151_669))
      if (length % 2 === 1) ids[random(length)] = random(2) === 0 ? 151_700 : -100
      const start = Math.min(length, 3)
      expect(decodeSpan(table, ids, start)).toBe(tokenTexts(table, ids.subarray(start)).text)
    }
  })

  it('keeps a byte order mark and lone controls', () => {
    expect(tokenTexts(byteTable(), Int32Array.of(0xef, 0xbb, 0xbf, 0x00, 0x1b)).text).toBe('\ufeff\u0000\u001b')
  })

  it('reads nothing, and texts beyond one chunk', () => {
    expect(tokenTexts(qwen.table, new Int32Array(0))).toMatchObject({ text: '', textOffsets: Uint32Array.of(0) })
    const long = Int32Array.from({ length: 30_000 }, () => 9707)
    expect(tokenTexts(qwen.table, long).text).toBe('Hello'.repeat(30_000))
  })
})

describe('byteSpans', () => {
  it('sums the bytes before each token, none for unknown ids', () => {
    const ids = Int32Array.from([...qwen.encode('é'), 400_000, 151645])
    expect([...byteSpans(qwen.table, ids)]).toEqual([0, 2, 2, 12])
  })
})

describe('decodeSpan', () => {
  it('decodes a range of tokens', () => {
    const ids = Int32Array.from(qwen.encode('one two three'))
    expect(decodeSpan(qwen.table, ids, 1, 2)).toBe(' two')
    expect(decodeSpan(qwen.table, ids)).toBe('one two three')
    expect(decodeSpan(qwen.table, Int32Array.of(198, 400_000, 198))).toBe('\n⟨id 400000?⟩\n')
    expect(decodeSpan(byteTable(), Int32Array.of(0xef, 0xbb, 0xbf, 0xf0, 0x9f))).toBe('\ufeff\ufffd')
  })
})

describe('buildTokenTable', () => {
  const file = (model: object, more: object = {}) => ({ tokenizer: { model, ...more }, config: null })
  const spelt = (table: TokenTable) =>
    Array.from({ length: table.size }, (_, id) => new TextDecoder().decode(bytesOf(table, id)))

  it('inverts the byte-level alphabet and keeps added tokens literal', () => {
    const table = buildTokenTable(
      file(
        { type: 'BPE', vocab: { Ġa: 0, Ċ: 1, 'Ã©': 2 }, merges: [] },
        { decoder: { type: 'ByteLevel' }, added_tokens: [{ id: 4, content: 'Ġé', special: true }] },
      ),
    )
    expect(spelt(table)).toEqual([' a', '\n', 'é', '', 'Ġé'])
    expect([...table.kinds]).toEqual([1, 1, 1, 0, 3])
  })

  it('reads metaspace and byte fallback', () => {
    const table = buildTokenTable(
      file({ type: 'BPE', byte_fallback: true, vocab: { '<0x0A>': 0, '▁the': 1, x: 2 }, merges: [] }),
    )
    expect(spelt(table)).toEqual(['\n', ' the', 'x'])
    expect(
      spelt(
        buildTokenTable(
          file({
            type: 'Unigram',
            vocab: [
              ['<unk>', 0],
              ['▁a', -1],
            ],
          }),
        ),
      ),
    ).toEqual(['<unk>', ' a'])
  })

  it('reads word pieces', () => {
    expect(spelt(buildTokenTable(file({ type: 'WordPiece', vocab: { play: 0, '##ing': 1 } })))).toEqual(['play', 'ing'])
  })

  it('adds tokens that only the configuration lists', () => {
    const table = buildTokenTable({
      tokenizer: { model: { type: 'BPE', vocab: { a: 0 }, merges: [] } },
      config: { added_tokens_decoder: { 1: { content: '<x>', special: true } } },
    })
    expect(spelt(table)).toEqual(['a', '<x>'])
  })
})
