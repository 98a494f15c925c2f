import { expect, it } from 'vitest'
import type { TrajectoryView } from '../../shared/checks/check.ts'
import { unprovedByZeros, zeroTurnsOf } from '../../shared/checks/logprobs/zero-turns.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { viewOfTurns } from './simulated.ts'

/** Turns of so many tokens each, of which `isZero` says where the sampler's logprob is exactly 0; the trainer scored none unless told. */
function turns(lengths: readonly number[], isZero: (turn: number, at: number) => boolean, trainer = false) {
  const sampler = lengths.flatMap((length, turn) =>
    Array.from({ length }, (_, at) => (isZero(turn, at) ? 0 : -0.3 - (at % 7) / 10)),
  )
  const view = viewOfTurns({ sampler, trainer: sampler }, lengths)
  const logprobs = { ...view.trajectory.logprobs, ...(trainer ? {} : { trainer: null }) }
  return { ...view, trajectory: { ...view.trajectory, logprobs } } as TrajectoryView
}
const isLater = (turn: number) => turn === 1

it('a long turn of exact zeros from end to end is one that nothing can deny without a trainer', () => {
  expect(zeroTurnsOf(turns([60, 40, 50], isLater))).toBe(1)
})

it.each([
  ['a turn shorter than any that tells', [60, 20, 50], isLater],
  ['a turn with one other number', [60, 40, 50], (turn: number, at: number) => isLater(turn) && at !== 25],
  ['real runs, which are as long as 19', [60, 40, 50], (_: number, at: number) => at % 20 > 0],
  ['a model that draws nearly greedily', [60, 40, 50], (turn: number, at: number) => isLater(turn) || at % 3 > 0],
  ['a rollout of zeros alone', [60, 40], () => true],
] as const)('%s is none', (_, lengths, isZero) => {
  expect(zeroTurnsOf(turns(lengths, isZero))).toBeNull()
})

it('where the trainer scored them, it is asked', () => {
  expect(zeroTurnsOf(turns([60, 40, 50], isLater, true))).toBeNull()
})

it('L05 proves nothing beside such turns, and says of how many rollouts', () => {
  const dump = (zeros: number) =>
    dumpOf(Array.from({ length: 8 }, (_, i) => factsOf(i, i < zeros ? { zeroTurns: 1 } : {})))
  expect(unprovedByZeros({} as never, dump(3))).toMatch(/^3 of 8 rollouts have a turn of 24 tokens or more/)
  expect(unprovedByZeros({} as never, dump(0))).toBeNull()
})
