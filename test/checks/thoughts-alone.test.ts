import { describe, expect, it } from 'vitest'
import { assistant, call, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

describe('a last turn that a limit cut inside its thought, wholly masked', () => {
  const [opening, closing] = ['<think>\nThe film may be in the archive, or in the other room', '.\n</think>\n\n']

  /** Of two turns; `masks` says which thoughts have no loss, and the second turn has none at all. */
  async function failing(masks: { readonly first: boolean }, more: { readonly cutBehind?: string } = {}) {
    const qwen3 = await testTokenizer('qwen3')
    const search = call(qwen3, 'search', { query: 'who directed it' })
    const answer = more.cutBehind ?? opening
    const turns = [
      user('Who directed it?'),
      assistant(`${opening}${closing}${search}`),
      tool('Nobody knows who directed it.'),
      assistant(answer, { end: false, separator: false }),
    ]
    const thought = qwen3.encode(`${opening}${closing}`).length
    const row = conversation(qwen3, turns, {
      finishReason: 'length',
      editMask: (mask, layout) => {
        const [first, last] = [layout[1]!, layout[3]!]
        if (masks.first) mask.fill(0, first.contentStart, first.contentStart + thought)
        mask.fill(0, last.contentStart, last.contentEnd)
      },
    })
    const audit = auditTrajectories([trajectoryOf(row)], qwen3)
    return audit.failing.filter((code) => code === 'M03' || code === 'M16')
  }

  it('is a masked thought where the thoughts of other turns are masked', async () => {
    expect(await failing({ first: true })).toEqual(['M16'])
  })

  it('is one where the limit cut it behind its opening tag', async () => {
    expect(await failing({ first: true }, { cutBehind: '<think>' })).toEqual(['M16'])
  })

  it('is a masked turn where they are trained', async () => {
    expect(await failing({ first: false })).toEqual(['M03'])
  })

  it('is a masked turn where it has words behind its thought', async () => {
    const cutBehind = `${opening}${closing}Nobody knows, as the document says in its first`
    expect(await failing({ first: true }, { cutBehind })).toEqual(['M03', 'M16'])
  })
})
