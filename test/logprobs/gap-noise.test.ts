import { describe, expect, it } from 'vitest'
import { gapOf } from '../../shared/checks/logprobs/gap.ts'
import { logSoftmax, random, shaken, simulate, viewOfTurns } from './simulated.ts'

/** Where a token stands: its turn, of how many, and how far into it. */
interface Place {
  readonly turn: number
  readonly turns: number
  readonly into: number
  /** From 0 to 1 along the rollout. */
  readonly along: number
}

/** What the trainer finds of every token of a step. */
type Trainer = (logits: readonly number[], place: Place, next: () => number) => readonly number[]

const ROWS = 300

/** How many of these rollouts of two to five turns are said to have another context. */
function named(trainer: Trainer): number {
  let count = 0
  for (let seed = 1; seed <= ROWS; seed++) {
    const next = random(seed * 7919)
    const lengths = Array.from({ length: 2 + (seed % 4) }, () => 12 + Math.floor(next() * 80))
    const starts = lengths.map((_, turn) => lengths.slice(0, turn).reduce((sum, each) => sum + each, 0))
    const all = lengths.reduce((sum, each) => sum + each, 0)
    const scores = simulate(seed, all, (logits, draw, step) => {
      const turn = starts.findLastIndex((start) => start <= step)
      const place = { turn, turns: lengths.length, into: step - (starts[turn] as number), along: step / all }
      return { sampler: logSoftmax(logits), trainer: trainer(logits, place, draw) }
    })
    if (gapOf(viewOfTurns(scores, lengths))?.cause === 'context') count++
  }
  return count
}

const normal = (next: () => number) => shaken([0], next, 1)[0] as number

/** What engines differ by: on the logprob itself, the more the less sure the sampler was. */
const differs =
  (size: (place: Place) => number, oneSided: boolean): Trainer =>
  (logits, place, next) => {
    const moved = normal(next) * size(place)
    const down = oneSided ? Math.abs(moved) : moved
    return logSoftmax(logits).map((own) => Math.min(0, own - down * Math.min(1, 0.05 - own)))
  }

/** Later turns stand behind another context, of which this share is left; the engines differ by some noise as well. */
const otherContext =
  (left: (place: Place) => number, noise: number): Trainer =>
  (logits, place, next) => {
    const share = place.turn === 0 ? 1 : left(place)
    const size = Math.sqrt(logits.reduce((sum, each) => sum + each * each, 0) / logits.length)
    const other = logits.map((each) => share * each + Math.sqrt(1 - share * share) * normal(next) * size)
    return logSoftmax(shaken(other, next, noise))
  }

describe('what engines differ by is no other context, wherever it is largest', () => {
  const places: readonly (readonly [string, (size: number) => (place: Place) => number])[] = [
    [
      'at the beginning of turns',
      (size) =>
        ({ into }) =>
          into < 4 ? size : 0.02,
    ],
    [
      'at their beginning, and falls off',
      (size) =>
        ({ into }) =>
          size * (0.4 + 1.6 * Math.exp(-into / 3)),
    ],
    [
      'at the end of a rollout',
      (size) =>
        ({ along }) =>
          size * along,
    ],
    [
      'in the last turn, and there is none in the first',
      (size) =>
        ({ turn, turns }) =>
          (size * turn) / (turns - 1),
    ],
  ]

  it.each(places)('%s', (_, by) => {
    expect(named(differs(by(0.8), false))).toBeLessThanOrEqual(3)
    // To one side, as of a sampler in a coarser precision.
    expect(named(differs(by(0.8), true))).toBeLessThanOrEqual(3)
  })
})

describe('another context is found behind engines that differ', () => {
  it.each([0.01, 0.1, 0.3])('by %f: in whole turns, and where a turn tells it again after some words', (noise) => {
    expect(named(otherContext(() => 0.5, noise)) / ROWS).toBeGreaterThan(0.97)
    expect(named(otherContext(({ into }) => 1 - Math.exp(-into / 8), noise)) / ROWS).toBeGreaterThan(0.9)
  })
})
