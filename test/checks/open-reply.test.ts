import { describe, expect, it } from 'vitest'
import type { SearchChanges } from '../fixtures/checks/fixture.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, user } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

/** What T16 says of one rollout. */
async function named(changes: SearchChanges) {
  const made = searchRow(await qwen(), 0, changes, { id: 'row', group: 'g', reward: 1 })
  const report = (await audited(lines([made]))).report()
  const findings = report.findings.filter(({ code }) => code === 'T16')
  return { layout: made.layout, findings }
}

describe('a turn behind an answer that lacks its end token', () => {
  it('is named where it is a reply', async () => {
    const { layout, findings } = await named({ reply: { end: false } })
    const reply = layout[3]!
    expect(findings).toMatchObject([{ severity: 'warning', tokens: [reply.contentEnd - 1, reply.contentEnd] }])
    expect(findings[0]?.message).toContain('The end token of a tool turn is not there, and an assistant turn follows')
  })

  it('is named where it is a question', async () => {
    const after = () => [{ ...user('Are you sure?'), end: false }, assistant('Yes, quite sure.')]
    expect((await named({ after })).findings).toHaveLength(1)
  })

  it('is nothing to name where the row ends with it', async () => {
    const after = () => [{ ...user('Are you sure?'), end: false }]
    expect((await named({ after })).findings).toEqual([])
  })

  it('is C02’s where it stands in the prompt', async () => {
    expect((await named({ user: { end: false } })).findings).toEqual([])
  })
})
