import { beforeAll, describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import type { RowQuery } from '../../shared/session/protocol.ts'
import { lengthHistogram, lengthsOf, queryRows } from '../../shared/session/query.ts'
import type { Session } from '../../shared/session/session.ts'
import { factsOf } from '../helpers/facts.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'

const ROWS: readonly Partial<TrajectoryFacts>[] = [
  { id: 'q10', group: 'b', step: 3, reward: 0.5, advantage: -1, realLength: 300, trained: 30, turns: 3 },
  { id: 'q2', group: null, step: null, reward: null, advantage: null, realLength: 100, trained: null, turns: 5 },
  { id: 'Q1', group: 'a', step: 1, reward: 0.5, advantage: 2, realLength: 0, trained: 0, turns: 3 },
  { id: 'x', group: 'a10', step: 2, reward: Number.NaN, advantage: 0, realLength: 200, trained: 200, turns: 1 },
  {
    id: 'q3',
    group: 'a9',
    step: 2,
    reward: Number.POSITIVE_INFINITY,
    advantage: 0,
    realLength: 50,
    trained: 1,
    turns: 9,
  },
]
const CODES = [['M01'], [], ['M01', 'T05'], ['T05'], []]
const WORST = ['error', null, 'warning', 'info', null] as const
const REWARDS = [{ format: 1 }, null, { format: 0.5, answer: 2 }, { answer: Number.NaN }, null]
const PROMPTS = [100, 20, -1, null, 20]
const END: readonly TrajectoryFacts['endReason'][] = ['cut-prose', 'stop', 'unknown', 'stop', 'cut-call']

const table = {
  facts: ROWS.map((row, index) =>
    factsOf(index, {
      ...row,
      endReason: END[index] as TrajectoryFacts['endReason'],
      rewards: (REWARDS[index] ?? null) as TrajectoryFacts['rewards'],
      promptLength: PROMPTS[index] ?? null,
      ...(index === 1 ? { gap: { absolute: 4, count: 2 } as TrajectoryFacts['gap'] & object } : {}),
      ...(index === 3 ? { gap: { absolute: 9, count: 9 } as TrajectoryFacts['gap'] & object } : {}),
    }),
  ),
  codesOf: (index: number) => CODES[index] ?? [],
  worstOf: (index: number) => WORST[index] ?? null,
}
const ask = (query: RowQuery) => Array.from(queryRows(table, query))

describe('a query of rows', () => {
  it('that asks nothing is all of them in report order', () => {
    expect(ask({})).toEqual([0, 1, 2, 3, 4])
    expect(ask({ descending: true })).toEqual([4, 3, 2, 1, 0])
    expect(ask({ sort: 'index', descending: true, only: [1, 3] })).toEqual([3, 1])
  })

  it.each<[RowQuery['sort'] & string, number[], number[]]>([
    // Numbers inside names count as numbers; rows without a value come last either way; equal ones keep their order.
    ['id', [2, 1, 4, 0, 3], [3, 0, 4, 1, 2]],
    ['group', [2, 4, 3, 0, 1], [0, 3, 4, 2, 1]],
    ['step', [2, 3, 4, 0, 1], [0, 3, 4, 2, 1]],
    ['reward', [0, 2, 4, 1, 3], [4, 0, 2, 1, 3]],
    ['advantage', [0, 3, 4, 2, 1], [2, 3, 4, 0, 1]],
    ['tokens', [2, 4, 1, 3, 0], [0, 3, 1, 4, 2]],
    ['trained', [4, 0, 3, 1, 2], [3, 0, 4, 1, 2]],
    ['turns', [3, 0, 2, 1, 4], [4, 1, 0, 2, 3]],
    ['end', [1, 3, 0, 4, 2], [2, 4, 0, 1, 3]],
    ['findings', [1, 4, 0, 3, 2], [2, 0, 3, 1, 4]],
    ['worst', [1, 4, 3, 2, 0], [0, 2, 3, 1, 4]],
    ['prompt', [1, 4, 0, 2, 3], [0, 1, 4, 2, 3]],
    ['gap', [3, 1, 0, 2, 4], [1, 3, 0, 2, 4]],
    ['kl', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]],
    ['reward.format', [2, 0, 1, 3, 4], [0, 2, 1, 3, 4]],
    ['reward.answer', [2, 0, 1, 3, 4], [2, 0, 1, 3, 4]],
    ['reward.constructor', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]],
  ])('sorts by %s', (sort, ascending, descending) => {
    expect(ask({ sort })).toEqual(ascending)
    expect(ask({ sort, descending: true })).toEqual(descending)
  })

  it('keeps those with one of several findings', () => {
    expect(ask({ findings: ['M01'] })).toEqual([0, 2])
    expect(ask({ findings: ['T05', 'M01'] })).toEqual([0, 2, 3])
    expect(ask({ findings: ['M99'] })).toEqual([])
    expect(ask({ findings: [] })).toHaveLength(5)
  })

  it('finds ids and groups by any part of them', () => {
    expect(ask({ text: ' q1 ' })).toEqual([0, 2])
    expect(ask({ text: 'A' })).toEqual([2, 3, 4])
    expect(ask({ text: 'null' })).toEqual([])
    expect(ask({ text: '.' })).toEqual([])
  })

  it('keeps only those that are named, each once, and none that is not there', () => {
    expect(ask({ only: [4, 4, 0, 17, -1, 0.5] })).toEqual([0, 4])
    expect(ask({ only: [] })).toEqual([])
  })

  it('joins all that it asks', () => {
    expect(ask({ only: [0, 2, 3], findings: ['M01'], text: 'q', sort: 'tokens' })).toEqual([2, 0])
    expect(ask({ where: { lostText: true }, sort: 'tokens' })).toEqual([4, 0])
  })
})

describe('a histogram of lengths', () => {
  it('has at most 48 round bins, and every length in its own', () => {
    for (const max of [0, 1, 47, 48, 95, 96, 4095, 131_071, 10_000_000]) {
      const { from, width, counts } = lengthHistogram([0, max])
      expect(from).toBe(0)
      expect(String(width)).toMatch(/^[125]0*$/)
      expect(counts.length).toBeLessThanOrEqual(48)
      expect(counts.at(-1)).toBe(max < width ? 2 : 1)
      expect(counts.reduce((a, b) => a + b)).toBe(2)
    }
    expect(lengthHistogram([])).toEqual({ from: 0, width: 1, counts: [] })
  })

  it('counts what it is asked about, and nothing where there is nothing', () => {
    const facts = [
      factsOf(0, { realLength: 90, promptLength: 40, assistantLengths: [3, 5], toolReplyLengths: [] }),
      factsOf(1, { length: 0, realLength: 0, promptLength: null, assistantLengths: [], toolReplyLengths: [7] }),
      factsOf(2, { realLength: 30, promptLength: -7, assistantLengths: [], toolReplyLengths: [] }),
    ]
    expect(lengthsOf(facts, 'sequence')).toEqual([90, 30])
    expect(lengthsOf(facts, 'prompt')).toEqual([40])
    expect(lengthsOf(facts, 'assistant-turn')).toEqual([3, 5])
    expect(lengthsOf(facts, 'tool-reply')).toEqual([7])
  })
})

describe('rows of a dump', () => {
  let session: Session
  beforeAll(async () => {
    const tokenizer = await qwen()
    session = await audited(
      lines([
        cleanRollout(tokenizer, 0, { group: 'a', groupSize: 2, reward: 0.5 }),
        rolloutWithTrainedReply(tokenizer, 1, { group: 'a', groupSize: 2, reward: 0.5 }),
        cleanRollout(tokenizer, 2, { reward: 0.5 }),
      ]),
    )
  })

  it('carry the codes of their own findings and of those of their group', async () => {
    expect(session.rows([0, 1, 2, 3, -1])).toMatchObject([
      { index: 0, codes: ['A01'], worst: 'info', facts: { id: 'rollout-0' } },
      { index: 1, codes: ['A01', 'M01'], worst: 'error' },
      { index: 2, codes: [], worst: null },
    ])
    expect(Array.from(session.query({ findings: ['A01'], sort: 'findings', descending: true }))).toEqual([1, 0])
    expect((await session.load(1)).findings.map(({ code }) => code)).toEqual(['A01', 'M01'])
    expect((await session.load(2)).findings).toEqual([])
  })

  it('are found by their place', () => {
    expect(session.facts.map(({ place }) => session.locate(place))).toEqual([0, 1, 2])
    expect(() => session.locate({ source: 0, record: 3, part: 0 })).toThrow('No rollout at source 0, record 3, part 0.')
    expect(() => session.locate({ source: 0, record: 1, part: 1 })).toThrow('No rollout')
    expect(() => session.locate({ source: 1, record: 0, part: 0 })).toThrow('No rollout')
  })
})
