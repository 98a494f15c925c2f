import { describe, expect, it } from 'vitest'
import { LOSS_TYPES, lossWeights, tokenWeights } from '../../shared/checks/groups/token-weights.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

/** A rollout of so many trained tokens. */
const row = (record: number, trained: number, more = {}) => factsOf(record, { trained, weight: trained, ...more })

describe('tokenWeights', () => {
  const batch = { trained: [10, 30, 0, 60], maxLength: 100 }

  it.each([
    ['grpo', [1 / 40, 1 / 120, 0, 1 / 240]],
    ['dapo', [1 / 100, 1 / 100, 0, 1 / 100]],
    ['bnpo', [1 / 100, 1 / 100, 0, 1 / 100]],
    ['dr_grpo', [1 / 400, 1 / 400, 0, 1 / 400]],
  ] as const)('%s', (type, expected) => {
    const weights = tokenWeights(type, batch)
    for (const [i, weight] of expected.entries()) expect(weights[i]).toBeCloseTo(weight, 12)
  })

  it('takes the mean of bnpo within each micro-batch', () => {
    expect([...tokenWeights('bnpo', { ...batch, localRows: 2 })]).toEqual([1 / 80, 1 / 80, 0, 1 / 120])
  })

  it('makes bnpo over single rollouts the mean per rollout, as grpo takes it', () => {
    const one = { trained: [10, 30, 60], maxLength: 1, localRows: 1 }
    const weights = tokenWeights('grpo', one)
    for (const [i, weight] of tokenWeights('bnpo', one).entries()) expect(weight).toBeCloseTo(weights[i] as number, 12)
  })

  it.each(LOSS_TYPES)('of nothing is nothing under %s', (type) => {
    expect([...tokenWeights(type, { trained: [], maxLength: 8 })]).toEqual([])
    expect([...tokenWeights(type, { trained: [0, 0], maxLength: 8 })]).toEqual([0, 0])
  })
})

describe('lossWeights', () => {
  const facts = [
    row(0, 10, { group: 'a', advantage: 1 }),
    row(1, 90, { group: 'a', advantage: -1 }),
    row(2, 50, { group: 'b', advantage: 0.5 }),
    row(3, 50, { group: 'b', advantage: -0.5 }),
    row(4, 50, { group: 'b', advantage: 9, excluded: true }),
  ]

  it('gives every rollout the same share under grpo, whatever its length', () => {
    const { rollouts } = lossWeights(dumpOf(facts), 'grpo')
    expect(rollouts.map(({ share }) => share)).toEqual([0.25, 0.25, 0.25, 0.25])
    expect(rollouts.map(({ pull }) => pull)).toEqual([1 / 3, 1 / 3, 1 / 6, 1 / 6])
  })

  it('gives every token the same share under dapo', () => {
    const { rollouts } = lossWeights(dumpOf(facts), 'dapo')
    expect(rollouts.map(({ share }) => share)).toEqual([0.05, 0.45, 0.25, 0.25])
    expect(rollouts.map(({ pull }) => pull?.toFixed(4))).toEqual(['0.0667', '0.6000', '0.1667', '0.1667'])
  })

  it('divides dr_grpo by the limit, and says so where it had to take the longest rollout', () => {
    expect(lossWeights(dumpOf(facts), 'dr_grpo').maxLength).toEqual({ value: 90, known: false })
    const { maxLength, rollouts } = lossWeights(dumpOf(facts, { limits: { max_completion_length: 200 } }), 'dr_grpo')
    expect(maxLength).toEqual({ value: 200, known: true })
    expect(rollouts[0]?.token).toBeCloseTo(1 / 800, 12)
  })

  it('counts by step, and knows no pull where an advantage is missing', () => {
    const steps = [
      row(0, 10, { step: 0, advantage: 1 }),
      row(1, 30, { step: 1 }),
      row(2, 10, { step: 1, advantage: 1 }),
    ]
    const { rollouts } = lossWeights(dumpOf(steps), 'dapo')
    expect(rollouts.map(({ share, pull }) => [share, pull])).toEqual([
      [1, 1],
      [0.75, null],
      [0.25, null],
    ])
  })
})

describe('A07', () => {
  const alike = Array.from({ length: 20 }, (_, i) => row(i, 400, { group: 'a', advantage: i % 2 === 0 ? 1 : -1 }))
  const short = (more: Parameters<typeof factsOf>[1]) =>
    Array.from({ length: 8 }, (_, i) => row(20 + i, 4, { group: 'a', advantage: 1, ...more }))
  const affected = (more: Parameters<typeof factsOf>[1]) =>
    runOver('A07', dumpOf([...alike, ...short(more)], { options: { lossType: 'grpo' } })).tally.affected

  it('compares rollouts that are in the loss, by their trained tokens', () => {
    expect(affected({})).toBe(1)
    expect(affected({ excluded: true })).toBe(0)
    expect(affected({ trained: 0 })).toBe(0)
    expect(affected({ advantage: null })).toBe(0)
  })

  it('says where no rollout has one advantage, and nothing where few have any', () => {
    const tokens = alike.map((each) => ({ ...each, advantage: null, maxAdvantage: 1 }))
    expect(runOver('A07', dumpOf(tokens)).abstained).toEqual({
      status: 'not-checkable',
      reason: 'advantages are given token by token: too few rollouts have one that length shares out',
    })
    expect(runOver('A07', dumpOf(tokens.slice(0, 2))).abstained).toBeNull()
    const without = alike.map((each) => ({ ...each, advantage: null, maxAdvantage: null }))
    expect(runOver('A07', dumpOf(without)).abstained).toBeNull()
  })
})
