import type { Thresholds } from '../../model/thresholds/registry.ts'
import { correlationOf, type LineSums } from './gap-line.ts'
import type { ScoredPairs } from './scored.ts'

/** Largest shift that is tried: arrays that lie further apart were not made by one off-by-one after another. */
export const LARGEST_SHIFT = 3

/**
 * Pearson's correlation of the sampler at i and the trainer at i + shift, for shifts from -3 to 3. Both tokens are scored ones of the same
 * turn: what a moved array has at an edge belongs to no token, and one such number outweighs the turn.
 */
function correlationsByShift(pairs: ScoredPairs, thresholds: Thresholds): number[] {
  const correlations: number[] = []
  for (let shift = -LARGEST_SHIFT; shift <= LARGEST_SHIFT; shift++) {
    correlations.push(correlationAt(shift, pairs, thresholds))
  }
  return correlations
}

function correlationAt(shift: number, pairs: ScoredPairs, thresholds: Thresholds): number {
  const sums = sumsAt(shift, pairs)
  return sums.n >= thresholds['scored-tokens'] / 2 ? correlationOf(sums) : 0
}

function sumsAt(shift: number, { tokens, sampler, trainer }: ScoredPairs): LineSums {
  let n = 0
  let sumX = 0
  let sumY = 0
  let sumXX = 0
  let sumXY = 0
  let sumYY = 0
  const end = tokens.length - Math.max(shift, 0)
  for (let k = Math.max(-shift, 0); k < end; k++) {
    const i = tokens[k] as number
    if (tokens[k + shift] !== i + shift) continue
    const y = trainer[i + shift] as number
    const x = sampler[i] as number
    n++
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  return { n, sumX, sumY, sumXX, sumXY, sumYY }
}

/** Mean |gap| in nats between the sampler at i and the trainer at i + shift, of the tokens that are correlated at this shift. */
function meanGapAt(shift: number, { tokens, sampler, trainer }: ScoredPairs): number {
  let n = 0
  let sum = 0
  for (let k = Math.max(-shift, 0); k < tokens.length - Math.max(shift, 0); k++) {
    const i = tokens[k] as number
    if (tokens[k + shift] !== i + shift) continue
    n++
    sum += Math.abs((sampler[i] as number) - (trainer[i + shift] as number))
  }
  return sum / n
}

/** A shift at which sampler and trainer correlate, in tokens by which the trainer's array is late, and the correlations at all of them. */
export interface FoundShift {
  readonly shift: number
  readonly correlations: readonly number[]
}

/** The shift at which the two correlate, where they do not as they lie; null where there is none. */
export function findShift(pairs: ScoredPairs, thresholds: Thresholds): FoundShift | null {
  // The usual case: arrays in place follow each other, and no other shift is worth a look.
  if (correlationAt(0, pairs, thresholds) > thresholds['unshifted-correlates']) return null
  const correlations = correlationsByShift(pairs, thresholds)
  const shift = bestShift(correlations, thresholds)
  if (shift === 0) return null
  // A few unlikely tokens that fall together make any arrays correlate: those that were moved agree once they are moved back.
  if (meanGapAt(shift, pairs) > thresholds['shift-leaves'] * meanGapAt(0, pairs)) return null
  return { shift, correlations }
}

function bestShift(correlations: readonly number[], thresholds: Thresholds): number {
  const best = correlations.reduce(
    (top, value, at) => (value > (correlations[top] as number) ? at : top),
    LARGEST_SHIFT,
  )
  const shows =
    (correlations[best] as number) >= thresholds['shift-correlates'] &&
    (correlations[LARGEST_SHIFT] as number) <= thresholds['unshifted-correlates']
  return shows ? best - LARGEST_SHIFT : 0
}
