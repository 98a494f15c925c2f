import { describe, expect, it } from 'vitest'
import { longReplies } from '../../shared/checks/truncation/long-replies.ts'
import { lookAt } from '../../shared/checks/truncation/reply-tokens.ts'
import { TokenKind, type TokenTable } from '../../shared/tokens/tokenizer.ts'
import { auditDump } from '../checks/audit.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'

/** A vocabulary of these pieces, of which a number is a byte. */
function tableOf(pieces: readonly (string | number)[]): TokenTable {
  const encoder = new TextEncoder()
  const bytes = pieces.map((piece) => (typeof piece === 'number' ? Uint8Array.of(piece) : encoder.encode(piece)))
  const offsets = new Uint32Array(pieces.length + 1)
  for (const [id, { length }] of bytes.entries()) offsets[id + 1] = (offsets[id] as number) + length
  const kinds = new Uint8Array(pieces.length).fill(TokenKind.ordinary)
  return { size: pieces.length, bytes: Uint8Array.from(bytes.flatMap((each) => [...each])), offsets, kinds }
}

describe('the tokens of a reply', () => {
  const pieces = ['a', 'é', 0xc3, 0xa9, '😀', ' '.repeat(300), '', ' submitted', 'unc', `${'.'.repeat(200)}trunc`]
  const table = tableOf(pieces)
  const look = (...ids: readonly number[]) => lookAt(table, Int32Array.from(ids), { start: 0, end: ids.length })

  it('have as many characters as their text has code points, however long each is, the first time and again', () => {
    for (let time = 0; time < 2; time++) {
      expect(look(0, 1, 2, 3, 4, 5, 6, 7).characters).toBe(1 + 1 + 1 + 0 + 1 + 300 + 0 + 10)
      expect(look(9).characters).toBe(205)
      expect(look().characters).toBe(0)
    }
  })

  it('may hold a marker where one holds a piece of it', () => {
    for (let time = 0; time < 2; time++) {
      expect(look(0, 1, 7, 5).mayHoldMarker).toBe(false)
      expect(look(0, 8, 1).mayHoldMarker).toBe(true)
      expect(look(0, 9).mayHoldMarker).toBe(true)
    }
  })

  it('count for nothing where the vocabulary does not have them', () => {
    expect(look(-1, pieces.length, 0, 0x7fffffff)).toEqual({ characters: 1, mayHoldMarker: false })
  })

  it('between a span alone', () => {
    const ids = Int32Array.of(8, 0, 0, 8)
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
    const { longestReply, longReplies: kept } = views[0]!.facts
    expect(kept).toEqual([expect.objectContaining({ ...longestReply, open: 'right' })])
  })

  it('are none without turns', () => {
    expect(longReplies(Int32Array.of(1, 2), null, null)).toBeNull()
  })
})
