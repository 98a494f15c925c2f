import { describe, expect, it } from 'vitest'
import { type SearchChanges, searchRow } from '../fixtures/checks/fixture.ts'
import type { RecordOptions } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

const NO_ENDS: SearchChanges = { call: { end: false }, answer: { end: false } }
/** Last words of four answers, no two of which end in the same token. */
const UNLIKE = ['It was Ada', 'It was Grace', 'It was Emmy', 'It was Mary']
const ALIKE = UNLIKE.map((words) => `${words}</answer>`)

/** What T16 says of rollouts of a call and an answer. */
async function resultOf(rows: readonly (readonly [SearchChanges, RecordOptions?])[], answers = UNLIKE) {
  const tokenizer = await qwen()
  const made = rows.map(([changes, options], i) =>
    searchRow(
      tokenizer,
      i % 4,
      { ...changes, answer: { text: answers[i % 4], ...changes.answer } },
      { id: `row-${i}`, ...options },
    ),
  )
  const { checks, hypotheses } = (await audited(lines(made))).report()
  return {
    ...checks.find(({ code }) => code === 'T16'),
    masking: hypotheses.find(({ id }) => id === 'H02')?.verdict,
  }
}

describe('end tokens that no turn of the model has', () => {
  it('may have been removed where the rows do not end alike', async () => {
    expect(await resultOf([[NO_ENDS], [NO_ENDS], [NO_ENDS], [NO_ENDS]])).toMatchObject({
      status: 'not-checkable',
      reason: expect.stringContaining('no turn of the model in 4 rollouts has an end token'),
      masking: 'inconclusive',
    })
  })

  it('are counted without rows that a limit ended', async () => {
    const cut: readonly [SearchChanges, RecordOptions] = [{ answer: { end: false } }, { isTruncated: true }]
    expect(await resultOf([[NO_ENDS], [NO_ENDS], [NO_ENDS], cut])).toMatchObject({
      status: 'not-checkable',
      reason: expect.stringContaining('in 3 rollouts'),
    })
  })

  it('are not missing where a string ends all answers', async () => {
    expect(await resultOf([[NO_ENDS], [NO_ENDS], [NO_ENDS], [NO_ENDS]], ALIKE)).toMatchObject({
      status: 'pass',
      masking: 'contradicted',
    })
  })

  it('are not removed where one row has its own', async () => {
    expect(await resultOf([[NO_ENDS], [NO_ENDS], [NO_ENDS], [{}]])).toMatchObject({ status: 'pass' })
  })
})
