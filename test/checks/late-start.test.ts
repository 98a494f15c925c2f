import { expect, it } from 'vitest'
import { shapeOf } from '../../shared/checks/shape.ts'
import { createView } from '../../shared/checks/view.ts'
import { assistant, conversation, type RecordOptions, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const qwen3 = await testTokenizer('qwen3')
const WORDS = 'It was Ines Valdoro who made this film.'

/** What is said of a row of one turn whose first two tokens carry no loss; `behind` trains what follows the end token as well. */
function shapeWith(text: string, more: RecordOptions, behind = false) {
  const row = conversation(qwen3, [user('Who made this film?'), assistant(text, { separator: behind })], {
    ...more,
    editMask: (mask, layout) => {
      const { contentStart, endToken } = layout[1]!
      mask.fill(0, contentStart, contentStart + 2)
      if (behind) mask.fill(1, endToken)
    },
  })
  const view = createView(trajectoryOf(row), { tokenizer: qwen3, settings: settings(), unsampledLogprob: null })!
  const { lag, lateStart } = shapeOf(view)
  return { lag, lateStart }
}

it('the only turn begins late where the dump says that what it leaves out was sampled', () => {
  expect(shapeWith(WORDS, { sampled: true })).toEqual({ lag: 0, lateStart: 2 })
  expect(shapeWith(WORDS, { logprobs: 'sampler' })).toEqual({ lag: 0, lateStart: 2 })
})

it('the only turn lies late where its loss goes on behind the end token', () => {
  expect(shapeWith(WORDS, {}, true)).toEqual({ lag: 2, lateStart: 0 })
})

it('the only turn may have a prefill where nothing says that it was sampled, and where it is a think tag', () => {
  expect(shapeWith(WORDS, {})).toEqual({ lag: 0, lateStart: 0 })
  expect(shapeWith(`<think>\nShe did.\n</think>\n\n${WORDS}`, { sampled: true })).toEqual({ lag: 0, lateStart: 0 })
})
