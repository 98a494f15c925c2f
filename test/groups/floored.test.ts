import { describe, expect, it } from 'vitest'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { fitOf } from '../../shared/checks/groups/scaling.ts'
import { biasedStd, mean, unbiasedStd } from '../../shared/checks/groups/statistics.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { verdictOf } from '../hypotheses/input.ts'

/** Of several stds, the last five of less than 0.1. */
const REWARDS = [
  [0.62, 0.18, 0.71, 0.65],
  [1, 0, 0, 1],
  [0.2, 0.9, 0.4, 0.3],
  [0, 0, 0, 1],
  [0.5, 0.1, 0.9, 0.8],
  [0.1, 0.7, 0.3, 0.3],
  [0.5, 0.51, 0.52, 0.5],
  [0.1, 0.12, 0.1, 0.15],
  [0.8, 0.7, 0.71, 0.72],
  [0.3, 0.3, 0.3, 0.35],
  [0.9, 0.95, 0.9, 0.94],
]

type Advantages = (rewards: readonly number[], group: number) => readonly number[]

const storing = (advantages: Advantages, rewards: readonly (readonly number[])[] = REWARDS) =>
  dumpOf(
    groupFacts(rewards, (_, group, member) => ({
      advantage: advantages(rewards[group] as number[], group)[member] as number,
    })),
  )
const errorsOf = (dump: ReturnType<typeof dumpOf>) => ['A03', 'A04'].map((code) => runOver(code, dump).tally.affected)

/** (r − mean) / max(std, floor) */
const overAtLeast =
  (floor: number, stdOf: (rewards: readonly number[]) => number = unbiasedStd): Advantages =>
  (rewards) =>
    rewards.map((reward) => (reward - mean(rewards)) / Math.max(stdOf(rewards), floor))

describe('advantages that are divided by a std which is never below a floor', () => {
  it.each<[AdvantageScheme, number, Advantages]>([
    ['group-std-unbiased', 0.1, overAtLeast(0.1)],
    ['group-std-unbiased', 0.05, overAtLeast(0.05)],
    ['group-std-biased', 0.3, overAtLeast(0.3, biasedStd)],
    [
      'leave-one-out-std',
      0.1,
      (rewards) =>
        rewards.map((reward, at) => {
          const others = rewards.filter((_, other) => other !== at)
          return (reward - mean(others)) / Math.max(unbiasedStd(others), 0.1)
        }),
    ],
  ])('are in order: %s, %d', (scheme, floor, advantages) => {
    const dump = storing(advantages)
    const fit = fitOf(dump)
    expect(fit).toMatchObject({ scheme, accepted: true, share: 1 })
    expect(fit?.floor).toBeCloseTo(floor, 3)
    expect(errorsOf(dump)).toEqual([0, 0])
  })

  it('are amplified no more than the floor lets them be', () => {
    const dump = storing(overAtLeast(0.3))
    expect(runOver('A02', dump).tally).toMatchObject({ checked: REWARDS.length, affected: 0 })
    const { verdict, because } = verdictOf('H01', dump)
    expect(verdict).toBe('contradicted')
    expect(because.find(({ measure }) => measure === 'advantage scheme')?.value).toMatch(
      /^group-std-unbiased, eps 0, of a std of 0\.3 or more \(fits 100 %/,
    )
    // Without it, half of the groups are blown up.
    expect(runOver('A02', storing(overAtLeast(0))).tally.affected).toBe(5)
  })

  it('hide no group that is turned around, whatever its std', () => {
    for (const turned of [2, 9]) {
      const dump = storing((rewards, group) =>
        overAtLeast(0.1)(rewards, group).map((each) => (group === turned ? -each : each)),
      )
      const { findings } = runOver('A04', dump)
      expect(findings.map(({ group }) => group)).toEqual([`g${turned}`])
      expect(findings[0]?.evidence.floor).toBe(0.1)
    }
  })

  it.each<[string, Advantages]>([
    // Nothing but a smaller factor, and no number that a person would write.
    ['one group', (rewards, group) => overAtLeast(0)(rewards, group).map((each) => (group === 7 ? each / 1.37 : each))],
    [
      'groups whose std is not the least',
      (rewards, group) => overAtLeast(group === 0 || group === 4 ? 0.6 : 0)(rewards, group),
    ],
  ])('are a fault where it is that of %s alone', (_, advantages) => {
    const dump = storing(advantages)
    expect(fitOf(dump)?.floor).toBe(0)
    expect(errorsOf(dump)[1]).toBeGreaterThan(0)
  })

  it('are no floor where one constant divides them all', () => {
    const dump = storing((rewards) => recomputeAdvantages('centre', rewards, 0).map((each) => each / 75))
    expect(fitOf(dump)).toMatchObject({ floor: 0, accepted: false })
  })
})
