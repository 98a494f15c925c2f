import { describe, expect, it } from 'vitest'
import { findingsOf, search } from './findings-of.ts'

describe('a text that begins with a newline behind an empty thought', () => {
  const THREE_NEWLINES = 1406
  /** Into its last token the first newline of the text is merged. */
  const block = (train = false) => ({ prefill: '<think>\n\n</think>\n\n\n', train: { prefill: train } })

  it('is merged with the newlines of a block that has no loss: the template wrote it', async () => {
    const [finding, ...more] = await findingsOf('T18', 'qwen3', search({ answer: block() }))
    expect(more).toEqual([])
    expect(finding).toMatchObject({
      message:
        'One token holds the newlines behind the empty thought of assistant turn 2 and the first newline of its text',
      evidence: { id: THREE_NEWLINES, newlines: 3, newlines_of_the_block: 2 },
    })
  })

  it.each([
    ['the block is trained: the model may have written it so', block(true)],
    ['the turn has no loss, as history that was rendered', { ...block(), train: { content: false, end: false } }],
    ['the block ends as the template ends it', { prefill: '<think>\n\n</think>\n\n' }],
  ])('is no fault where %s', async (_, answer) => {
    expect(await findingsOf('T18', 'qwen3', search({ answer }))).toEqual([])
  })
})
