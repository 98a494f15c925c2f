import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { toldEnds } from '../../shared/checks/truncation/told-ends.ts'
import { cutInDump } from '../../shared/session/lab/cut-in-dump.ts'
import { runSteps } from '../../shared/session/run-steps.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { foundBy } from '../helpers/found.ts'
import { verdictOf } from '../hypotheses/input.ts'

const LIMITS = { max_seq_len: 830 }
const STOP = { finishReason: 'stop', endsClosed: true } as const
const OPEN = { finishReason: 'stop', endsClosed: false, realLength: 830 } as const

/** Rollouts that are said to have stopped, far below the limit of the run and with their end tokens unless told otherwise. */
const dumpWith = (some: readonly Partial<TrajectoryFacts>[], closed: number) =>
  dumpOf(
    [...some, ...Array<object>(closed).fill({})].map((more, i) =>
      factsOf(i, {
        ...STOP,
        reward: i % 2,
        step: 1,
        realLength: 300 + i,
        assistantLengths: [30, 30 + i],
        lastToken: 40 + i,
        ...more,
      }),
    ),
    { limits: LIMITS },
  )
const two = dumpWith([OPEN, OPEN], 62)
const lostIn = (dump: typeof two) =>
  verdictOf('H04', dump).because.find(({ measure }) => measure === 'share of rollouts that lost text')

describe('a stop that stands at a limit without the end token that others have', () => {
  it('is no stop to the verdict, to the screens and to the lab', () => {
    expect(verdictOf('H04', two).verdict).toBe('inconclusive')
    expect(lostIn(two)).toMatchObject({ value: 2 / 64 })
    expect(lostIn(two)).not.toHaveProperty('speaks')
    expect(foundBy(two, { lostText: true })).toEqual([0, 1])
    expect(foundBy(two, { end: 'cut-prose' })).toEqual([0, 1])
    expect(foundBy(two, { end: 'stop' })).toHaveLength(62)
    expect(cutInDump(two)).toMatchObject({ rollouts: { cut: 2 }, answers: { of: 64, cut: 2 } })
    const { series } = runSteps(two.facts, two.settings.thresholds, [], toldEnds(two).refuted)
    expect(series.find(({ of }) => of === 'cut')?.values).toEqual([2 / 64])
  })

  it('splits the reward by how rollouts ended', () => {
    const { because } = verdictOf('H04', dumpWith(Array(9).fill({ ...OPEN, reward: -1 }), 20))
    const means = because.filter(({ measure }) => measure.startsWith('mean reward'))
    expect(means.map(({ measure, value }) => [measure, value])).toEqual([
      ['mean reward of the 20 rollouts that end properly', 0.5],
      ['mean reward of the 9 rollouts cut in prose', -1],
    ])
  })

  it('is punished as a parse error where all of them have a reward below every other (C06)', () => {
    const { findings } = runOver('C06', dumpWith(Array(9).fill({ ...OPEN, reward: -1 }), 20))
    expect(findings).toHaveLength(9)
    expect(findings[0]).toMatchObject({ evidence: { end: 'cut-prose', cut_rollouts: 9, closed_rollouts: 20 } })
  })
})

describe('a stop is believed', () => {
  it('below every limit, where it ends in the word that others end in: a string ended it', () => {
    const dump = dumpWith(Array(3).fill({ ...OPEN, realLength: 400, lastToken: 7 }), 61)
    expect(toldEnds(dump)).toMatchObject({ refuted: new Set(), doubted: new Set() })
    expect(verdictOf('H04', dump).verdict).toBe('contradicted')
    expect(foundBy(dump, { end: 'stop' })).toHaveLength(64)
  })

  it('of a writer that leaves the tokens out, in the row that is as long as the limit too', () => {
    const dump = dumpWith([OPEN, ...Array<object>(63).fill({ endsClosed: false, lastToken: 7 })], 0)
    expect(toldEnds(dump).refuted.size).toBe(0)
    expect(lostIn(dump)).toMatchObject({ value: 0 })
  })

  it('with its end token, however long the row is', () => {
    const dump = dumpWith([{ realLength: 830 }, { realLength: 829 }], 62)
    expect(lostIn(dump)).toMatchObject({ value: 0 })
    expect(verdictOf('H04', dump).verdict).toBe('contradicted')
  })
})

it('the one stop without the token that all others have may have lost more: nothing is contradicted, and nothing is called lost', () => {
  const dump = dumpWith([{ ...OPEN, realLength: 400 }], 63)
  const { verdict, missing } = verdictOf('H04', dump)
  expect(verdict).toBe('inconclusive')
  expect(lostIn(dump)).toMatchObject({ value: 0 })
  expect(missing).toContainEqual(expect.stringContaining('how 1 rollout ended: it is said to have stopped'))
  expect(foundBy(dump, { lostText: true })).toEqual([])
})
