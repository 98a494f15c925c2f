import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { PARTS, type Segmentation } from '../../shared/model/tokens.ts'
import { isBareHeader, segment } from '../../shared/tokens/segment.ts'
import { lettersOfTags, tagTable } from '../../shared/tokens/tags.ts'
import { tokenTexts } from '../../shared/tokens/text.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { FAMILIES, testTokenizer } from '../helpers/tokenizers.ts'

const tokenizers = new Map<string, Tokenizer>()

beforeAll(async () => {
  for (const id of FAMILIES) tokenizers.set(id, await testTokenizer(id))
})

/** Pieces that sequences are made of: control tokens, roles, tags, newlines, text, and ids that nobody has. */
const PIECES = [
  ['<|im_start|>', '<|im_end|>', '<|endoftext|>', '<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>'],
  ['<|eot_id|>', '<|eom_id|>', '<|python_tag|>', '<|finetune_right_pad_id|>', '<|im_end|><|im_end|><|im_end|>'],
  ['user', 'assistant', 'system', 'tool', 'environment', '\n', '\n\n', '\n\n\n', ' ', 'text', 'é🫠', '{"name": "f"'],
  ['<think>', '</think>', '<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>', '```', '</search>'],
  ['<information>', '</information>', '<result>', '</result>', '><', '<'],
  [
    '<|im_start|>assistant\n',
    '<|im_end|>\n',
    '<|start_header_id|>assistant<|end_header_id|>\n\n',
    '<think>\n\n</think>\n\n',
  ],
].flat()
const STRAY_IDS = [-100, -1, 0, 999_999, 2 ** 31 - 1]

const sequences = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.constantFrom(...STRAY_IDS) },
  ),
  { maxLength: 40 },
)

function idsOf(tokenizer: Tokenizer, pieces: readonly (string | number)[]): Int32Array {
  return Int32Array.from(
    pieces.flatMap((piece) => (typeof piece === 'number' ? [piece] : tokenizer.encode(piece, { specials: true }))),
  )
}

function expectWhole(ids: Int32Array, found: Segmentation): void {
  const { parts, turns, padding } = found
  expect(parts).toHaveLength(ids.length)
  expect(parts.every((part) => part < PARTS.length)).toBe(true)
  const isPadding = (i: number) => PARTS[parts[i] as number] === 'padding'
  for (let i = 0; i < ids.length; i++) {
    expect(isPadding(i)).toBe(i < padding.left || i >= ids.length - padding.right)
  }
  let before = padding.left
  let ordinal = 0
  for (const [index, turn] of turns.entries()) {
    expect(turn.index).toBe(index)
    const { start, headerEnd, contentStart, contentEnd, separatorStart, end } = turn
    expect([before, start, headerEnd, contentStart, contentEnd, separatorStart, end]).toEqual(
      [before, start, headerEnd, contentStart, contentEnd, separatorStart, end].sort((a, b) => a - b),
    )
    expect(end).toBeGreaterThan(start)
    expect(turn.endToken).toBe(separatorStart > contentEnd ? contentEnd : -1)
    // A header that is there twice is one turn's.
    if (turn.kind === 'assistant' && !isBareHeader(turns[index - 1])) ordinal++
    expect(turn.ordinal).toBe(ordinal)
    let inside = headerEnd
    for (const span of turn.spans) {
      expect(span.start).toBeGreaterThanOrEqual(inside)
      expect(span.end).toBeGreaterThan(span.start)
      expect(span.end).toBeLessThanOrEqual(contentEnd)
      inside = span.end
    }
    before = end
  }
  expect(before).toBeLessThanOrEqual(ids.length - padding.right)
  // Outside of turns there is only what belongs to none.
  const inTurn = new Uint8Array(ids.length)
  for (const { start, end } of turns) inTurn.fill(1, start, end)
  for (let i = 0; i < ids.length; i++) {
    if (!inTurn[i]) expect(['bos', 'end', 'other', 'padding']).toContain(PARTS[parts[i] as number])
  }
}

describe.each(FAMILIES)('segment, whatever the ids (%s)', (family) => {
  it('gives every token one part, and turns in order that do not overlap', () => {
    const tokenizer = tokenizers.get(family) as Tokenizer
    fc.assert(
      fc.property(sequences, (pieces) => {
        const ids = idsOf(tokenizer, pieces)
        expectWhole(ids, segment(ids, tokenizer, null))
      }),
      { numRuns: 600, seed: 20 },
    )
  })

  it('tells where the letters of tags may begin in what the model wrote', () => {
    const tokenizer = tokenizers.get(family) as Tokenizer
    const { candidates } = lettersOfTags(tokenizer.table, tagTable(tokenizer.table)) ?? {
      candidates: new Set<number>(),
    }
    const letters = ['<', '</', '<th', 'ink>', '<tool', '_call>']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES, ...letters), { maxLength: 40 }), (pieces) => {
        const ids = idsOf(tokenizer, pieces)
        const found = segment(ids, tokenizer, null)
        const expected = found.turns
          .filter(({ kind }) => kind === 'assistant')
          .flatMap(({ contentStart, contentEnd }) => [...ids.keys()].slice(contentStart, contentEnd))
          .filter((at) => candidates.has(ids[at] as number))
        expect(found.letters).toEqual(expected)
      }),
      { numRuns: 600, seed: 23 },
    )
  })

  it('obeys any declared padding', () => {
    const tokenizer = tokenizers.get(family) as Tokenizer
    fc.assert(
      fc.property(
        sequences,
        fc.integer({ min: -2, max: 30 }),
        fc.integer({ min: -2, max: 30 }),
        (pieces, left, right) => {
          const ids = idsOf(tokenizer, pieces)
          const found = segment(ids, tokenizer, { left, right })
          expectWhole(ids, found)
          expect(found.padding.left).toBe(Math.min(Math.max(left, 0), ids.length))
        },
      ),
      { numRuns: 300, seed: 21 },
    )
  })

  it('decodes them all, token by token', () => {
    const tokenizer = tokenizers.get(family) as Tokenizer
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 160_000 }), { maxLength: 60 }), (numbers) => {
        const ids = Int32Array.from(numbers)
        const { text, textOffsets, flags } = tokenTexts(tokenizer.table, ids)
        expect(textOffsets[ids.length]).toBe(text.length)
        expect(textOffsets[0]).toBe(0)
        expect(textOffsets.every((offset, i) => i === 0 || offset >= (textOffsets[i - 1] as number))).toBe(true)
        expect(flags).toHaveLength(ids.length)
      }),
      { numRuns: 300, seed: 22 },
    )
  })
})

it('reads a row full of opening tags without going over it again for each', () => {
  const tokenizer = tokenizers.get('qwen2.5') as Tokenizer
  const head = tokenizer.encode('<|im_start|>assistant\n', { specials: true })
  const unit = tokenizer.encode('<information> <result> <think> <observation> ')
  const ids = new Int32Array(head.length + unit.length * 20_000)
  ids.set(head)
  for (let i = 0; i < 20_000; i++) ids.set(unit, head.length + i * unit.length)
  expectOneTurn(segment(ids, tokenizer, null))
})

function expectOneTurn({ turns }: Segmentation): void {
  expect(turns).toHaveLength(1)
  expect(turns[0]?.kind).toBe('assistant')
}

it('frames nothing for a tokenizer without a frame', () => {
  const { table } = tokenizers.get('qwen3') as Tokenizer
  const found = segment(Int32Array.of(151644, 872, 198), { table, frame: null }, { left: 1, right: 0 })
  expect(found.turns).toEqual([])
  expect([...found.parts].map((part) => PARTS[part])).toEqual(['padding', 'other', 'other'])
})
