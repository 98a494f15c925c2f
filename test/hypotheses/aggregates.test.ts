import { describe, expect, it } from 'vitest'
import { addAggregates, aggregate, lengthBin, lengthBinStart, rewardBin } from '../../shared/hypotheses/aggregates.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { resultOf } from './input.ts'

const TOTALS = { turns: 5, total: 200, trained: 60, masked: 140, padding: 0, unknown: 0, lost: 0 }
const REWARDS = [
  [0.1, 0.2, 0.7],
  [1, 1, 1],
  [0.3, -0.1, 0.3],
  [0.5, 0.51, 0.5],
]

function totalsOf(rows: number) {
  return Object.fromEntries(Object.entries(TOTALS).map(([name, value]) => [name, value * rows])) as typeof TOTALS
}

describe('aggregates', () => {
  const facts = groupFacts(REWARDS, (_, group) => ({ realLength: 100 + 3000 * group }))
  const of = (from: number, to: number) =>
    aggregate(dumpOf(facts.slice(from, to)), [resultOf('M01', { checked: to - from })], totalsOf(to - from))

  it('add up to what the whole gives', () => {
    const whole = of(0, 12)
    expect(whole).toMatchObject({
      trajectories: 12,
      rewards: { rows: 12, sum: 6_010_000 },
      groups: { complete: 4, withoutContrast: 1, belowNoiseFloor: 1 },
      endReasons: { stop: 12 },
      lengths: { sequence: { 1: 3 } },
    })
    const added = addAggregates(of(0, 6), of(6, 12))
    expect(added.rewards).toEqual(whole.rewards)
    expect(added.lengths).toEqual(whole.lengths)
    expect(added.tokens).toEqual(whole.tokens)
    expect(added.checks.M01?.checked).toBe(12)
    expect(added.groups.stdSum).toBe(whole.groups.stdSum)
  })

  it('add in any order, and survive JSON', () => {
    const [a, b] = [of(0, 3), JSON.parse(JSON.stringify(of(3, 12)))]
    expect(addAggregates(a, b)).toEqual(addAggregates(b, a))
    expect(addAggregates(a, b).schema).toBe(1)
  })

  it('hold integers alone', () => {
    const numbers = (value: unknown): number[] =>
      typeof value === 'number' ? [value] : Object.values(value as object).flatMap(numbers)
    expect(numbers(of(0, 12)).filter((value) => !Number.isInteger(value))).toEqual([])
  })

  it('of another schema are refused', () => {
    expect(() => addAggregates(of(0, 3), { ...of(3, 6), schema: 2 as 1 })).toThrow(/schema 1 and 2/)
  })
})

describe('bins', () => {
  it('of lengths begin where the one before ends', () => {
    for (let bin = 0; bin < 576; bin++) {
      expect(lengthBin(lengthBinStart(bin))).toBe(bin)
      if (bin > 0) expect(lengthBin(lengthBinStart(bin) - 1)).toBe(bin - 1)
    }
    expect(lengthBinStart(576)).toBe(2 ** 20)
    expect(lengthBin(2 ** 25)).toBe(576)
  })

  it('of rewards hold their lower edge, whatever binary fractions do to it', () => {
    expect([0, 0.05, 0.15, 0.3, 0.7, -0.05, 0.1 + 0.2, 1e9].map(rewardBin)).toEqual([0, 1, 3, 6, 14, -1, 6, 20_000])
  })
})
