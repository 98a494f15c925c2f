import type { TrajectoryView } from '../check.ts'
import { isBelow } from './context-of-all.ts'
import { type GapCause, gapOf } from './gap.ts'
import { type Line, type LineSums, leans, oddsLine, oddsSums, sumsAmong } from './gap-line.ts'
import { pairsOf } from './scored.ts'
import { scoredSpan } from './text.ts'

/**
 * By which a temperature is told over many rollouts: sums over the points of two lines, trainer against sampler. Of rollouts whose gap has enough
 * tokens, and no other narrow cause.
 */
export interface Tilt {
  readonly logprobs: readonly number[]
  readonly odds: readonly number[]
  /** From the first scored token to the last. */
  readonly span: readonly [number, number]
  /** The line by which the rollout shows a temperature of its own; null where it does not. */
  readonly own: Line | null
  /** What its gap is should it have none; `none` where it has no such line, and none that all rollouts together may prove. */
  readonly otherwise: GapCause
}

/** Of these the gap is explained, and not by a temperature. */
const OTHER_CAUSES: ReadonlySet<GapCause> = new Set<GapCause>(['shifted', 'renormalised', 'context', 'routing'])

export function tiltOf(view: TrajectoryView): Tilt | null {
  const gap = gapOf(view)
  const pairs = pairsOf(view)
  if (gap === null || pairs === null || OTHER_CAUSES.has(gap.cause)) return null
  const { start, end } = scoredSpan(view)
  return {
    logprobs: listOf(sumsAmong(pairs, { start: 0, end: pairs.tokens.length })),
    odds: listOf(oddsSums(pairs, view.thresholds)),
    span: [start, end],
    own: gap.cause === 'temperature' ? gap.line : null,
    otherwise: isHeldBack(view) ? 'mismatch' : (gap.otherwise ?? 'none'),
  }
}

/**
 * A mismatch that may be something narrower, which all rollouts together tell: a temperature (L03), of which too few tokens lie on a tilted line to prove
 * one, or what top-k left over (L04) or another context (L02), where the sampler is above the trainer.
 */
export function isHeldBack(view: TrajectoryView): boolean {
  const gap = gapOf(view)
  const pairs = pairsOf(view)
  if (gap?.cause !== 'mismatch' || pairs === null) return false
  if (gap.mean >= view.thresholds['renormalised-share'] * gap.meanAbsolute) return true
  if (gap.mean >= view.thresholds['one-sided-gap'] && isBelow(gap.mean, gap.meanAbsolute)) return true
  return leans(gap.line, view.thresholds) || leans(oddsLine(pairs, view.thresholds), view.thresholds)
}

function listOf({ n, sumX, sumY, sumXX, sumXY, sumYY }: LineSums): number[] {
  return [n, sumX, sumY, sumXX, sumXY, sumYY]
}
