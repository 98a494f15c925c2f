import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { auditDump } from '../checks/audit.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import type { TurnSpec } from '../helpers/conversation.ts'

const CUT: Partial<TurnSpec> = {
  text: 'I look it up.\n<tool_call>\n{"name": "search", "arguments": {"query": "Night Har',
  train: { content: true, end: false },
}

/** What C05 and C07 say of four rollouts whose first turn is as `call` has it and whose replies say these reasons of themselves. */
async function toldOf(reasons: readonly (string | undefined)[], call: Partial<TurnSpec> = CUT, more: object = {}) {
  const messagesOf = () => [
    { role: 'system', content: 'Answer with the help of the tool.' },
    { role: 'user', content: 'A question' },
    { role: 'assistant', content: 'I look it up.', finishReason: reasons[0] },
    { role: 'tool', content: 'A document' },
    { role: 'assistant', content: 'The document says it.', finishReason: reasons[1] },
  ]
  const { byCode } = await auditDump({
    story: '',
    family: 'qwen2.5',
    rows: (tokenizer: Tokenizer) =>
      [0, 1, 2, 3].map((index) =>
        searchRow(tokenizer, index, index === 0 ? { call } : {}, {
          finishReason: 'stop',
          more: { messages: messagesOf() },
          ...more,
        }),
      ),
  })
  return ['C05', 'C07'].flatMap((code) =>
    (byCode.get(code)?.findings ?? []).map(({ record, turn, message }) => `${code} ${record} ${turn}: ${message}`),
  )
}

const CUT_CALL = 'C07 0 2: A tool call of 17 tokens is opened and not closed, and the turn ends'

describe('C05 of a turn before the last', () => {
  it.each([
    'tool_calls',
    'tool_use',
  ])('names a call that a limit cut and that is said to have stopped: %s', async (reason) => {
    expect(await toldOf([reason, 'stop'])).toEqual([
      `C05 0 2: The finish reason of an earlier turn is ${reason} while its call is never closed`,
      CUT_CALL,
    ])
  })

  it.each([
    ['which is said', ['length', 'stop']],
    ['of which nothing is said', [undefined, 'stop']],
    ['which is said to end without a call', ['stop', 'stop']],
  ])('does not speak of a cut call %s', async (_, reasons) => {
    expect(await toldOf(reasons)).toEqual([CUT_CALL])
  })

  it('does not speak of whole calls, nor of one that the model left open itself', async () => {
    expect(await toldOf(['tool_calls', 'stop'], {})).toEqual([])
    expect(await toldOf(['tool_calls', 'stop'], { ...CUT, train: true }, { sampled: true })).toEqual([])
  })
})
