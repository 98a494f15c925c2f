import { describe, expect, it } from 'vitest'
import { assistant, call, conversation, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

describe('a turn that was resumed, of which only what the newest policy sampled is trained', () => {
  const thought = '<think>\nThe film may be in the archive.\n</think>\n\n'
  const resumed = (by: number, text: string) => async () => {
    const qwen3 = await testTokenizer('qwen3')
    const row = conversation(qwen3, [user('Go.'), assistant(text, { separator: false })], {
      editMask: (mask, layout) => mask.fill(0, layout[1]!.contentStart, layout[1]!.contentStart + by),
    })
    return auditTrajectories([trajectoryOf(row)], qwen3).failing.filter((code) => code.startsWith('M'))
  }

  it('has no mask that lies off by blocks of a template, however many tokens are left out', async () => {
    const text = 'The document says who directed the film, in its very first sentence, and nothing else.'
    expect(await resumed(4, text)()).toEqual(['M07'])
    expect(await resumed(8, text)()).toEqual([])
  })

  it('has no masked thought where words behind it are masked as well', async () => {
    const text = `${thought}It is there, in the second room on the left, as the document says in its first sentence.`
    expect(await resumed(11, text)()).toEqual(['M16'])
    expect(await resumed(16, text)()).toEqual([])
  })

  it('has no masked thought where one word behind it is masked as well, and has one where only its empty line is', async () => {
    const { encode } = await testTokenizer('qwen3')
    const text = `${thought}It is there, in the second room on the left, as the document says in its first sentence.`
    const { length } = encode(thought)
    expect(await resumed(length, text)()).toEqual(['M16'])
    expect(await resumed(length + 1, text)()).toEqual([])
    expect(await resumed(length + 2, text)()).toEqual([])
  })

  it('has a masked thought where everything before its call is masked', async () => {
    const before = `${thought}Let me see what the archive has to say.\n`
    const qwen3 = await testTokenizer('qwen3')
    const text = call(qwen3, 'search', { query: 'who directed it' })
    expect(await resumed(qwen3.encode(before).length, `${before}${text}`)()).toEqual(['M16'])
  })
})
