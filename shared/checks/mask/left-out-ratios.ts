import { Expected, Provenance, type Span } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { isLogprob, logprobBounds, pairsOf, type ScoredPairs } from '../logprobs/scored.ts'
import { sampledSpan, writtenTurns } from '../oracles/edges.ts'
import { isAsExpected } from '../oracles/shape.ts'
import { countOf } from '../oracles/spans.ts'

/** Log ratios of trainer to sampler (trainer − sampler logprob, in nats) of the trained tokens of a rollout. */
export interface RatioRange {
  readonly least: number
  readonly greatest: number
}

/** Those of some tokens without loss, by their side. */
export interface RatiosBySide {
  /** The greatest of those below 0, and the least of the others; null where there is none. */
  readonly below: number | null
  readonly above: number | null
}

/** Of the tokens that the model wrote and that carry no loss, amid turns that train something; in a rollout that trains nothing, of all that the model wrote. */
export interface LeftOutRatios extends RatiosBySide {
  readonly tokens: number
  readonly sum: number
}

/** Null where the dump lacks a logprob of either. */
export function ratioFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'ratioRange' | 'leftOutRatios'> | null {
  const pairs = pairsOf(view)
  if (pairs === null) return null
  const ratioRange = rangeOf(pairs)
  const leftOutRatios = isAsExpected(view) ? null : leftOutOf(view, pairs)
  if (ratioRange === null) return leftOutRatios === null ? null : { leftOutRatios }
  return leftOutRatios === null ? { ratioRange } : { ratioRange, leftOutRatios }
}

function rangeOf({ tokens, sampler, trainer }: ScoredPairs): RatioRange | null {
  if (tokens.length === 0) return null
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (let k = 0; k < tokens.length; k++) {
    const at = tokens[k] as number
    const ratio = (trainer[at] as number) - (sampler[at] as number)
    if (ratio < least) least = ratio
    if (ratio > greatest) greatest = ratio
  }
  return { least, greatest }
}

function leftOutOf(view: TrajectoryView, pairs: ScoredPairs): LeftOutRatios | null {
  const { segmentation, mask, facts } = view
  if (segmentation === null || mask === null) return null
  const isWhole = facts.trained === 0
  let tokens = 0
  let sum = 0
  let below: number | null = null
  let above: number | null = null
  for (const turn of writtenTurns(segmentation)) {
    const span = sampledSpan(turn)
    // A turn that is masked as a whole was not chosen token by token (M03).
    if (!isWhole && countOf(mask, 1, span.start, span.end) === 0) continue
    for (let i = mask.indexOf(0, span.start); i >= 0 && i < span.end; i = mask.indexOf(0, i + 1)) {
      if (!isLeftOut(view, i) || (!isWhole && pairs.sampler[i] === 0)) continue
      const ratio = (pairs.trainer[i] as number) - (pairs.sampler[i] as number)
      tokens++
      sum += ratio
      if (ratio < 0) below = below === null || ratio > below ? ratio : below
      else above = above === null || ratio < above ? ratio : above
    }
  }
  return tokens === 0 ? null : { tokens, sum, below, above }
}

/** A correct mask trains the token, nothing denies that it was sampled, and both have a logprob of it. */
function isLeftOut({ expectedRl, provenance, trajectory, thresholds }: TrajectoryView, at: number): boolean {
  if (expectedRl?.[at] !== Expected.trained || provenance?.[at] === Provenance.notSampled) return false
  const { sampler, trainer } = trajectory.logprobs
  const bounds = logprobBounds(thresholds)
  return isLogprob(sampler?.[at] as number, bounds) && isLogprob(trainer?.[at] as number, bounds)
}

/**
 * The ratios of tokens without loss, where each leaves the range of those that the rollout trains: a trainer may have left them out for it. An exact 0.0 of
 * the sampler may stand for no logprob. Null elsewhere.
 */
export function ratiosBeyondTrained(view: TrajectoryView, { start, end }: Span): RatiosBySide | null {
  const range = view.facts.ratioRange
  const { sampler, trainer } = view.trajectory.logprobs
  if (range === undefined || sampler === null || trainer === null) return null
  let below: number | null = null
  let above: number | null = null
  for (let i = start; i < end; i++) {
    const ratio = (trainer[i] as number) - (sampler[i] as number)
    if (!isLeftOut(view, i) || sampler[i] === 0) return null
    if (ratio < range.least && ratio < 0) below = below === null || ratio > below ? ratio : below
    else if (ratio > range.greatest && ratio >= 0) above = above === null || ratio < above ? ratio : above
    else return null
  }
  return { below, above }
}
