import { describe, expect, it } from 'vitest'
import { assistant, call, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

describe('a thought that is masked between its tags', () => {
  const WORDS = 'The film may be in the archive, or in the other room, where nobody has looked yet.'
  const OPENING = '<think>\n'
  const CLOSING = '\n</think>\n\n'

  /** Of each thought the tokens of the words have no loss; `trains` names the tags that have. */
  async function failing(trains: { readonly opening: boolean; readonly closing: boolean; readonly words?: number }) {
    const qwen3 = await testTokenizer('qwen3')
    const count = (text: string) => qwen3.encode(text).length
    const search = call(qwen3, 'search', { query: 'who directed it' })
    const turns = [
      user('Who directed it?'),
      assistant(`${OPENING}${WORDS}${CLOSING}${search}`),
      tool('Nobody knows who directed it.'),
      assistant(`${OPENING}${WORDS}${CLOSING}Nobody knows.`),
    ]
    const row = conversation(qwen3, turns, {
      editMask: (mask, layout) => {
        for (const { contentStart } of [layout[1]!, layout[3]!]) {
          const from = contentStart + (trains.opening ? count(OPENING) : 0) + (trains.words ?? 0)
          const to = contentStart + count(trains.closing ? OPENING + WORDS : OPENING + WORDS + CLOSING)
          mask.fill(0, from, to)
        }
      },
    })
    return auditTrajectories([trajectoryOf(row)], qwen3).failing.filter((code) => /^M/.test(code))
  }

  it.each([
    { opening: true, closing: true },
    { opening: true, closing: false },
    { opening: false, closing: true },
  ])('is a masked thought whichever of its tags is trained: %o', async (trains) => {
    expect(await failing(trains)).toEqual(['M16'])
  })

  it('is none where words of it are trained, as of a turn that was resumed', async () => {
    expect(await failing({ opening: true, closing: true, words: 4 })).toEqual([])
  })
})
