import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'

const TOKENS = 60

/** What sampler and trainer say of a completion that the policy gives with this probability. */
function scored(probability: number, count = TOKENS): Pick<TrajectoryFacts, 'gap'> {
  const trainerSum = Math.log(probability)
  return {
    gap: { count, sum: 0, absolute: 0, squares: 0, largest: 0, trainerSum, samplerValues: count, samplerHash: 'c' },
  }
}

/** One group of eight, of which as many as `copies` say the same. */
const group = (copies: number, more: Partial<TrajectoryFacts>) =>
  groupFacts([Array<number>(8).fill(1)], (_, __, member) => ({
    assistantLengths: [TOKENS],
    assistantTurns: 1,
    idsHash: member < copies ? 'same' : `other ${member}`,
    ...more,
  }))

const affected = (code: string, facts: TrajectoryFacts[], options: AuditOptions = {}) =>
  runOver(code, dumpOf(facts, { options })).tally.affected

describe('equal completions of a group', () => {
  it.each([
    ['two of eight, which the policy gives half of the time', 2, 0.5, 0],
    ['seven of eight, which it gives nearly always', 7, 0.95, 0],
    ['two of eight, which it gives once in fifty times', 2, 0.02, 0],
    ['eight of eight, which it gives once in fifty times', 8, 0.02, 1],
    ['two of eight, which it gives once in a million times', 2, 1e-6, 1],
  ])('%s', (_, copies, probability, found) => {
    expect(affected('A06', group(copies, scored(probability)))).toBe(found)
  })

  it('are copies where nothing, or not enough, tells how probable they are', () => {
    expect(affected('A06', group(2, {}))).toBe(1)
    expect(affected('A06', group(2, scored(0.5, 20)))).toBe(1)
  })

  it('are as probable as a person says', () => {
    const facts = group(2, scored(0.02))
    expect(affected('A06', facts, { thresholds: { 'chance-of-copies': 0.1 } })).toBe(1)
  })
})

describe('rollouts that are there again', () => {
  it('are none where an answer is short, be it of another step', () => {
    const short = {
      idsHash: 'same',
      assistantLengths: [2],
      assistantTurns: 1,
      length: 102,
      realLength: 102,
      trained: 2,
    }
    const facts = [1, 1, 2].map((step, record) => factsOf(record, { ...short, step }))
    expect(affected('S04', facts)).toBe(0)
    // The same record in another file was read twice.
    const again = facts.map((each) => ({ ...each, place: { ...each.place, source: 1 } }))
    expect(affected('S04', [...facts, ...again])).toBe(3)
  })

  it('are none where the policy gives them by chance', () => {
    expect(affected('S04', group(3, scored(0.5)))).toBe(0)
    expect(affected('S04', group(3, scored(1e-9)))).toBe(2)
  })

  it('are found where no tokenizer tells what was sampled', () => {
    const facts = [0, 1].map((record) => factsOf(record, { idsHash: 'same', assistantLengths: [], trained: null }))
    expect(affected('S04', facts)).toBe(1)
  })
})
