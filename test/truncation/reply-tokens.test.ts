import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEAST_TOKENS, longReplies } from '../../shared/checks/truncation/long-replies.ts'
import { lookAt } from '../../shared/checks/truncation/reply-tokens.ts'
import { generator } from '../bench/dump.ts'
import { auditDump } from '../checks/audit.ts'
import { inKernel } from '../containers/numbers-in-kernel.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, tool } from '../helpers/conversation.ts'
import { tableOf } from '../helpers/token-table.ts'

function lookAtTexts(texts: readonly string[]) {
  return lookAt(tableOf(texts), Int32Array.from(texts.keys()), { start: 0, end: texts.length })
}

describe('the tokens of a reply', () => {
  const pieces = ['a', 'é', 0xc3, 0xa9, '😀', ' '.repeat(300), '', ' submitted', 'tr', `${'.'.repeat(200)}Trunc`]
  const table = tableOf(pieces)
  const look = (...ids: readonly number[]) => lookAt(table, Int32Array.from(ids), { start: 0, end: ids.length })

  it('have as many characters as their text has code points, however long each is, the first time and again', () => {
    for (let time = 0; time < 2; time++) {
      expect(look(0, 1, 2, 3, 4, 5, 6, 7).characters).toBe(1 + 1 + 1 + 0 + 1 + 300 + 0 + 10)
      expect(look(9).characters).toBe(205)
      expect(look().characters).toBe(0)
    }
  })

  it.each([
    [['MOD', 'EL', ' and', ' omitted']],
    [['12 lines r', 'emoved', ']']],
    [['[', '1', ' TOKENS ', 'EL', '', 'ID', 'ED', ']']],
    [[`${'.'.repeat(200)}Trunc`, 'ated']],
    [['E', 'L', 'EL', 'I', 'D', 'ED']],
    [['omi', 'TTED']],
    [['unct', 'runcated']],
  ])('hold the word of a marker where all of it stands in them, whatever its pieces are: %j', (texts) => {
    for (let time = 0; time < 2; time++) expect(lookAtTexts(texts).mayHoldMarker).toBe(true)
  })

  it.each([
    [['MOD', 'EL', 'ED']],
    [['Unc', 'ated']],
    [['unc', 'trunc', 'unc', 'ated']],
    [['trunc']],
    [['runcated']],
    [['EL', 'I', 'DE']],
    [['EL', 'IDE']],
    [['remov', 'ing', 'oved']],
    [['omi', 'mitted']],
    [[' submitted', 'EL', 'TED', 'VED', 'IPP', 'ITTED', 'MOVED', '[12 lines ']],
  ])('hold none where parts of one are parts of another: %j', (texts) => {
    for (let time = 0; time < 2; time++) expect(lookAtTexts(texts).mayHoldMarker).toBe(false)
  })

  it('hold no word between the ends of two that are none of the vocabulary, and none from beyond their span', () => {
    const table = tableOf(['om', 'itted'])
    const at = (start: number, end: number, ...ids: readonly number[]) =>
      lookAt(table, Int32Array.from(ids), { start, end }).mayHoldMarker
    expect([at(0, 2, 0, 1), at(0, 3, 0, 2, 1), at(0, 3, 0, -1, 1), at(1, 2, 0, 1), at(0, 1, 0, 1)]).toEqual([
      true,
      false,
      false,
      false,
      false,
    ])
  })

  it('count for nothing where the vocabulary does not have them', () => {
    expect(look(-1, pieces.length, 0, 0x7fffffff)).toEqual({ characters: 1, mayHoldMarker: false })
  })

  it('tell the same where the kernel holds them, whichever vocabularies were asked about before', () => {
    const pieces = [
      'a',
      'é',
      0xc3,
      ' '.repeat(300),
      '',
      ' submitted',
      'tr',
      'runc',
      'ated',
      'EL',
      'ID',
      'ED',
      'x',
      'yz',
    ]
    const tables = [tableOf(pieces), tableOf(pieces.toReversed()), tableOf(pieces.slice(0, 9))]
    const id = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(0, 1, 12, 13) },
      { weight: 6, arbitrary: fc.nat({ max: 14 }) },
      fc.constantFrom(-1, 2 ** 31 - 1, -(2 ** 31)),
    )
    const place = fc.nat({ max: 60 })
    const asked = fc.array(fc.tuple(fc.constantFrom(...tables), place, place), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(id, { maxLength: 60, size: 'max' }), asked, (list, questions) => {
        const ids = Int32Array.from(list)
        const held = inKernel(ids)
        for (const [table, a, b] of questions) {
          const [start = 0, end = 0] = [a, b].map((at) => Math.min(at, ids.length)).sort((x, y) => x - y)
          expect(lookAt(table, held, { start, end })).toEqual(lookAt(table, ids, { start, end }))
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('of a vocabulary that is too large for the kernel are looked at all the same', () => {
    const many = tableOf(Array.from({ length: 400_000 }, () => 'ab'))
    expect(lookAt(many, inKernel(Int32Array.of(5, 399_999, 400_000)), { start: 0, end: 3 })).toEqual({
      characters: 4,
      mayHoldMarker: false,
    })
  })

  it('between a span alone', () => {
    const ids = Int32Array.of(9, 0, 0, 9)
    expect(lookAt(table, ids, { start: 1, end: 3 })).toEqual({ characters: 2, mayHoldMarker: false })
    expect(lookAt(table, ids, { start: 3, end: 3 })).toEqual({ characters: 0, mayHoldMarker: false })
  })
})

describe('the long replies that are kept of a rollout', () => {
  it('are the longest, in tokens or in characters, whatever ends in mid-sentence beside them', async () => {
    const few = `${'harbour river observatory weaver north mill quay '.repeat(6)}harbour`
    const reply = { text: [few, `${few} ${few}`, few].join('\n</tool_response>\n<tool_response>\n') }
    const { views } = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) => [searchRow(tokenizer, 0, { reply })],
    })
    const { longestReply, longestOfKinds, longReplies: kept } = views[0]!.facts
    const longest = expect.objectContaining({ ...longestReply, open: 'right', tool: '', turn: 1 })
    // One call was made, which the first reply answers: that is longest of its tool.
    expect(kept).toEqual([expect.objectContaining({ open: 'right', tool: 'search', turn: 1 }), longest])
    expect(longestOfKinds).toEqual(kept?.map(({ open, text, edge, ...size }) => size))
  })

  it('are as long as the longest texts, wherever among the replies they stand', async () => {
    // Words of one token each, which have as many letters as their place tells: what is longest in characters is seldom so in tokens.
    const words = [' a', ' the', ' river', ' library', ' different', ' environment', ' understanding']
    const random = generator(11)
    const pick = (count: number) => Math.floor(random() * count)
    const texts = Array.from({ length: 60 }, () =>
      Array.from({ length: 2 + pick(6) }, () => {
        const word = words[pick(words.length)] as string
        return `${word.trim()}${word.repeat(pick(3) === 0 ? pick(20) : 40 + pick(40))}.`
      }),
    )
    const { views } = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) =>
        texts.map((replies, index) =>
          searchRow(tokenizer, index, {
            // One or two to a turn.
            after: () =>
              replies.flatMap((text, at) => [
                tool(at % 3 === 1 ? `${text}\n</tool_response>\n<tool_response>\n${replies[0]}` : text),
                assistant('I go on.'),
              ]),
          }),
        ),
    })
    for (const [index, replies] of texts.entries()) {
      const long = replies.filter((text) => text.split(' ').length > LEAST_TOKENS)
      const { longestReply, longReplies: kept } = views[index]!.facts
      const characters = Math.max(...long.map((text) => text.length))
      expect(longestReply?.characters).toBe(long.length === 0 ? undefined : characters)
      const starts = kept?.map(({ start }) => start) ?? []
      expect(starts).toEqual([...starts].sort((a, b) => a - b))
      for (const { tokens, characters, open } of kept ?? []) {
        const isLongest = tokens === longestReply?.tokens || characters === longestReply?.characters
        expect(isLongest || open === 'left' || open === 'right').toBe(true)
      }
    }
  })

  it('are none without turns', () => {
    expect(longReplies(Int32Array.of(1, 2), null, null, [])).toBeNull()
  })
})
