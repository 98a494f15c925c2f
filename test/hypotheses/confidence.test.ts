import { expect, it } from 'vitest'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { verdictOf } from './input.ts'

it('counts the rollouts that were looked at, and none of those beside them', () => {
  const gap = {
    count: 40,
    sum: 0,
    absolute: 0.2,
    squares: 0,
    largest: 0,
    trainerSum: 0,
    samplerValues: 40,
    samplerHash: '',
  }
  const beside = (masked: number) =>
    dumpOf(
      Array.from({ length: 100 }, (_, i) =>
        factsOf(
          i,
          i < masked
            ? { step: i % 12, gap, group: String(i % 10), reward: i % 3 }
            : { trained: null, masked: null, idsHash: null, assistantTurns: 1 },
        ),
      ),
    )
  for (const id of ['H02', 'H06-lora'] as const) {
    expect([id, verdictOf(id, beside(20)).confidence]).toEqual([id, 'medium'])
    expect([id, verdictOf(id, beside(60)).confidence]).toEqual([id, 'high'])
  }
})
