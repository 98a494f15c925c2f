import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { auditDump } from '../checks/audit.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

const END = 151645

/** Rollouts of an environment that end with one id, each as long as no other. */
const rows = (environment: string, finishReasons: readonly string[], more: Partial<TrajectoryFacts> = {}) =>
  finishReasons.map((finishReason, i) =>
    factsOf(i, {
      environment,
      finishReason,
      lastToken: END,
      realLength: 200 + 7 * i,
      assistantLengths: [30, 30 + 7 * i],
      ...(finishReason === 'length' ? { flaggedEnd: [199 + 7 * i, 200 + 7 * i] as const } : {}),
      ...more,
    }),
  )
const others = ['math', 'chat', 'search'].flatMap((name) => rows(name, Array<string>(8).fill('stop')))
const placed = (facts: readonly TrajectoryFacts[]) =>
  facts.map((row, record) => ({ ...row, place: { source: 0, record, part: 0 } }))
const say = (facts: readonly TrajectoryFacts[]) => runOver('C05', dumpOf(placed(facts)))
const length = (rollouts: number) => Array<string>(rollouts).fill('length')

describe('an environment that says of all its rollouts that they reached a limit', () => {
  it('is told of, at their end tokens, where those of others end with the same token and stopped', () => {
    const { findings, tally } = say([...rows('code', length(8)), ...others])
    expect(tally).toMatchObject({ checked: 8, affected: 8 })
    expect(findings[0]).toMatchObject({
      severity: 'error',
      record: 0,
      tokens: [199, 200],
      message: `The rollout is flagged as truncated and ends with token ${END}, as 8 of 8 of environment code that end so are`,
      evidence: {
        environment: 'code',
        flagged_in_environment: 8,
        of_rollouts: 8,
        flags_by_last_token: [{ last_token: END, rollouts: 32, flagged: 8 }],
      },
    })
  })

  it('is told of as part of the dump where all of it does', () => {
    const { findings, tally } = say([...rows('code', length(8)), ...rows('math', length(8))])
    expect(tally).toMatchObject({ affected: 16 })
    expect(findings[0]?.message).toContain('as 16 of 16 that end so are')
  })

  it.each<[string, TrajectoryFacts[]]>([
    ['some of its rollouts stopped', rows('code', [...length(7), 'stop'])],
    ['they are two', rows('code', length(2))],
    [
      'they are flagged alone, which it may do for other reasons',
      rows('code', length(8), { finishReason: null, isTruncated: true }),
    ],
    ['they end in a call, whose answer did not fit', rows('code', length(8)).map(({ flaggedEnd: _, ...row }) => row)],
    ['they are as long as each other', rows('code', length(8), { assistantLengths: [96] })],
    ['they are as long as each other with their prompts', rows('code', length(8), { realLength: 512 })],
    ['nobody says of which environment they are', rows('code', length(8)).map(({ environment: _, ...row }) => row)],
  ])('is not told of where %s', (_, own) => {
    expect(say([...own, ...others]).findings).toEqual([])
  })

  it('is told of where its answers are of one word', () => {
    expect(say([...rows('code', length(8), { assistantLengths: [2] }), ...others]).tally.affected).toBe(8)
  })
})

it('an end token is shown where the rollout is flagged as cut, and not where it calls a tool', async () => {
  const { byCode, views } = await auditDump({
    story: '',
    family: 'qwen2.5',
    rows: (tokenizer) => [
      ...[0, 1, 2].map((i) => searchRow(tokenizer, i, {}, { finishReason: 'length' })),
      searchRow(
        tokenizer,
        3,
        { answer: { text: 'Look.<tool_call>\n{"name": "search"}\n</tool_call>' } },
        { finishReason: 'length' },
      ),
    ],
  })
  const shown = byCode
    .get('C05')
    ?.findings.map(({ tokens, record }) => tokens && views[record ?? 0]?.text({ start: tokens[0], end: tokens[1] }))
  expect(shown).toEqual(['<|im_end|>', '<|im_end|>', '<|im_end|>', null])
})

it.each([
  ['the trainer denies that it was sampled', -9, 0, []],
  ['the trainer agrees', -0.001, 0, [0, 1, 2]],
  ['the sampler has no logprob for it', -9, null, []],
] as const)('an end token behind what a limit had cut is no wrong flag where %s', async (_, trainer, sampler, found) => {
  const { byCode } = await auditDump({
    story: '',
    family: 'qwen2.5',
    rows: (tokenizer) =>
      [0, 1, 2].map((i) => {
        const row = searchRow(tokenizer, i, {}, { finishReason: 'length', logprobs: 'both' })
        const at = row.layout[4]!.endToken
        Object.assign(row.record.logprobs!.sampler!, { [at]: sampler })
        Object.assign(row.record.logprobs!.trainer!, { [at]: trainer })
        return row
      }),
  })
  expect(byCode.get('C05')?.findings.map(({ record }) => record)).toEqual(found)
})
