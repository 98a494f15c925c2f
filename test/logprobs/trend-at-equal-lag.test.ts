import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { gapTrends } from '../../shared/checks/logprobs/trend.ts'
import { resolveThresholds } from '../../shared/model/thresholds/registry.ts'
import { auditTrajectories } from '../checks/audit.ts'
import { scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { resultOf, verdictOf } from '../hypotheses/input.ts'

interface At {
  readonly mean: number
  /** Σ −logprob of the sampler over the 100 tokens. */
  readonly surprise?: number
  readonly version?: number
}

/** Two rollouts a step, of 100 tokens each. */
const run = (steps: number, at: (step: number) => At): TrajectoryFacts[] =>
  Array.from({ length: 2 * steps }, (_, row) => {
    const step = row >> 1
    const { mean, surprise = 50, version } = at(step)
    return factsOf(row, {
      step,
      gap: {
        count: 100,
        sum: 2,
        absolute: 100 * mean,
        squares: 200 * mean * mean,
        largest: 2 * mean,
        trainerSum: -surprise - 2,
        samplerValues: 80,
        samplerHash: row.toString(16).padStart(16, '0'),
      },
      ...(version === undefined ? {} : { version }),
    })
  })

const trendOf = (facts: readonly TrajectoryFacts[]) => gapTrends(facts, resolveThresholds({}))[0]
const L08 = (facts: readonly TrajectoryFacts[]) => runOver('L08', dumpOf(facts))
const verdict = (facts: readonly TrajectoryFacts[], severity: 'error' | 'warning' | null) =>
  verdictOf('H06-lora', dumpOf(facts), {
    checks: [severity === null ? resultOf('L08') : resultOf('L08', { affected: facts.length / 2, severity })],
  })

/** Lags 0, 1, 2, 3, and 4 from then on. */
const lag = (step: number) => Math.min(step, 4)
const byLag = (step: number) => 0.01 + 0.02 * lag(step) + 0.0001 * ((step * 5) % 7)
const rising = (step: number) => 0.01 + 0.02 * step

describe('a gap that grows with the lag of an asynchronous run', () => {
  const starting = run(8, (step) => ({ mean: byLag(step), version: 10 + step - lag(step) }))

  it('is no sampler without new weights where the versions follow the step', () => {
    expect(trendOf(starting)).toMatchObject({ grows: false, follows: true, rank: null })
    expect(L08(starting).findings).toEqual([])
    const { verdict: falls, because, missing } = verdict(starting, null)
    expect(falls).toBe('inconclusive')
    expect(because.map(({ speaks }) => speaks)).not.toContain('for')
    expect(missing).toEqual([
      expect.stringMatching(/^enough training steps at which the sampler lags no further behind/),
    ])
  })

  it('is told at an equal lag where the run has been full for long enough', () => {
    const full = run(16, (step) => ({ mean: byLag(step), version: 10 + step - lag(step) }))
    const trend = trendOf(full)
    expect(trend).toMatchObject({ grows: false, follows: true })
    expect(Math.abs(trend?.rank ?? 1)).toBeLessThan(0.5)
  })

  it.each([
    ['no rollout names its version', () => undefined],
    ['every rollout names the same version', () => 10],
    ['the versions stand still after the first step', (step: number) => (step === 0 ? 9 : 10)],
    ['the versions fall further behind to the end', (step: number) => 10 + step / 2],
  ])('is L08 where %s', (_, version: (step: number) => number | undefined) => {
    const facts = run(12, (step) => {
      const at = version(step)
      return { mean: rising(step), ...(at === undefined ? {} : { version: at }) }
    })
    expect(trendOf(facts)).toMatchObject({ grows: true, follows: false })
    const { findings } = L08(facts)
    expect(findings).toHaveLength(12)
    expect(findings[0]?.severity).toBe('error')
    expect(verdict(facts, 'error').verdict).toBe('supported')
  })

  it('is judged over all steps where one rollout does not name its version', () => {
    const facts = run(12, (step) => ({ mean: rising(step), version: step }))
    expect(trendOf(facts)).toMatchObject({ follows: true })
    const { version: _, ...unnamed } = facts[5] as TrajectoryFacts
    expect(trendOf(facts.with(5, unnamed))).toMatchObject({ grows: true, follows: false })
  })
})

describe('a gap that grows at an equal lag', () => {
  const facts = run(12, (step) => ({ mean: rising(step), version: step - 1 + 10 }))

  it('is a warning: larger updates, or weights that do not arrive under their number', () => {
    expect(trendOf(facts)).toMatchObject({ grows: true, follows: true, rank: 1 })
    const { findings } = L08(facts)
    expect(findings).toHaveLength(12)
    expect(findings[0]).toMatchObject({
      severity: 'warning',
      message: expect.stringMatching(
        /, at steps that lag no further behind, though the policy versions say that new weights arrive$/,
      ),
    })
  })

  it('neither supports nor contradicts H06-lora', () => {
    const { verdict: falls, because } = verdict(facts, 'warning')
    expect(falls).toBe('inconclusive')
    expect(because.map(({ speaks }) => speaks)).not.toContain('for')
    expect(because.map(({ measure }) => measure)).toContainEqual(expect.stringMatching(/^present: .*\(L08\)/))
  })
})

describe('text that grows less certain', () => {
  const noise = (step: number) => 0.001 * ((step * 5) % 3)

  it('has larger gaps, and no sampler without new weights', () => {
    const facts = run(12, (step) => ({ mean: 0.02 + 0.004 * step, surprise: 30 + 6 * step }))
    expect(trendOf(facts)).toMatchObject({ grows: false, rankOf: 'gap-by-surprise' })
    expect(L08(facts).findings).toEqual([])
    const { verdict: falls, because } = verdict(facts, null)
    expect(falls).toBe('inconclusive')
    expect(because.map(({ measure }) => measure)).toContainEqual(
      expect.stringMatching(/^rank correlation of the gap per nat of surprise with the step, over 12 steps$/),
    )
  })

  it('does not hide a gap that grows faster than it', () => {
    const facts = run(12, (step) => ({ mean: rising(step) + noise(step), surprise: 30 + 2 * step }))
    expect(trendOf(facts)).toMatchObject({ grows: true, rankOf: 'gap' })
    expect(L08(facts).findings).toHaveLength(12)
  })

  it('cannot be told of where the sampler claims certainty', () => {
    expect(trendOf(run(12, (step) => ({ mean: rising(step), surprise: 0 })))).toMatchObject({ grows: true })
  })
})

it('takes the mean version of the trained tokens that name one', async () => {
  const rows = scoredRows((_, { record, sampled }, row) => {
    let k = 0
    if (row < 2) record.versions = sampled.map((flag) => (flag ? (row === 0 || k++ % 2 === 0 ? 7 : 8) : -1))
  })
  const tokenizer = await testTokenizer('qwen2.5')
  const trajectories = rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  const { views } = await auditTrajectories(trajectories, tokenizer)
  const [whole, mixed, none] = views.map(({ facts }) => facts)
  expect(whole?.version).toBe(7)
  expect(mixed?.version).toBeCloseTo(7.5, 1)
  expect(none).not.toHaveProperty('version')
})
