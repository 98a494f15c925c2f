import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { toldEnds } from '../../shared/checks/truncation/told-ends.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { foundBy } from '../helpers/found.ts'
import { verdictOf } from '../hypotheses/input.ts'

const OPEN = { endReason: 'cut-prose' } as const
const LIMITS = { max_seq_len: 4000 }

/** Rollouts without an end token, as given, beside so many that have one; no two are equally long, which would show a limit. */
const rows = (open: readonly Partial<TrajectoryFacts>[], closed = 0) =>
  [...open.map((more) => ({ ...OPEN, ...more })), ...Array<object>(closed).fill({})].map((more, i) =>
    factsOf(i, { realLength: 200 + 7 * i, assistantLengths: [30, 30 + 3 * i], ...more }),
  )

const openIn = (facts: readonly TrajectoryFacts[]) =>
  [...toldEnds(dumpOf(facts, { limits: LIMITS })).open].map(({ place }) => place.record)

describe('ends that tell nothing', () => {
  it('are those without a token that none has, and without a word', () => {
    expect(openIn(rows([{}, { isTruncated: false }, {}]))).toEqual([0, 1, 2])
    expect(openIn(rows([{}, {}, {}], 2))).toEqual([0, 1, 2])
  })

  it('are not those of a few beside others that have one', () => {
    expect(openIn(rows([{}, {}, {}], 3))).toEqual([])
  })

  it('are those that end alike beside more that have one, as where a string stops the run', () => {
    const alike = Array<object>(4).fill({ lastToken: 29 })
    expect(openIn(rows([...alike, { lastToken: 11 }], 20))).toEqual([0, 1, 2, 3])
    expect(openIn(rows(alike.slice(1), 20))).toEqual([])
  })

  it('are not those that end alike as a few of many do', () => {
    const open = Array.from({ length: 20 }, (_, i) => ({ lastToken: i < 4 ? 29 : i }))
    expect(openIn(rows(open, 40))).toEqual([])
  })

  it('are not those that the dump calls cut, that reach a limit, or that break off in a call', () => {
    const told = [{ isTruncated: true }, { finishReason: 'length' }, { realLength: 3995 }, { endReason: 'cut-call' }]
    expect(openIn(rows([{}, ...(told as Partial<TrajectoryFacts>[])]))).toEqual([0])
  })
})

describe('a dump whose writer leaves out the last end token', () => {
  const dump = dumpOf(rows(Array<object>(40).fill({ isTruncated: false })), { limits: LIMITS })

  it('lost no text for that', () => {
    const { verdict, because } = verdictOf('H04', dump)
    expect(verdict).not.toBe('supported')
    expect(because.map(({ measure }) => measure)).not.toContain('share of rollouts that lost text')
    expect(foundBy(dump, { lostText: true })).toEqual([])
  })

  it('did where it says that rollouts were cut, and the list shows these', () => {
    const facts = rows(Array.from({ length: 40 }, (_, i) => (i < 8 ? { finishReason: 'length' } : {})))
    const cut = dumpOf(facts, { limits: LIMITS })
    expect(verdictOf('H04', cut)).toMatchObject({ verdict: 'supported' })
    expect(foundBy(cut, { lostText: true })).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('holds the few that a limit cut against all of its rollouts: only those tell of their ends', () => {
    const facts = rows(Array.from({ length: 40 }, (_, i) => (i < 2 ? { finishReason: 'length' } : {})))
    const { verdict, because } = verdictOf('H04', dumpOf(facts, { limits: LIMITS }))
    expect(verdict).toBe('inconclusive')
    expect(because).toContainEqual(
      expect.objectContaining({ measure: 'share of rollouts that lost text', value: 0.05 }),
    )
  })
})

describe('a completion limit that holds for each turn', () => {
  const turns = { isTruncated: false, assistantTurns: 3, promptLength: 100 }
  /** Another rollout is three times as long as what one turn may take. */
  const longer = factsOf(99, { ...turns, realLength: 580, assistantLengths: [150, 150, 150] })
  const say = (code: string, row: Partial<TrajectoryFacts>, limit = 160) =>
    runOver(
      code,
      dumpOf([...rows([{ ...turns, reward: 1, ...row }], 3), longer], { limits: { max_completion_length: limit } }),
    )

  it('is not reached by turns that are as long as it together', () => {
    expect(say('C05', { realLength: 260, assistantLengths: [40, 20, 60] }).tally).toMatchObject({ affected: 0 })
  })

  it('is reached by a rollout of as many tokens where it counts them all', () => {
    const whole = factsOf(98, { ...turns, realLength: 250, assistantLengths: [50, 50] })
    const facts = [...rows([{ ...turns, realLength: 260, assistantLengths: [40, 20, 60] }], 3), whole]
    const { findings, tally } = runOver('C05', dumpOf(facts, { limits: { max_completion_length: 160 } }))
    expect(tally).toMatchObject({ checked: 1, affected: 1 })
    expect(findings).toMatchObject([
      {
        record: 0,
        message:
          'The rollout is not flagged as truncated, and its last turn has no end token where max_completion_length 160 is reached',
        evidence: { limit: { name: 'max_completion_length', value: 160 } },
      },
    ])
  })

  it('explains no flag of a rollout whose turns are all shorter', () => {
    const flagged = (assistantLengths: readonly number[]) =>
      Array.from({ length: 8 }, (_, i) =>
        factsOf(i, { ...turns, isTruncated: true, lastToken: 7, realLength: 262, assistantLengths }),
      )
    const affected = (lengths: readonly number[]) =>
      runOver('C05', dumpOf([...flagged(lengths), longer], { limits: { max_completion_length: 160 } })).tally.affected
    expect(affected([40, 20, 60])).toBe(8)
    expect(affected([40, 155])).toBe(0)
  })
})

describe('a limit that nothing but the length of rollouts shows', () => {
  /** Seven rollouts of one length have no end token, and ten shorter ones have it. */
  const dump = (flag: Partial<TrajectoryFacts>, open: Partial<TrajectoryFacts>) =>
    dumpOf([
      ...Array.from({ length: 7 }, (_, i) =>
        factsOf(i, { ...flag, ...open, lastToken: 40 + i, reward: i % 2, realLength: 300, assistantLengths: [200] }),
      ),
      ...Array.from({ length: 10 }, (_, i) =>
        factsOf(7 + i, {
          ...flag,
          endsClosed: true,
          reward: 1,
          realLength: 200 + 7 * i,
          assistantLengths: [100 + 7 * i],
        }),
      ),
    ])
  const faulty = { ...OPEN, endsClosed: false }
  const counts = (facts: ReturnType<typeof dump>) =>
    ['C05', 'C03'].map((code) => {
      const { findings } = runOver(code, facts)
      return findings.map(({ record }) => record)
    })

  it('contradicts a flag that says of them that they are whole, and a finish reason that says that they stopped', () => {
    const all = [0, 1, 2, 3, 4, 5, 6]
    expect(counts(dump({ isTruncated: false }, faulty))).toEqual([all, [1, 3, 5]])
    expect(counts(dump({ finishReason: 'stop' }, { endsClosed: false }))).toEqual([all, [1, 3, 5]])
  })

  it('says nothing of rollouts that have their end token', () => {
    expect(counts(dump({ isTruncated: false }, { endsClosed: true }))).toEqual([[], []])
    expect(counts(dump({ finishReason: 'stop' }, { endsClosed: true }))).toEqual([[], []])
  })
})

it('last turns that a string ended are not told as cut, but one beside them that ends otherwise is', () => {
  const open = [...Array<object>(5).fill({ trained: 30, lastToken: 29 }), { trained: 30, lastToken: 11 }]
  const dump = dumpOf(rows(open, 12).map((row) => ({ ...row, reward: 1 })))
  expect(runOver('C03', dump).findings.map(({ record }) => record)).toEqual([5])
})

it('a last turn without the end token that others have is told beside how many have one', () => {
  const { findings } = runOver('C03', dumpOf(rows([{ trained: 30 }], 3).map((row) => ({ ...row, reward: 1 }))))
  expect(findings.map(({ message }) => message)).toEqual([
    'The last turn has no end token, where 3 of 4 rollouts end theirs with one; it is trained with reward 1',
  ])
})
