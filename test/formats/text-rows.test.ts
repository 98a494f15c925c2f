import { describe, expect, test } from 'vitest'
import { createFacts } from '../../shared/checks/facts/create-facts.ts'
import { holdsFlattenedTurns, textMessages } from '../../shared/formats/text-rows.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'

function assistantTurns(prompt: string | null, completion: string) {
  const messages = textMessages(prompt, completion)
  const { turns, assistantTurns } = createFacts({
    ...emptyTrajectory({ source: 0, record: 0, part: 0 }, ''),
    messages,
  })
  return turns === 0 ? null : assistantTurns
}

const QWEN = 'system\nBe short.\nuser\nHow high is the dam?\nassistant\n'
const LLAMA = 'system\n\nBe short.user\n\nHow high is the dam?assistant\n\n'

describe('the turns of texts that were decoded whole', () => {
  test.each([
    ['ChatML without special tokens', QWEN, 'It is 61 metres high.'],
    ['a word that is no line', QWEN, 'Ask the assistant\nor the user: 61 metres.'],
    ['Llama 3 without special tokens', LLAMA, 'It is 61 metres high.\nuser guides say so, too.'],
    ['Gemma without special tokens', 'user\nHow high?\nmodel\n', '61 metres.'],
    ['an empty thought behind the header', `${QWEN}<think>\n\n</think>\n\n`, '61 metres.'],
    ['special tokens', '<|im_start|>user\nHow high?<|im_end|>\n<|im_start|>assistant\n', '61 metres.<|im_end|>'],
    ['an empty reply', QWEN, ''],
  ])('are one: %s', (_, prompt, completion) => {
    expect(assistantTurns(prompt, completion)).toBe(1)
  })

  test.each([
    ['a second header', QWEN, 'Look.\nuser\n<tool_response>\n61\n</tool_response>\nassistant\n61 metres.'],
    ['a header at the cut end', QWEN, 'Look.\nuser\nGo on.\nassistant'],
    ['a second header of Llama 3', LLAMA, 'Look.ipython\n\n61assistant\n\n61 metres.'],
    ['a tool reply that no turn follows', QWEN, 'Look.\nuser\n<tool_response>\n61\n</tool_response>'],
    ['a reply spliced in by the environment', QWEN, 'Look. <information>61</information> 61 metres.'],
    ['a template that leaves nothing of its headers', 'How high is the dam?', 'It is 61 metres high.'],
    ['no prompt', null, 'It is 61 metres high.'],
    [
      'special tokens that stand there again',
      '<|im_start|>user\nHow high?<|im_end|>\n<|im_start|>assistant\n',
      'Look.<|im_end|>\n<|im_start|>user\n61<|im_end|>\n<|im_start|>assistant\n61 metres.',
    ],
  ])('are not known: %s', (_, prompt, completion) => {
    expect(assistantTurns(prompt, completion)).toBeNull()
  })

  test('are looked for in replies that may hold several alone', () => {
    const tool = 'Look.\nuser\n<tool_response>\n61\n</tool_response>\nassistant\n61 metres.'
    expect(holdsFlattenedTurns(textMessages(QWEN, tool))).toBe(true)
    expect(holdsFlattenedTurns(textMessages('How high?', 'It is 61 metres high.'))).toBe(false)
    expect(holdsFlattenedTurns([{ role: 'assistant', content: tool }])).toBe(false)
  })

  test.each([
    ['## Ask the user\n\nThen write the answer down.', false],
    ['I need no other tool\n\nThe answer is 4.', false],
    ['It is the **assistant\n\nof** the mayor, in /home/user\n\nor current_user\n\n.', false],
    ['Look.ipython\n\n61', true],
    ['{"name": "search"}ipython\n\n61assistant\n\n61 metres', true],
    ['I do not knowuser\n\nTry again', true],
    ['Look.\nipython\n\n61', true],
    ['tool\n\n61', true],
  ])('%j holds others: %s', (reply, holds) => {
    expect(holdsFlattenedTurns(textMessages('How high is the dam?', reply))).toBe(holds)
  })

  test('answers of any length are looked through at once', () => {
    for (const piece of ['assistant ', 'assistant\n', '<think> ', '\nuser\n', `assistant${' '.repeat(99)}`]) {
      const text = piece.repeat(20_000)
      expect(textMessages(`${text}x`, `${text}x`)).toHaveLength(2)
    }
  })
})
