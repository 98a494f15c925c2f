import { describe, expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import type { Conversation } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

/** Takes the newline out of the headers of these turns. */
function withoutNewline(row: Conversation, turns: readonly number[]): Conversation {
  const record = { ...row.record }
  for (const turn of turns.toSorted((a, b) => b - a)) {
    const at = row.layout[turn]!.headerEnd - 1
    record.input_ids = record.input_ids.toSpliced(at, 1)
    record.loss_mask = record.loss_mask!.toSpliced(at, 1)
  }
  return { ...row, record }
}

/** What fails at the rollout, but for what lies in its reward. */
async function failing(turns: readonly number[], text?: string) {
  const answer = text === undefined ? {} : { text }
  const row = withoutNewline(searchRow(await qwen(), 0, { answer }), turns)
  const report = (await audited(lines([row]))).report()
  const findings = report.findings.filter(({ severity }) => severity !== 'info')
  return findings.map(({ code, turn }) => `${code} ${turn}`)
}

describe('an assistant header whose newline is gone', () => {
  it('is T18 and nothing else, before a call and before prose', async () => {
    expect(await failing([2, 4])).toEqual(['T18 2', 'T18 4'])
  })

  it('is so where a newline of the text comes soon', async () => {
    expect(await failing([4], 'It is there:\nthe document says it.')).toEqual(['T18 4'])
  })

  it('is nothing to name where no header of the row has one', async () => {
    expect((await failing([0, 1, 2, 3, 4])).filter((fault) => fault.startsWith('T18'))).toEqual([])
  })
})
