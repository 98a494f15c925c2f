import { describe, expect, it } from 'vitest'
import { checkByCode } from '../../shared/checks/registry.ts'
import { TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { settings } from '../checks/audit.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { factsFrom } from './rollouts.ts'
import { logSoftmax, type SimulatedScores, shaken, simulate, viewOf } from './simulated.ts'

const LENGTH = 120

/** The trainer finds every token less likely, `likelier` of them (a share) more likely instead; neither follows the sampler. */
const lower = (likelier: number) => (at: readonly number[], next: () => number) => {
  const sampler = logSoftmax(at)
  const gap = -2 * Math.log(1 - next())
  const isLikelier = next() < likelier
  return { sampler, trainer: sampler.map((own) => (isLikelier ? own / 10 : own - 0.5 - gap)) }
}

const noisy = (at: readonly number[], next: () => number) => ({
  sampler: logSoftmax(shaken(at, next, 0.6)),
  trainer: logSoftmax(shaken(at, next, 0.6)),
})

type Score = Parameters<typeof simulate>[2]

/** Rollouts that each code names, by themselves and beside the others. */
function named(scoreOf: (record: number) => Score, count = 24) {
  const scores: SimulatedScores[] = Array.from({ length: count }, (_, i) => simulate(4100 + i, LENGTH, scoreOf(i)))
  const dump = dumpOf(factsFrom(scores))
  return Object.fromEntries(
    ['L01', 'L02'].map((code) => {
      const check = checkByCode(code)!
      const alone = scores.flatMap((each, record) => {
        const view = { ...viewOf(each), facts: factsOf(0), weights: null }
        const reporter = new TrajectoryReporter(check, view, settings())
        check.trajectory?.(view, settings(), reporter)
        return reporter.finish().findings.length > 0 ? [record] : []
      })
      const beside = runOver(code, dump).findings.map(({ record }) => record as number)
      return [code, [...alone, ...beside].sort((a, b) => a - b)]
    }),
  )
}

const all = Array.from({ length: 24 }, (_, record) => record)
const others = all.slice(1)

describe('a rollout of a dump in which the trainer sees another context in nearly all', () => {
  it('has it too (L02) where a few fall short, by tokens that the trainer finds likelier', () => {
    expect(named((record) => lower(record % 8 === 0 ? 0.2 : 0))).toEqual({ L01: [], L02: all })
  })

  it('has a mismatch of its own (L01) where its gap lies on both sides', () => {
    expect(named((record) => (record === 0 ? noisy : lower(0)))).toEqual({ L01: [0], L02: others })
  })
})

it('a rollout of a dump without another context has a mismatch (L01), however far it lies on one side', () => {
  expect(named((record) => (record === 0 ? lower(0.2) : noisy))).toEqual({ L01: all, L02: [] })
})
