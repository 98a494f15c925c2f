import { expect, it } from 'vitest'
import { createView } from '../../shared/checks/view.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const qwen3 = await testTokenizer('qwen3')
const PREFILL = '<think>\n'

/** A row whose generation prompts open a thought, and where its turns lie before padding. */
function rowOf(train: boolean, padLeft: number) {
  const turn = { prefill: PREFILL, train: { prefill: train } }
  return searchRow(qwen3, 0, { call: turn, answer: turn }, { padLeft })
}

it.each([
  ['carries loss as well', true],
  ['carries none', false],
])('a counted padding that is as long as the way to the next turn is counted still; the prefill %s', (_, train) => {
  const { layout } = rowOf(train, 0)
  const [call, answer] = [layout[2]!, layout[4]!]
  // Counted once more, the padding ends the prompt at the very header of the second turn.
  const padLeft = answer.headerEnd - call.contentStart
  const row = rowOf(train, padLeft)
  const promptLength = padLeft + call.contentStart
  const view = createView(
    { ...trajectoryOf(row), promptLength },
    { tokenizer: qwen3, settings: settings(), unsampledLogprob: null },
  )
  expect(view?.facts.promptLength).toBe(call.contentStart)
})
