import { describe, expect, it } from 'vitest'
import { answerInsidePrompt } from '../../shared/checks/oracles/prompt-end.ts'
import { createView } from '../../shared/checks/view.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, conversation, type TurnSpec, tool, trajectoryOf, user } from '../helpers/conversation.ts'
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

describe('an answer that begins inside a turn of the prompt', () => {
  const QUESTION = 'Who directed the film Night Harbour, which was shot in the old port in 1961? It is Ines Valdoro.'

  /** Tokens between which the answer is found; `first` and `last` of the trained ones count from the end of the question's content. */
  function found(first: number, last: number, behind: readonly TurnSpec[]) {
    const row = conversation(qwen3, [user(QUESTION), ...behind], {
      editMask: (mask, [question]) =>
        mask.fill(1, Math.max(0, question!.contentEnd - first), question!.contentEnd + last),
    })
    const trajectory = trajectoryOf(row)
    const view = createView(trajectory, { tokenizer: qwen3, settings: settings(), unsampledLogprob: null })!
    const answer = answerInsidePrompt(trajectory, view.mask, view.segmentation)
    const { contentEnd } = row.layout[0]!
    return answer === null ? null : [contentEnd - answer.at, answer.end - contentEnd]
  }
  const answer = assistant('It is Ines Valdoro.')

  it('is what is trained from there through the end of the turn', () => {
    expect(found(8, 1, [])).toEqual([8, 1])
    expect(found(8, 1, [tool('Night Harbour, 1961'), answer])).toEqual([8, 1])
  })

  it.each<[string, number, number, readonly TurnSpec[]]>([
    ['the model answers behind it', 8, 1, [answer]],
    ['the end of the turn is not trained', 8, 0, []],
    ['the whole question is trained', 200, 1, []],
    ['words in the middle of the question are trained', 8, -3, []],
  ])('is none where %s', (_, first, last, behind) => {
    expect(found(first, last, behind)).toBeNull()
  })
})
