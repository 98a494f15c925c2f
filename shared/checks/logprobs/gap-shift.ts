import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span } from '../../model/tokens.ts'
import { correlationOf, type LineSums } from './gap-line.ts'
import type { ScoredPairs } from './scored.ts'

/** Largest shift that is tried: arrays that lie further apart were not made by one off-by-one after another. */
export const LARGEST_SHIFT = 3

/**
 * Pearson's correlation of the sampler at i and the trainer at i + shift, for shifts from -3 to 3. Both tokens are scored ones of the same
 * turn: what a moved array has at an edge belongs to no token, and one such number outweighs the turn. `inPlace` is that of shift 0.
 */
function correlationsByShift(pairs: PairRuns, inPlace: number, thresholds: Thresholds): number[] {
  const correlations: number[] = []
  for (let shift = -LARGEST_SHIFT; shift <= LARGEST_SHIFT; shift++) {
    correlations.push(shift === 0 ? inPlace : correlationAt(shift, pairs, thresholds))
  }
  return correlations
}

function correlationAt(shift: number, pairs: PairRuns, thresholds: Thresholds): number {
  const sums = sumsAt(shift, pairs)
  return sums.n >= thresholds['scored-tokens'] / 2 ? correlationOf(sums) : 0
}

function sumsAt(shift: number, { runs, sampler, trainer }: PairRuns): LineSums {
  let n = 0
  let sumX = 0
  let sumY = 0
  let sumXX = 0
  let sumXY = 0
  let sumYY = 0
  for (const { start, end } of runs) {
    const last = end - Math.max(shift, 0)
    for (let i = start + Math.max(-shift, 0); i < last; i++) {
      const y = trainer[i + shift] as number
      const x = sampler[i] as number
      n++
      sumX += x
      sumY += y
      sumXX += x * x
      sumXY += x * y
      sumYY += y * y
    }
  }
  return { n, sumX, sumY, sumXX, sumXY, sumYY }
}

/** Mean |gap| in nats between the sampler at i and the trainer at i + shift, of the tokens that are correlated at this shift. */
function meanGapAt(shift: number, { runs, sampler, trainer }: PairRuns): number {
  let n = 0
  let sum = 0
  for (const { start, end } of runs) {
    for (let i = start + Math.max(-shift, 0); i < end - Math.max(shift, 0); i++) {
      n++
      sum += Math.abs((sampler[i] as number) - (trainer[i + shift] as number))
    }
  }
  return sum / n
}

/** Pairs with their tokens as runs of neighbours: a token and one that is shifted from it are both scored where both lie in one run. */
type PairRuns = Pick<ScoredPairs, 'sampler' | 'trainer'> & { readonly runs: readonly Span[] }

function inRuns({ tokens, sampler, trainer }: ScoredPairs): PairRuns {
  const runs: Span[] = []
  for (let from = 0, to = 1; from < tokens.length; from = to++) {
    const start = tokens[from] as number
    while (to < tokens.length && tokens[to] === start + to - from) to++
    runs.push({ start, end: start + to - from })
  }
  return { runs, sampler, trainer }
}

/** A shift at which sampler and trainer correlate, in tokens by which the trainer's array is late, and the correlations at all of them. */
export interface FoundShift {
  readonly shift: number
  readonly correlations: readonly number[]
}

/** The shift at which the two correlate, where they do not as they lie; null where there is none. */
export function findShift(scored: ScoredPairs, thresholds: Thresholds): FoundShift | null {
  const pairs = inRuns(scored)
  // The usual case: arrays in place follow each other, and no other shift is worth a look.
  const inPlace = correlationAt(0, pairs, thresholds)
  if (inPlace > thresholds['unshifted-correlates']) return null
  const correlations = correlationsByShift(pairs, inPlace, thresholds)
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
