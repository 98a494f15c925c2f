import { describe, expect, it } from 'vitest'
import { checkByCode } from '../../shared/checks/registry.ts'
import { TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { settings } from '../checks/audit.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { factsFrom } from './rollouts.ts'
import { logSoftmax, random, type SimulatedScores, shaken, simulate, viewOf } from './simulated.ts'

type Score = Parameters<typeof simulate>[2]

const rolloutsOf = (count: number, scoreOf: (record: number) => Score, length = 120): SimulatedScores[] =>
  Array.from({ length: count }, (_, record) => simulate(2300 + record, length, scoreOf(record)))

/** At each place the sampler's number is that of the likeliest token. */
const ofMostLikely =
  (temperature = 1): Score =>
  (at, next) => {
    const own = logSoftmax(shaken(at, next, 0.01), temperature)
    const most = Math.max(...own)
    return { from: own, sampler: own.map(() => most), trainer: logSoftmax(shaken(at, next, 0.01), temperature) }
  }

/** What the `k` likeliest tokens, or as few as have a probability of `mass`, leave over. */
const leftOver =
  (k: number, mass = 1): Score =>
  (at, next) => {
    const own = logSoftmax(at)
    const sorted = [...own].sort((a, b) => b - a)
    let sum = 0
    const nucleus = sorted.findIndex((value) => (sum += Math.exp(value)) >= mass) + 1 || sorted.length
    const least = sorted[Math.min(k, nucleus) - 1] as number
    return {
      sampler: logSoftmax(own.map((value) => (value >= least ? value : Number.NEGATIVE_INFINITY))),
      trainer: logSoftmax(shaken(at, next, 0.01)),
    }
  }

/** Engines whose logits differ by `noise`, and of some tokens (`share`) by what another context, or another expert, makes of them. */
const engines =
  ({ noise = 0.01, share = 0, sampler = 1, trainer = 1 }): Score =>
  (at, next) => {
    const other = next() < share ? at.map((own, i) => (own + (at[(i + 7) % at.length] as number)) / 2) : at
    return {
      from: logSoftmax(at, sampler),
      sampler: logSoftmax(shaken(at, next, noise), sampler),
      trainer: logSoftmax(shaken(other, next, noise), trainer),
    }
  }

function named(scores: readonly SimulatedScores[]) {
  const dump = dumpOf(factsFrom(scores))
  const counts = Object.fromEntries(
    ['L01', 'L03', 'L04', 'L06'].map((code) => {
      const check = checkByCode(code)!
      const alone = scores.filter((each) => {
        const view = { ...viewOf(each), facts: factsOf(0), weights: null }
        const reporter = new TrajectoryReporter(check, view, settings())
        check.trajectory?.(view, settings(), reporter)
        return reporter.finish().findings.length > 0
      })
      return [code, alone.length + runOver(code, dump).findings.length]
    }),
  )
  return { ...counts, message: runOver('L06', dump).findings[0]?.message } as Record<string, unknown>
}

describe('a sampler that gives the logprob of the most likely token at each place', () => {
  it.each([1, 0.7])('is told by all rollouts together, and as nothing else: temperature %f', (temperature) => {
    const found = named(rolloutsOf(32, () => ofMostLikely(temperature)))
    expect(found).toMatchObject({ L01: 0, L03: 0, L04: 0, L06: expect.any(Number) })
    // The others hold no token that is unlikely.
    expect(found.L06).toBeGreaterThanOrEqual(24)
    expect(found.message).toMatch(
      /^The sampler's logprobs are those of the most likely token at each place, sampled or not: \d+ of \d+ tokens? that the trainer finds unlikely ha/,
    )
  })

  it.each([
    ['two of 64 rollouts', rolloutsOf(64, (record) => (record < 2 ? ofMostLikely() : engines({})))],
    ['too few rollouts', rolloutsOf(7, () => ofMostLikely())],
  ])('%s are not sure', (_name, scores) => {
    expect(named(scores)).toMatchObject({ L04: 0, L06: 0 })
  })
})

describe('what lies above the trainer for another reason', () => {
  it.each([
    ['top-k of 2', () => leftOver(2)],
    ['top-k of 3', () => leftOver(3)],
    ['top-k of 10', () => leftOver(10)],
    ['top-p of 0.9', () => leftOver(40, 0.9)],
    ['top-p of 0.5', () => leftOver(40, 0.5)],
    ['another context', () => engines({ share: 1 })],
    ['another context for some tokens', () => engines({ share: 0.15 })],
    ['noise with a fat tail', () => engines({ share: 0.02 })],
    ['a trainer that is flatter', () => engines({ trainer: 1.4 })],
    ['a trainer that is sharper', () => engines({ trainer: 0.5 })],
    ['a sampler that is sharper', () => engines({ sampler: 0.3 })],
    ['a sampler of other weights', () => engines({ noise: 1 })],
    [
      'logprobs that are cut off from below',
      (): Score => (at, next) => {
        const own = logSoftmax(at)
        return {
          from: own,
          sampler: own.map((value) => Math.max(value, -1)),
          trainer: logSoftmax(shaken(at, next, 0.01)),
        }
      },
    ],
  ])('is no other token: %s', (_name, scoreOf) => {
    expect(named(rolloutsOf(32, scoreOf)).L06).toBe(0)
  })

  it('is no other token: a trainer that divides logprobs of a sure policy by a temperature', () => {
    const scores = Array.from({ length: 16 }, (_, record): SimulatedScores => {
      const next = random(record)
      // Of ten tokens one is unlikely, by as much as chance has it.
      const sampler = Array.from({ length: 200 }, (_, at) => (at % 10 === 0 ? -1.9 - 2 * next() : -0.06 * next()))
      return { sampler, trainer: sampler.map((value) => value / 0.6 + 0.002 * (next() - 0.5)) }
    })
    expect(named(scores)).toMatchObject({ L01: 0, L03: 16, L04: 0, L06: 0 })
  })
})
