import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import { TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { settings } from '../checks/audit.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { factsFrom } from './rollouts.ts'
import { logSoftmax, type SimulatedScores, shaken, simulate, viewOf } from './simulated.ts'

type Score = Parameters<typeof simulate>[2]

/** Logprobs of what these logits leave over of the k likeliest tokens. */
function topK(logits: readonly number[], k: number): number[] {
  const least = [...logits].sort((a, b) => b - a)[k - 1] as number
  return logSoftmax(logits.map((value) => (value >= least ? value : Number.NEGATIVE_INFINITY)))
}

const rolloutsOf = (count: number, scoreOf: (record: number) => Score, length = 80): SimulatedScores[] =>
  Array.from({ length: count }, (_, record) => simulate(700 + record, length, scoreOf(record)))

const filtered =
  (k: number, noise = 0.01): Score =>
  (at, next) => ({ sampler: topK(at, k), trainer: logSoftmax(shaken(at, next, noise)) })

const engines =
  ({
    sampler = 1,
    trainer = 1,
    noise = 0.01,
    drawn,
  }: {
    sampler?: number
    trainer?: number
    noise?: number
    drawn?: number
  }): Score =>
  (at, next) => ({
    from: logSoftmax(at, drawn ?? sampler),
    sampler: logSoftmax(shaken(at, next, noise), sampler),
    trainer: logSoftmax(shaken(at, next, noise), trainer),
  })

/** The trainer does not see what the sampler saw: of this share of the tokens it expects others. */
const elsewhere =
  (share: number): Score =>
  (at, next) => {
    const other = next() < share ? at.map((own, i) => (own + (at[(i + 7) % at.length] as number)) / 2) : at
    return { sampler: logSoftmax(at), trainer: logSoftmax(shaken(other, next, 0.01)) }
  }

const L01 = checkByCode('L01')!

/** What the checks name; L01 by single rollouts and over all of them. */
function named(scores: readonly SimulatedScores[], more: (record: number) => Partial<TrajectoryFacts> = () => ({})) {
  const dump = dumpOf(factsFrom(scores, more))
  const alone = scores.filter((each) => {
    const view = { ...viewOf(each), facts: factsOf(0), weights: null }
    const reporter = new TrajectoryReporter(L01, view, settings())
    L01.trajectory?.(view, settings(), reporter)
    return reporter.finish().findings.length > 0
  })
  return {
    L01: alone.length + runOver('L01', dump).findings.length,
    L03: runOver('L03', dump).findings.length,
    L04: runOver('L04', dump).findings,
  }
}

describe('a sampler whose logprobs are those of what top-k left over', () => {
  it.each([
    [2, 0.01],
    [2, 0.1],
    [3, 0.01],
    [5, 0.01],
  ])('is told by all rollouts together, and not as a mismatch beside it: k = %i, noise of %f', (k, noise) => {
    const { L01: mismatches, L03: temperatures, L04: found } = named(rolloutsOf(32, () => filtered(k, noise)))
    expect([mismatches, temperatures, found.length]).toEqual([0, 0, 32])
    expect(found[0]?.message).toMatch(
      /^The sampler is above the trainer by 0\.\d+ a token on average over 80 tokens, \d+ of them at exactly 0; of what the two differ by in all 32 rollouts \d[\d.]+ % is on the sampler’s side/,
    )
    expect(found[0]).toMatchObject({
      tokens: [0, 80],
      evidence: { rollouts: 32, share_exact_zero: expect.any(Number) },
    })
  })

  it('where most rollouts have it', () => {
    const { L01: mismatches, L04: found } = named(
      rolloutsOf(40, (record) => (record < 38 ? filtered(3) : engines({ noise: 0.02 }))),
    )
    expect(mismatches).toBe(0)
    expect(found.map(({ record }) => record)).toEqual(Array.from({ length: 38 }, (_, record) => record))
  })

  it.each([
    ['two of 64 rollouts', rolloutsOf(64, (record) => (record < 2 ? filtered(3) : engines({ noise: 0.02 }))), 2],
    ['too few rollouts', rolloutsOf(7, () => filtered(3)), 7],
    ['too few tokens', rolloutsOf(8, () => filtered(3), 30), 8],
    [
      'copies of a few',
      Array.from({ length: 40 }, (_, record) => rolloutsOf(4, () => filtered(3))[record % 4] as SimulatedScores),
      40,
    ],
  ])('%s are a mismatch as before', (_name, scores, mismatches) => {
    expect(named(scores)).toMatchObject({ L01: mismatches, L04: [] })
  })
})

describe('what is above the trainer for another reason', () => {
  it.each([
    ['engines that agree', engines({ noise: 0.02 })],
    ['noise', engines({ noise: 0.3 })],
    ['much noise', engines({ noise: 1.5 })],
    ['a sampler at a temperature of 0.7', engines({ sampler: 0.7 })],
    ['a sampler at a temperature of 0.2', engines({ sampler: 0.2 })],
    ['a sampler at a temperature of 1.3', engines({ sampler: 1.3 })],
    ['a trainer at a temperature of 1.3', engines({ trainer: 1.3 })],
    ['a trainer at a temperature of 2', engines({ trainer: 2 })],
    ['a trainer that sees something else now and then', elsewhere(0.1)],
    ['a trainer that sees something else', elsewhere(1)],
  ])('%s', (_name, score) => {
    expect(named(rolloutsOf(64, () => score)).L04).toEqual([])
  })

  /** The sampler takes what is likely, reports what it was before that, and the trainer is flatter. */
  const sharper = engines({ drawn: 0.3, trainer: 1.3 })

  it('draws at a low temperature that the rollouts declare, of which a flatter trainer finds nearly every token less likely', () => {
    const scores = rolloutsOf(32, () => sharper)
    expect(named(scores, () => ({ temperature: 0.3 })).L04).toEqual([])
  })

  it('a gap that grows step by step', () => {
    const late = (record: number): Score => {
      const step = record % 12
      return (at, next) => ({
        sampler: step < 3 ? logSoftmax(shaken(at, next, 0.01)) : topK(at, 14 - step),
        trainer: logSoftmax(shaken(at, next, 0.01)),
      })
    }
    const scores = rolloutsOf(96, late)
    expect(named(scores).L04.length).toBeGreaterThan(48)
    expect(named(scores, (record) => ({ step: record % 12 })).L04).toEqual([])
  })
})
