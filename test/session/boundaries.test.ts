import { describe, expect, it } from 'vitest'
import { conversation, SEARCH_TOOL } from '../helpers/conversation.ts'
import { cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply, turnsOf } from './dumps.ts'
import { enginePage } from './engine-page.ts'

describe('the table of turn edges', () => {
  it('has a row for where rollouts end: a trained newline is wrong there, a missing header or newline is not', async () => {
    const tokenizer = await qwen()
    const turns = turnsOf(tokenizer, 1, { answer: { train: { content: true, end: true, separator: true } } })
    const trained = conversation(tokenizer, turns, { id: 'trained', tools: [SEARCH_TOOL], messages: true })
    const page = enginePage()
    await page.open({ 'run.jsonl': lines([cleanRollout(tokenizer, 0), trained, cutRollout(tokenizer, 2)]) })
    const rows = await page.ask('boundaries', {})
    const end = rows.find(({ boundary }) => boundary === 'assistant>end')
    expect(end).toMatchObject({ edges: 3, header: null, newline: null })
    expect(end?.counts).toMatchObject({ end: { right: 2, of: 3 }, mask: { right: 2, of: 3 } })
    const inner = rows.find(({ boundary }) => boundary === 'user>assistant')
    expect(inner).toMatchObject({ header: 1, newline: 1, mask: 1 })
    // What is counted is what its query finds.
    for (const { boundary, edges } of rows) {
      const { indices, problems } = await page.ask('search', { text: `edge:${boundary}` })
      expect(problems).toEqual([])
      expect([boundary, indices.length > 0 && indices.length <= edges]).toEqual([boundary, true])
    }
    // What M11 counts there stands in the row.
    const report = await page.ask('report', {})
    expect(report.checks.find(({ code }) => code === 'M11')?.by_boundary['assistant>end']).toMatchObject({
      affected: 1,
    })
  })

  it('is wrong at both edges of a turn whose text is trained against the template, and at no other', async () => {
    const tokenizer = await qwen()
    const page = enginePage()
    await page.open({ 'run.jsonl': lines([cleanRollout(tokenizer, 0), rolloutWithTrainedReply(tokenizer, 1)]) })
    const rows = await page.ask('boundaries', {})
    const masks = Object.fromEntries(rows.map(({ boundary, counts }) => [boundary, counts.mask.right]))
    expect(masks).toEqual({
      'system>user': 2,
      'user>assistant': 2,
      'assistant>tool': 1,
      'tool>assistant': 1,
      'assistant>end': 2,
    })
  })
})
