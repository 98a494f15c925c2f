import { describe, expect, it } from 'vitest'
import { type SearchChanges, searchRow } from '../fixtures/checks/fixture.ts'
import { assistant, call, type RecordOptions, type TurnSpec, tool, user } from '../helpers/conversation.ts'
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

describe('calls of a rollout that lack their end tokens where others of it have theirs', () => {
  /** A rollout of two calls and an answer. */
  async function twoCalls(first: Partial<TurnSpec>, second: Partial<TurnSpec>): Promise<Row> {
    const text = `Once more.\n${call(await qwen(), 'search', { query: 'the same' })}`
    const after = () => [tool('Nothing more.'), assistant('So it stays.')]
    return { changes: { call: first, answer: { text, ...second }, after } }
  }
  const open: Partial<TurnSpec> = { end: false }
  const times = (count: number, row: Row, group?: string): Row[] =>
    Array.from({ length: count }, (_, i) => ({ ...row, group: group ?? `g${i}` }))

  it('are named where the later ones lack theirs in many rollouts', async () => {
    const { made, findings } = await named(times(12, await twoCalls({}, open)))
    expect(findings).toHaveLength(12)
    const second = made[0]!.layout.filter(({ role }) => role === 'assistant')[1]!
    expect(findings[0]?.tokens).toEqual([second.contentEnd - 1, second.contentEnd])
    expect(findings[0]?.message).toContain('so it is in 12 rollouts')
  })

  it('are named where most siblings have theirs', async () => {
    const whole = await twoCalls({}, {})
    const { findings, records } = await named([whole, await twoCalls({}, open), whole, whole])
    expect(records).toEqual([1])
    expect(findings[0]?.message).toContain('Some of its calls have no end token')
  })

  it('are nothing to name where a string ends calls before their end tokens now and then', async () => {
    const rows = [...times(10, await twoCalls({}, open)), ...times(10, await twoCalls(open, {}))]
    expect((await named(rows)).records).toEqual([])
  })

  it.each<[string, Partial<TurnSpec>, Partial<TurnSpec>]>([
    ['the first turn calls nothing', { text: 'Shall I look it up?' }, open],
    ['the first was written by others', { train: false }, open],
    ['the loss leaves the end of the first out', { train: { end: false } }, open],
    [
      'the later ones stop on the tag, and it is left out',
      {},
      { ...open, text: 'So.\n<tool_call>\n{"name": "search", "arguments": {}}' },
    ],
    ['the later ones are no calls', {}, { ...open, text: 'I cannot say yet.' }],
  ])('are nothing to name where %s', async (_, first, second) => {
    expect((await named(times(12, await twoCalls(first, second)))).records).toEqual([])
  })

  it('are nothing to name in few rollouts, which may fall so by chance', async () => {
    expect((await named(times(9, await twoCalls({}, open)))).records).toEqual([])
  })
})
