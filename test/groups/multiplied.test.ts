import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { SCHEME_NAMES } from '../../shared/checks/groups/scheme-words.ts'
import { fitAdvantages } from '../helpers/at-once.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { verdictOf } from '../hypotheses/input.ts'
import { stepScaleOf } from './step-scale.ts'

/** Their stds differ. */
const GRADED = [
  [0.62, 0.68, 0.71, 0.65],
  [1, 0, 0, 1],
  [0.2, 0.9, 0.4, 0.3],
  [0, 0, 0, 1],
  [0.5, 0.1, 0.9, 0.8],
]

function times(factor: number, scheme: AdvantageScheme, rewards = GRADED, of: Partial<TrajectoryFacts> = {}) {
  const step = stepScaleOf(rewards)
  const facts = groupFacts(rewards, (_, group, member) => ({
    ...of,
    advantage: factor * (recomputeAdvantages(scheme, rewards[group] as number[], 1e-4, step)[member] as number),
  }))
  return dumpOf(facts)
}

describe('advantages that are a constant times those of a formula', () => {
  it.each([
    [900, 'group-std-unbiased'],
    [0.01, 'group-std-biased'],
    [0.01, 'leave-one-out-std'],
    [30, 'group-std-unbiased'],
  ] as const)('are named with it: %d times %s', (factor, scheme) => {
    const dump = times(factor, scheme)
    const fit = fitAdvantages(dump)
    expect(fit).toMatchObject({ scheme, accepted: true, share: 1 })
    expect(fit?.factor).toBeCloseTo(factor, 5)
    const { tally, findings } = runOver('A04', dump)
    expect(tally).toMatchObject({ checked: 5, affected: 5 })
    expect(findings[0]?.message).toContain(`are ${factor} times “${SCHEME_NAMES[scheme]}” with eps 0.0001`)
    expect(findings[0]?.evidence.factor).toBeCloseTo(factor, 5)
  })

  it('exceed the bound where the constant is large, and speak for an unstable scaling then', () => {
    const { tally, findings } = runOver('A03', times(900, 'group-std-unbiased'))
    expect(tally).toMatchObject({ checked: 5, affected: 5 })
    expect(findings[0]?.evidence.factor).toBeCloseTo(900, 5)
    expect(runOver('A03', times(0.01, 'group-std-unbiased')).tally).toMatchObject({ checked: 5, affected: 0 })
    const h01 = verdictOf('H01', times(900, 'group-std-unbiased'))
    expect(h01.because.find(({ measure }) => measure === 'advantage scheme')?.value).toMatch(
      /^group-std-unbiased, eps 0\.0001, times 900 \(fits 100 % of 5 groups/,
    )
  })

  it('are in order where the constant may be a weight, and their bound is as many times as large', () => {
    for (const weight of [0.1, 0.5, 2, 4]) {
      const dump = times(weight, 'group-std-unbiased')
      expect(runOver('A04', dump).tally).toMatchObject({ checked: 5, affected: 0 })
      expect(runOver('A03', dump).tally).toMatchObject({ checked: 5, affected: 0 })
      const bound = verdictOf('H01', dump).because.find(({ measure }) => measure.startsWith('bound of'))
      expect(bound?.value).toBeCloseTo(1.5 * weight, 5)
    }
  })

  it.each([
    // The weight of a reward that is only centred.
    ['centre', 900, GRADED],
    ['leave-one-out', 0.01, GRADED],
    ['none', 900, GRADED],
    // All rewards are those of one step: its std is a constant itself.
    ['batch-std', 900, GRADED],
    ['batch-mean-std', 900, GRADED],
    // One success or one failure of four: every group has the same std.
    ['group-std-unbiased', 900, [1, 0, 1, 1, 0].map((odd) => [odd, 1 - odd, odd, odd])],
    // Two groups alone.
    ['group-std-unbiased', 900, GRADED.slice(0, 2)],
  ] as const)('are left alone where the constant may have another source: %s, times %d', (scheme, factor, rewards) => {
    const dump = times(factor, scheme, rewards as unknown as number[][])
    expect(fitAdvantages(dump)?.accepted).toBe(false)
    expect(runOver('A04', dump).abstained?.status).toBe('not-checkable')
    expect(runOver('A03', dump).abstained?.status).toBe('not-checkable')
  })

  it('contradict no instability where no formula gives them, with a constant or without', () => {
    const rewards = Array.from({ length: 20 }, (_, i) => [0, 1, 0.5, 0.2 + 0.03 * i])
    const squashed = groupFacts(rewards, (reward) => ({ advantage: Math.tanh(3 * (reward - 0.4)) }))
    const verdict = verdictOf('H01', dumpOf(squashed))
    expect(verdict).toMatchObject({ verdict: 'inconclusive', missing: ['how rewards are scaled'] })
    expect(verdictOf('H01', times(900, 'centre', rewards)).verdict).toBe('inconclusive')
    // Without stored advantages the spreads decide alone.
    expect(verdictOf('H01', dumpOf(groupFacts(rewards))).verdict).toBe('contradicted')
  })

  it('are those of the step where several steps with other stds share the constant', () => {
    const steps = [GRADED, GRADED.map((group) => group.map((reward) => reward * 3))]
    const facts = steps.flatMap((rewards, step) => {
      const scale = stepScaleOf(rewards)
      return groupFacts(rewards, (_, group, member) => ({
        step,
        group: `${step}-${group}`,
        advantage: 900 * (recomputeAdvantages('batch-std', rewards[group] as number[], 1e-4, scale)[member] as number),
      }))
    })
    expect(fitAdvantages(dumpOf(facts))).toMatchObject({ scheme: 'batch-std', accepted: true })
  })
})
