import { describe, expect, it } from 'vitest'
import { type SearchChanges, searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, type RecordOptions, user } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

interface Row {
  readonly changes?: SearchChanges
  readonly options?: RecordOptions
  readonly group?: string
}

const OPEN: Row = { changes: { call: { end: false } } }
const ASKED = [user('Are you sure?'), assistant('Yes, quite sure.')]
const ASKED_AND_OPEN: Row = { changes: { answer: { end: false }, after: () => ASKED } }

/** Findings of T16 on rollouts of one question. */
async function named(rows: readonly Row[]) {
  const tokenizer = await qwen()
  const made = rows.map(({ changes = {}, options, group = 'g' }, i) => {
    const answer = { text: `The document number ${i} says it.`, ...changes.answer }
    return searchRow(tokenizer, 0, { ...changes, answer }, { id: `row-${i}`, group, reward: i % 2, ...options })
  })
  const report = (await audited(lines(made))).report()
  const findings = report.findings.filter(({ code }) => code === 'T16')
  return { made, findings, records: findings.map(({ record }) => record) }
}

describe('a rollout whose answered turns all lack their end tokens', () => {
  it('is named where those of most of its siblings have theirs', async () => {
    const { made, findings } = await named([{}, {}, OPEN, {}])
    const call = made[2]!.layout.find(({ role }) => role === 'assistant')!
    expect(findings).toMatchObject([{ record: 2, group: 'g', tokens: [call.contentEnd - 1, call.contentEnd] }])
    expect(findings[0]?.message).toContain('those of 3 other rollouts of group g have theirs')
  })

  it.each<[string, Row[]]>([
    ['all of them lack theirs: a stop string ends their turns', [OPEN, OPEN, OPEN, OPEN]],
    ['half of them lack theirs', [OPEN, OPEN, {}, {}]],
    ['they are of another group', [OPEN, OPEN, ...Array.from({ length: 4 }, () => ({ group: 'h' }))]],
    ['a limit cut it', [{ ...OPEN, options: { isTruncated: true } }, {}, {}, {}]],
    ['a limit may have cut its turn', [{ ...OPEN, options: { limits: { max_completion_length: 30 } } }, {}, {}, {}]],
    ['others are answered by another', [ASKED_AND_OPEN, {}, {}, {}]],
    ['only one has its own', [OPEN, {}]],
  ])('is nothing to name where %s', async (_, rows) => {
    expect((await named(rows)).records).toEqual([])
  })
})
