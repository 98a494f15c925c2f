import { expect, it } from 'vitest'
import { TokenState } from '../../shared/model/tokens.ts'
import { memorySource } from '../containers/memory-source.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

/** What S03 and L05 say of four rows whose columns reach beyond the response by the question, which the first of them trains. */
async function judged(advantage: (outside: boolean, row: number) => number | null) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = [0, 1, 2, 3].map((index) => {
    const { record, layout } = conversation(tokenizer, [
      system('Be brief.'),
      user(`Is ${index} even?`),
      assistant(index % 2 ? 'No.' : 'Yes.'),
    ])
    const { input_ids, loss_mask } = record
    const [start, response] = [layout[1]!.start, layout[2]!.contentStart]
    const columns = input_ids.slice(start).map((_, i) => i + start)
    return JSON.stringify({
      sequences: input_ids,
      attention_mask: input_ids.map(() => 1),
      response_mask: columns.map((i) => (i < response ? 0 : 1)),
      loss_mask: columns.map((i) => (index === 0 && i < response ? 1 : loss_mask![i]!)),
      rollout_logprobs: columns.map((i) => (i < response ? 0 : -0.5)),
      action_log_probs: columns.map((i) => (i < response ? 0 : -0.5)),
      advantages: columns.map((i) => advantage(i < response, index)),
    })
  })
  const session = await audited([memorySource(rows.join('\n'))], { tokenizer: 'qwen2.5' })
  const report = session.report()
  expect(report.sources[0]?.format?.id).toBe('skyrl')
  return report.findings.flatMap(({ code, message }) => (code === 'S03' || code === 'L05' ? [[code, message]] : []))
}

it('columns outside the response that are trained have numbers, if only such as fill them up', async () => {
  expect(await judged((outside) => (outside ? 0 : 0.5))).toEqual([])
})

it('a number that is missing there or within the response is told all the same', async () => {
  const message = expect.stringMatching(/^the advantage is NaN or null on \d+ tokens that carry loss/)
  expect(await judged((outside, row) => (outside && row === 0 ? null : 0.5))).toEqual([['S03', message]])
  expect(await judged((outside, row) => (outside || row === 1 ? null : 0.5))).toEqual([
    ['S03', message],
    ['S03', expect.stringMatching(/^The advantages of all \d+ tokens? that carry loss are NaN or null/)],
  ])
})

/** Four rows, of which the first stores masks of these many elements beside those that there should be. */
async function withMasks(change: { readonly response?: number; readonly loss?: number }) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = [0, 1, 2, 3].map((index) => {
    const { record, layout } = conversation(tokenizer, [user(`Is ${index} even?`), assistant('It is said to be.')])
    const { input_ids, loss_mask } = record
    const start = layout[1]!.contentStart
    const flags = input_ids.slice(start).map(() => 1)
    const lacking = (list: number[], by = 0) => (index === 0 && by > 0 ? list.slice(0, -by) : list)
    return JSON.stringify({
      sequences: input_ids,
      attention_mask: input_ids.map(() => 1),
      action_log_probs: flags.map(() => -0.5),
      response_mask: lacking(flags, change.response),
      loss_mask: lacking(loss_mask!.slice(start), change.loss),
      advantages: flags.map(() => 0.5),
    })
  })
  const session = await audited([memorySource(rows.join('\n'))], { tokenizer: 'qwen2.5' })
  const { findings } = session.report()
  const first = await session.detail(0)
  return {
    told: findings.flatMap(({ code, message }) => (code === 'S03' ? [message] : [])),
    trained: first.states.filter((state) => state === TokenState.trained).length,
    drifts: findings.some(({ code }) => code === 'T03'),
  }
}

it('a response mask of another length is told, and the loss mask that fits is used all the same', async () => {
  const sound = await withMasks({})
  expect(sound).toMatchObject({ told: [], drifts: false })
  expect(sound.trained).toBeGreaterThan(3)
  for (const response of [1, 3]) {
    const { told, trained } = await withMasks({ response })
    expect(told).toEqual([expect.stringMatching(/^response_mask has \d+ elements where \d+ are due$/)])
    expect(trained).toBe(sound.trained)
  }
})

it('a loss mask of another length is of no use beside a response mask that fits', async () => {
  const { told, trained } = await withMasks({ loss: 2 })
  expect(told).toEqual([expect.stringMatching(/^loss_mask has \d+ elements where \d+ are due$/)])
  expect(trained).toBe(0)
})
