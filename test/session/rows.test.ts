import { beforeAll, describe, expect, it } from 'vitest'
import { lengthHistogram, lengthsOf } from '../../shared/session/audit/lengths.ts'
import type { Session } from '../../shared/session/session.ts'
import { factsOf } from '../helpers/facts.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'

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
    expect([...(await session.search({ text: 'finding:A01', sort: 'findings', descending: true })).indices]).toEqual([
      1, 0,
    ])
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
