import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { gapOf } from '../../shared/checks/logprobs/gap.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import { TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { settings } from '../checks/audit.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { factsFrom, rollouts } from './rollouts.ts'
import { logSoftmax, type SimulatedScores, shaken, simulate, viewOf } from './simulated.ts'

const named = (facts: readonly TrajectoryFacts[], code = 'L03') => runOver(code, dumpOf(facts)).findings

describe('a temperature that one engine has is one of the run', () => {
  it.each([
    [1, 0.7],
    [0.7, 1],
    [1, 0.8],
    [1, 0.9],
    [0.9, 1],
    [1, 1.1],
    [1, 1.25],
    [1.25, 1],
  ])('sampler at %f, trainer at %f: told in short rollouts by all of them', (sampler, trainer) => {
    const temperature = sampler === 1 ? trainer : sampler
    const facts = factsFrom(rollouts(32, { sampler, trainer }), () => ({ temperature }))
    const found = named(facts)
    expect(found.length).toBeGreaterThan(28)
    const { line_of, slope, rollouts: over } = found.find(({ evidence }) => evidence.rollouts !== 1)!.evidence
    expect([line_of, over]).toEqual(['odds', 32])
    const tilt = Math.log(slope as number) / Math.log(sampler / trainer)
    expect([tilt > 0.6, tilt < 1.3]).toEqual([true, true])
    expect(found[0]?.tokens).toEqual([0, 60])
  })

  it('a small one where the rollouts declare it, and else not', () => {
    const given = rollouts(64, { trainer: 0.95 })
    expect(named(factsFrom(given, () => ({ temperature: 0.95 }))).length).toBeGreaterThan(56)
    expect(named(factsFrom(given, () => ({ temperature: 0.6 })))).toEqual([])
    expect(named(factsFrom(given))).toEqual([])
  })

  it('few rollouts are not asked together', () => {
    const facts = factsFrom(rollouts(7, { trainer: 0.9 }), () => ({ temperature: 0.9 }))
    expect(named(facts)).toEqual([])
  })

  it('nor are copies of a few, whose noise is one', () => {
    const few = rollouts(6, { trainer: 0.9 })
    const copied = Array.from({ length: 60 }, (_, record) => few[record % few.length]!)
    expect(named(factsFrom(copied, () => ({ temperature: 0.9 })))).toEqual([])
  })

  it('rollouts of another declared temperature say nothing against it', () => {
    const facts = [
      ...factsFrom(rollouts(32, { trainer: 0.8 }), () => ({ temperature: 0.8 })),
      ...factsFrom(rollouts(400, {}), () => ({ temperature: 1 })),
    ]
    const found = named(facts)
    expect(found.length).toBeGreaterThan(28)
    expect(found.every(({ evidence }) => evidence.declared_temperature === 0.8)).toBe(true)
  })

  it('of rollouts of which most have it, those are named', () => {
    const facts = factsFrom(rollouts(64, (record) => ({ trainer: record < 48 ? 0.5 : 1 })))
    const found = named(facts).map(({ record }) => record as number)
    expect(found.length).toBeGreaterThan(44)
    expect(found.filter((record) => record >= 48)).toEqual([])
  })

  it('is there from the first step on: a policy that grows sharper than its sampler, step by step, has none', () => {
    const steps = 12
    const step = (record: number) => record % steps
    const ofSteps = (trainer: (step: number) => number) =>
      named(
        factsFrom(
          rollouts(96, (record) => ({ trainer: trainer(step(record)) })),
          (record) => ({ step: step(record) }),
        ),
      )
    const pooled = (found: ReturnType<typeof named>) => found.filter(({ evidence }) => evidence.rollouts !== 1)
    expect(pooled(ofSteps(() => 0.85)).length).toBeGreaterThan(80)
    expect(pooled(ofSteps((at) => 0.6 ** (at / (steps - 1))))).toEqual([])
  })
})

describe('noise of engines is no temperature', () => {
  /** Likely tokens that both find so, and a few unlikely ones that the trainer finds as much more likely. */
  const withUnlikely = (trainer: readonly number[]): SimulatedScores => {
    const likely = Array.from({ length: 40 }, (_, i) => -0.02 * (i % 9))
    const sampler = [...likely, ...trainer.map((_, i) => -6 + 0.3 * i)]
    return { sampler, trainer: [...likely.map((own, i) => own + 0.002 * ((i % 3) - 1)), ...trainer] }
  }

  it('one unlikely token decides no slope', () => {
    expect(gapOf(viewOf(withUnlikely([-5])))?.cause).not.toBe('temperature')
    const divided = withUnlikely([]).sampler.concat(-6, -5, -4.5, -4, -3, -2.5, -2, -1.5, -1)
    expect(gapOf(viewOf({ sampler: divided, trainer: divided.map((own) => own / 1.3) }))?.cause).toBe('temperature')
  })

  it.each([
    ['8-bit rollouts at 0.6', { sampler: 0.6, trainer: 0.6, samplerNoise: 0.2 }],
    ['8-bit rollouts', { samplerNoise: 0.4 }],
    ['a trainer some updates on', { trainerNoise: 0.4 }],
  ])('%s, in 1,000 short rollouts', (_, engines) => {
    const facts = factsFrom(rollouts(1000, { ...engines, length: 40 }), () => ({
      temperature: 'sampler' in engines ? engines.sampler : 1,
    }))
    expect(named(facts)).toEqual([])
  })

  it('a lone rollout of many with a line of its own is none, and two of 64 are', () => {
    const ofAll = (count: number, tilted: number) =>
      named(factsFrom(rollouts(count, (record) => (record < tilted ? { trainer: 0.5, length: 400 } : {})))).map(
        ({ record }) => record,
      )
    expect(ofAll(64, 2)).toEqual([0, 1])
    expect(ofAll(128, 1)).toEqual([])
    expect(ofAll(128, 2)).toEqual([0, 1])
  })

  it('what it differs by is a mismatch then', () => {
    const facts = factsFrom(rollouts(128, (record) => (record < 1 ? { trainer: 0.5, length: 400 } : {})))
    expect(named(facts, 'L01')).toMatchObject([{ record: 0, tokens: [0, 400], evidence: { threshold: 0.05 } }])
    expect(named(facts.slice(0, 64), 'L01')).toEqual([])
  })
})

describe('a rollout that is off, and whose tokens prove no temperature', () => {
  const L01 = checkByCode('L01')!
  const told = (given: readonly SimulatedScores[]) => {
    const alone = given.filter((scores) => {
      const view = { ...viewOf(scores), facts: factsOf(0), weights: null }
      const reporter = new TrajectoryReporter(L01, view, settings())
      L01.trajectory?.(view, settings(), reporter)
      return reporter.finish().findings.length > 0
    })
    return {
      alone: alone.length,
      together: named(factsFrom(given), 'L01').length,
      tilted: named(factsFrom(given)).length,
    }
  }

  it.each([
    [26, 0.5],
    [60, 0.5],
    [60, 0.8],
    [110, 0.7],
  ])('is one and no mismatch beside it, where all together have it (%i tokens, %f)', (length, trainer) => {
    const { alone, together, tilted } = told(rollouts(48, { trainer, length }))
    expect(tilted).toBeGreaterThan(44)
    expect(together).toBe(0)
    // A few tokens now and then lie on no line at all.
    expect(alone).toBeLessThan(4)
  })

  it.each([26, 60])('is a mismatch where they have none, whatever it looks like (%i tokens)', (length) => {
    const { alone, together, tilted } = told(rollouts(200, { trainerNoise: 0.8, length }))
    expect(tilted).toBe(0)
    expect(together).toBeGreaterThan(0)
    expect(alone).toBeGreaterThan(120)
    expect(alone + together).toBe(200)
  })

  it('is a mismatch where it leans alone', () => {
    const given = rollouts(64, (record) => ({ length: 26, ...(record < 2 ? { trainer: 0.5 } : {}) }))
    expect(told(given)).toMatchObject({ alone: 0, together: 2, tilted: 0 })
  })
})

describe('a sampler that tells of what a filter left is at no other temperature', () => {
  /** The logprobs of the likeliest tokens among themselves. */
  const kept = (logprobs: readonly number[], stays: (rank: number, before: number) => boolean) => {
    const order = logprobs.map((_, i) => i).sort((a, b) => (logprobs[b] as number) - (logprobs[a] as number))
    let before = 0
    const left = new Set<number>()
    for (const [rank, i] of order.entries()) {
      if (stays(rank, before)) left.add(i)
      before += Math.exp(logprobs[i] as number)
    }
    const mass = [...left].reduce((sum, i) => sum + Math.exp(logprobs[i] as number), 0)
    return logprobs.map((own, i) => (left.has(i) ? own - Math.log(mass) : -100))
  }

  it.each([
    ['top-k 2', (rank: number) => rank < 2],
    ['top-p 0.5', (_: number, before: number) => before < 0.5],
    ['top-p 0.7', (_: number, before: number) => before < 0.7],
  ])('%s', (_, stays) => {
    const given = Array.from({ length: 32 }, (_each, seed) =>
      simulate(seed + 1, 60, (at, next) => ({
        sampler: kept(logSoftmax(at), stays).map((own) => Math.round(own * 1e6) / 1e6),
        trainer: logSoftmax(shaken(at, next, 0.01)),
      })),
    )
    expect(named(factsFrom(given))).toEqual([])
  })
})
