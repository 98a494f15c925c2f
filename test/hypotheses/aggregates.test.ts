import { describe, expect, it } from 'vitest'
import { type Aggregates, lengthBin, rewardBin } from '../../shared/hypotheses/aggregates.ts'
import { aggregate } from '../helpers/at-once.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { resultOf } from './input.ts'

const TOTALS = { turns: 5, total: 200, trained: 60, masked: 140, padding: 0, unknown: 0, lost: 0 }
const REWARDS = [
  [0.1, 0.2, 0.7],
  [1, 1, 1],
  [0.3, -0.1, 0.3],
  [0.5, 0.51, 0.5],
]

/** Key by key, as whoever has reports of parts adds them; the schema is no sum. */
function add<T>(a: T, b: T): T {
  if (typeof a === 'number') return (a + (b as number)) as T
  const keys = [...new Set([...Object.keys(a as object), ...Object.keys(b as object)])] as (keyof T)[]
  const sums = keys.map((key) => [
    key,
    a[key] === undefined ? b[key] : b[key] === undefined ? a[key] : add(a[key], b[key]),
  ])
  return Object.fromEntries(sums)
}

/** Lengths at which the bins begin, as the page on the report has them. */
function lengthBinStart(bin: number): number {
  if (bin < 64) return bin * 64
  const doubled = 4096 * 2 ** (Math.floor(bin / 64) - 1)
  return doubled + (bin % 64) * (doubled / 64)
}

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
    const added = add<Aggregates>(of(0, 6), of(6, 12))
    expect(added.rewards).toEqual(whole.rewards)
    expect(added.lengths).toEqual(whole.lengths)
    expect(added.tokens).toEqual(whole.tokens)
    expect(added.checks.M01?.checked).toBe(12)
    expect(added.groups.stdSum).toBe(whole.groups.stdSum)
  })

  it('add in any order, and survive JSON', () => {
    const [a, b] = [of(0, 3), JSON.parse(JSON.stringify(of(3, 12)))]
    expect(add<Aggregates>(a, b)).toEqual(add<Aggregates>(b, a))
  })

  it('hold integers alone', () => {
    const numbers = (value: unknown): number[] =>
      typeof value === 'number' ? [value] : Object.values(value as object).flatMap(numbers)
    expect(numbers(of(0, 12)).filter((value) => !Number.isInteger(value))).toEqual([])
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
