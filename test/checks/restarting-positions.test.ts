import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, type Conversation, conversation, system, user } from '../helpers/conversation.ts'
import { type Edit, findingsOf, search } from './findings-of.ts'

const rows = search({}, { attention: 'ones' })
/** Nothing but ids, mask and positions: such a row may be packed. */
const untold = { promptLength: null, messages: null, reward: null, answer: null, finishReason: null, advantage: null }
const told = { promptLength: 12 }

/** Positions that begin anew at one token. */
const restarting =
  (at: (row: Conversation) => number, more: Partial<Trajectory> = {}): Edit =>
  ({ ids }, row) => ({
    ...untold,
    ...more,
    positionIds: Int32Array.from(ids!, (_, i) => (i < at(row) ? i : i - at(row))),
  })

describe('S02 of positions that begin anew within a row', () => {
  it.each([
    ['where the first response begins', restarting(({ layout }) => layout[2]!.contentStart, told)],
    ['within a turn', restarting(({ layout }) => layout[3]!.contentStart + 3, { reward: 1 })],
    ['at a reply', restarting(({ layout }) => layout[3]!.start, { messages: [] })],
  ] as const)('names it %s, in a row that is told of as one rollout', async (_, edit) => {
    const findings = await findingsOf('S02', 'qwen2.5', rows, edit)
    expect(findings).toHaveLength(1)
    expect(findings[0]?.message).toMatch(/^Position 0 follows \d+ at token/)
  })

  it('names positions that are the same at all tokens, whatever is told of the row', async () => {
    const still: Edit = ({ ids }) => ({ ...untold, positionIds: new Int32Array(ids!.length) })
    expect(await findingsOf('S02', 'qwen2.5', rows, still)).toMatchObject([
      { severity: 'error', message: 'Position 0 follows 0 at token 1, where 1 is due' },
    ])
  })

  it('lets a row pass that may be packed of pieces', async () => {
    const edit = restarting(({ layout }) => layout[3]!.contentStart + 3)
    expect(await findingsOf('S02', 'qwen2.5', rows, edit)).toEqual([])
  })

  it.each<[string, Edit]>([
    ['the number of the sequence', ({ ids }) => ({ sequenceIds: halves(ids!, 0, 1) })],
    ['the number in the attention mask', ({ ids }) => ({ attentionMask: halves(ids!, 1, 2) })],
  ])('lets one pass where %s changes there', async (_, numbered) => {
    const edit: Edit = (trajectory, row, index) => ({
      ...restarting(() => trajectory.ids!.length >> 1, told)(trajectory, row, index),
      ...numbered(trajectory, row, index),
    })
    expect(await findingsOf('S02', 'qwen2.5', rows, edit)).toEqual([])
  })

  it('lets one pass where another document begins, of which the record tells the first', async () => {
    const first = [system('Be brief.'), user('Is it red?'), assistant('Yes.')]
    const packed = (tokenizer: Tokenizer) => [
      conversation(tokenizer, [...first, ...first.with(2, assistant('No.'))], { attention: 'ones' }),
    ]
    const edit = restarting(({ layout }) => layout[3]!.start, told)
    expect(await findingsOf('S02', 'qwen2.5', packed, edit)).toEqual([])
    expect(
      await findingsOf(
        'S02',
        'llama3',
        packed,
        restarting(({ layout }) => layout[3]!.start - 1, told),
      ),
    ).toHaveLength(1)
    const withBos = restarting(({ layout }) => layout[3]!.start - 1, told)
    const bos: Edit = (trajectory, row, index) => {
      const ids = trajectory.ids!.slice()
      ids[row.layout[3]!.start - 1] = 128000
      return { ...withBos(trajectory, row, index), ids }
    }
    expect(await findingsOf('S02', 'llama3', packed, bos)).toEqual([])
  })

  it('lets padding pass that nothing declares, of one id and one position', async () => {
    const padded: Edit = ({ ids }) => ({
      ...told,
      ids: Int32Array.from(ids!, (id, i) => (i < ids!.length - 3 ? id : 11)),
      positionIds: Int32Array.from(ids!, (_, i) => (i < ids!.length - 3 ? i : 0)),
    })
    expect(await findingsOf('S02', 'qwen2.5', rows, padded)).toEqual([])
  })
})

function halves({ length }: Int32Array, first: number, second: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => (i < length >> 1 ? first : second))
}
