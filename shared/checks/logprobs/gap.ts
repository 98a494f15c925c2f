import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from '../edges.ts'
import { OfLast } from '../of-last.ts'
import { isLogprob, logprobBounds, pairsOf, type ScoredPairs } from './scored.ts'

/** What the gap between sampler and trainer looks like; the first of these that holds names it. */
export type GapCause = 'none' | 'shifted' | 'temperature' | 'renormalised' | 'context' | 'routing' | 'mismatch'

/** The gap of a rollout: sampler logprob − trainer logprob on the same trained token, in nats. */
export interface GapShape {
  readonly cause: GapCause
  readonly count: number
  readonly mean: number
  readonly meanAbsolute: number
  /** Standard error of `meanAbsolute`. */
  readonly error: number
  /** Share of tokens whose probability at least doubled or halved. */
  readonly largeShare: number
  readonly largest: { readonly token: number; readonly gap: number }
  /** Trainer against sampler: of the logprobs, or of the odds where these show a temperature. */
  readonly line: Line
  /** Correlation of the two at each shift from -3 to 3; only where a shift was looked for. */
  readonly correlations: readonly number[]
  /** Tokens by which the trainer's array is late against the sampler's. */
  readonly shift: number
  readonly turns: readonly TurnGap[]
  /** Turns in which a context fault shows, in order; empty unless that is the cause. */
  readonly affectedTurns: readonly TurnGap[]
  /** Where it shows; null unless that is the cause. */
  readonly contextSeen: 'in every turn' | 'in later turns' | 'at the beginning of turns' | null
}

/** Slope of a straight line, and share of the variance that it explains. */
export interface Line {
  readonly of: 'logprobs' | 'odds'
  readonly slope: number
  readonly explained: number
  readonly count: number
}

export interface TurnGap {
  /** Null where no turns are known: then there is one entry for the row. */
  readonly turn: Turn | null
  readonly start: number
  readonly end: number
  readonly count: number
  readonly mean: number
  readonly meanAbsolute: number
  /** Mean |logprob| of the sampler. */
  readonly surprise: number
  /** Standard error of `mean`. */
  readonly error: number
  /** Tokens among the first with a gap of their own. */
  readonly headTokens: number
  /** Mean gap of the first tokens, and of the others; 0 where there are none. */
  readonly head: number
  /** Standard error of `head`. */
  readonly headError: number
  readonly tail: number
}

/** Largest shift that is tried: arrays that lie further apart were not made by one off-by-one after another. */
export const LARGEST_SHIFT = 3

const cache = new OfLast<TrajectoryView, GapShape | null>()

/** The shape of a view's gap, computed once for all checks; null where too few tokens are scored twice. */
export function gapOf(view: TrajectoryView): GapShape | null {
  let shape = cache.get(view)
  if (shape === undefined) {
    const pairs = pairsOf(view)
    const few = pairs === null || pairs.tokens.length < view.thresholds['scored-tokens']
    shape = few ? null : shapeOf(view, pairs)
    cache.set(view, shape)
  }
  return shape
}

function shapeOf(view: TrajectoryView, pairs: ScoredPairs): GapShape {
  const { tokens, sampler, trainer } = pairs
  const { thresholds } = view
  const { 'large-gap': largeGap, 'not-certain': notCertain } = thresholds
  const { 'engines-agree': agrees, 'engines-differ': differs, 'renormalised-gap': leastRenormalised } = thresholds
  const n = tokens.length
  let sum = 0
  let absolute = 0
  let squares = 0
  let large = 0
  let zeros = 0
  let sumX = 0
  let sumY = 0
  let sumXX = 0
  let sumXY = 0
  let sumYY = 0
  let largest = { token: tokens[0] as number, gap: 0 }
  for (let k = 0; k < n; k++) {
    const i = tokens[k] as number
    const x = sampler[i] as number
    const y = trainer[i] as number
    const gap = x - y
    sum += gap
    absolute += Math.abs(gap)
    squares += gap * gap
    if (Math.abs(gap) > largeGap) large++
    if (x === 0 && y < -notCertain) zeros++
    if (Math.abs(gap) > Math.abs(largest.gap)) largest = { token: i, gap }
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  const meanAbsolute = absolute / n
  const sums = { n, sumX, sumY, sumXX, sumXY, sumYY }
  const line = fitLine(sums, 'logprobs')
  const base = {
    count: n,
    mean: sum / n,
    meanAbsolute,
    error: Math.sqrt(Math.max(0, squares / n - meanAbsolute * meanAbsolute) / n),
    largeShare: large / n,
    largest,
    line,
    correlations: [] as readonly number[],
    shift: 0,
    turns: [] as readonly TurnGap[],
    affectedTurns: [] as readonly TurnGap[],
    contextSeen: null,
  }
  // The usual case: nothing of the rest is worth computing.
  if (meanAbsolute < Math.min(leastRenormalised, agrees, differs) && large === 0) return { ...base, cause: 'none' }
  // Arrays that correlate as they lie are not shifted, whatever they would do elsewhere.
  if (meanAbsolute >= differs && correlationOf(sums) <= thresholds['unshifted-correlates']) {
    const correlations = correlationsByShift(pairs, thresholds)
    const shift = bestShift(correlations, thresholds)
    if (shift !== 0) return { ...base, cause: 'shifted', correlations, shift }
  }
  const turns = gapsByTurn(view, pairs)
  if (meanAbsolute >= agrees) {
    // Engines that store a logprob divided by the temperature lie on a line; those that divide the logits, on one of the odds.
    const odds = oddsPoints(pairs, thresholds)
    const tilted = [line, lineThrough(odds, 'odds')].find(
      (each) =>
        mayBeTilted(each, thresholds) &&
        isNearer(each, each.of === 'odds' ? odds : logprobPoints(pairs), thresholds) &&
        !isDeniedAtFirst(turns, each, thresholds),
    )
    if (tilted !== undefined) return { ...base, line: tilted, cause: 'temperature' }
  }
  const renormalised =
    base.mean >= leastRenormalised &&
    base.mean >= thresholds['renormalised-share'] * meanAbsolute &&
    largest.gap <= thresholds['renormalised-most'] &&
    zeros >= thresholds['renormalised-zeros'] * n
  if (renormalised) return { ...base, cause: 'renormalised' }
  const oneSided =
    base.mean >= thresholds['one-sided-share'] * meanAbsolute && line.explained <= thresholds['one-sided-explained']
  const everywhere = oneSided && turns.every(({ mean }) => mean >= thresholds['one-sided-gap'])
  if (everywhere) return { ...base, cause: 'context', turns, affectedTurns: turns, contextSeen: 'in every turn' }
  const later = laterTurnsOff(turns, thresholds)
  if (later.length > 0) return { ...base, cause: 'context', turns, affectedTurns: later, contextSeen: 'in later turns' }
  const begun = beginningsOff(turns, thresholds)
  if (begun.length > 0) {
    return { ...base, cause: 'context', turns, affectedTurns: begun, contextSeen: 'at the beginning of turns' }
  }
  const restAgrees = (absolute - largeSum(pairs, largeGap)) / Math.max(1, n - large) < differs
  const isTail =
    large >= thresholds['tail-tokens'] &&
    large >= thresholds['tail-share-least'] * n &&
    large <= thresholds['tail-share-most'] * n
  if (isTail && restAgrees && isMixtureOfExperts(view.trajectory.model)) return { ...base, cause: 'routing', turns }
  const surely = meanAbsolute - thresholds['gap-standard-errors'] * base.error >= differs
  return { ...base, cause: surely ? 'mismatch' : 'none', turns }
}

/** A temperature is the same in every turn: here engines agree in the first, four times as well as such a line would let them. */
function isDeniedAtFirst([first, ...later]: readonly TurnGap[], { slope }: Line, thresholds: Thresholds): boolean {
  if (first === undefined || later.length === 0 || first.count < thresholds['turn-tokens']) return false
  return first.meanAbsolute < (Math.abs(slope - 1) * first.surprise) / 4
}

interface LineSums {
  readonly n: number
  readonly sumX: number
  readonly sumY: number
  readonly sumXX: number
  readonly sumXY: number
  readonly sumYY: number
}

function fitLine({ n, sumX, sumY, sumXX, sumXY, sumYY }: LineSums, of: Line['of']): Line {
  const varianceX = sumXX - (sumX * sumX) / n
  const varianceY = sumYY - (sumY * sumY) / n
  const together = sumXY - (sumX * sumY) / n
  if (!(varianceX > 0 && varianceY > 0)) return { of, slope: 1, explained: 0, count: n }
  return { of, slope: together / varianceX, explained: (together * together) / (varianceX * varianceY), count: n }
}

/** What a line goes through: x of the sampler, y of the trainer. */
interface Points {
  readonly x: Float64Array
  readonly y: Float64Array
}

function logprobPoints({ tokens, sampler, trainer }: ScoredPairs): Points {
  const x = new Float64Array(tokens.length)
  const y = new Float64Array(tokens.length)
  for (let k = 0; k < tokens.length; k++) {
    x[k] = sampler[tokens[k] as number] as number
    y[k] = trainer[tokens[k] as number] as number
  }
  return { x, y }
}

/** Between two tokens, dividing the logits by T raises the odds of one to the power 1/T; with more tokens, nearly so. */
function oddsPoints({ tokens, sampler, trainer }: ScoredPairs, thresholds: Thresholds): Points {
  const { 'odds-most': most, 'odds-least': least, 'odds-beyond': beyond } = thresholds
  const x = new Float64Array(tokens.length)
  const y = new Float64Array(tokens.length)
  let n = 0
  for (let k = 0; k < tokens.length; k++) {
    const i = tokens[k] as number
    const own = sampler[i] as number
    const other = trainer[i] as number
    // Where a token is all but certain, or all but impossible, its odds are rounding.
    if (own > most || other > most / beyond || own < least) continue
    x[n] = own - Math.log(-Math.expm1(own))
    y[n] = other - Math.log(-Math.expm1(other))
    n++
  }
  return { x: x.subarray(0, n), y: y.subarray(0, n) }
}

function lineThrough({ x, y }: Points, of: Line['of']): Line {
  let sumX = 0
  let sumY = 0
  let sumXX = 0
  let sumXY = 0
  let sumYY = 0
  for (let k = 0; k < x.length; k++) {
    const a = x[k] as number
    const b = y[k] as number
    sumX += a
    sumY += b
    sumXX += a * a
    sumXY += a * b
    sumYY += b * b
  }
  return fitLine({ n: x.length, sumX, sumY, sumXX, sumXY, sumYY }, of)
}

/**
 * Standard errors by which more points lie nearer to the line than to one of slope 1. A few unlikely tokens far out decide a fitted slope;
 * a temperature moves all of them. Logprobs are held against lines through 0, odds against lines through their middle.
 */
function agreement({ x, y }: Points, { of, slope }: Pick<Line, 'of' | 'slope'>): number {
  const middleX = of === 'logprobs' ? 0 : meanOf(x)
  const middleY = of === 'logprobs' ? 0 : meanOf(y)
  let balance = 0
  let count = 0
  for (let k = 0; k < x.length; k++) {
    // A certain token is certain at any temperature.
    if (x[k] === 0) continue
    const own = (x[k] as number) - middleX
    const other = (y[k] as number) - middleY
    balance += Math.sign(Math.abs(other - own) - Math.abs(other - slope * own))
    count++
  }
  return count === 0 ? 0 : balance / Math.sqrt(count)
}

function meanOf(values: Float64Array): number {
  let sum = 0
  for (let k = 0; k < values.length; k++) sum += values[k] as number
  return sum / values.length
}

/**
 * The line is one, and surely not that of equal temperatures. Noise in the sampler's numbers flattens the line and noise in the trainer's
 * does not, so the true slope lies between the one fitted and that divided by the share explained: both must be on one side of 1.
 */
function mayBeTilted({ of, slope, explained, count }: Line, thresholds: Thresholds): boolean {
  const fits = thresholds[of === 'odds' ? 'temperature-explains-odds' : 'temperature-explains-logprobs']
  if (count < thresholds['scored-tokens'] || slope <= 0 || explained < fits) return false
  const error = thresholds['gap-standard-errors'] * Math.sqrt((1 - explained) / explained / (count - 2))
  const least = Math.log(thresholds['temperature-slope']) + error
  return Math.log(slope) >= least || Math.log(slope / explained) <= -least
}

/** A few unlikely tokens do not decide it: most of the points lie nearer to the line than to that of equal temperatures. */
function isNearer(line: Line, points: Points, thresholds: Thresholds): boolean {
  return !(agreement(points, line) < thresholds['temperature-standard-errors'])
}

function largeSum({ tokens, sampler, trainer }: ScoredPairs, largeGap: number): number {
  let sum = 0
  for (const i of tokens) {
    const gap = Math.abs((sampler[i] as number) - (trainer[i] as number))
    if (gap > largeGap) sum += gap
  }
  return sum
}

/** Pearson's correlation of the sampler at i and the trainer at i + shift, for shifts from -3 to 3. */
function correlationsByShift({ tokens, sampler, trainer }: ScoredPairs, thresholds: Thresholds): number[] {
  const bounds = logprobBounds(thresholds)
  const enough = thresholds['scored-tokens'] / 2
  const correlations: number[] = []
  for (let shift = -LARGEST_SHIFT; shift <= LARGEST_SHIFT; shift++) {
    let n = 0
    let sumX = 0
    let sumY = 0
    let sumXX = 0
    let sumXY = 0
    let sumYY = 0
    for (let k = 0; k < tokens.length; k++) {
      const i = tokens[k] as number
      if (i + shift < 0 || i + shift >= trainer.length) continue
      const y = trainer[i + shift] as number
      if (!isLogprob(y, bounds)) continue
      const x = sampler[i] as number
      n++
      sumX += x
      sumY += y
      sumXX += x * x
      sumXY += x * y
      sumYY += y * y
    }
    correlations.push(n >= enough ? correlationOf({ n, sumX, sumY, sumXX, sumXY, sumYY }) : 0)
  }
  return correlations
}

/** Pearson's, 0 where one of the two does not vary. */
function correlationOf({ n, sumX, sumY, sumXX, sumXY, sumYY }: LineSums): number {
  const spread = (sumXX - (sumX * sumX) / n) * (sumYY - (sumY * sumY) / n)
  return spread > 0 ? (sumXY - (sumX * sumY) / n) / Math.sqrt(spread) : 0
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

function gapsByTurn(view: TrajectoryView, { tokens, sampler, trainer }: ScoredPairs): TurnGap[] {
  const { segmentation, thresholds } = view
  const { 'turn-head-tokens': headLength, 'turn-head-gap': headGap } = thresholds
  const ranges =
    segmentation === null
      ? [{ turn: null, start: tokens[0] as number, end: (tokens.at(-1) as number) + 1 }]
      : writtenTurns(segmentation).map((turn) => ({ turn, start: turn.contentStart, end: turn.end }))
  let at = 0
  return ranges.flatMap(({ turn, start, end }) => {
    while (at < tokens.length && (tokens[at] as number) < start) at++
    let count = 0
    let sum = 0
    let absolute = 0
    let surprise = 0
    let squares = 0
    let headSum = 0
    let headSquares = 0
    let headCount = 0
    let headTokens = 0
    const first = at
    for (; at < tokens.length && (tokens[at] as number) < end; at++) {
      const i = tokens[at] as number
      const gap = (sampler[i] as number) - (trainer[i] as number)
      count++
      sum += gap
      absolute += Math.abs(gap)
      surprise -= sampler[i] as number
      squares += gap * gap
      if (i < start + headLength) {
        headCount++
        headSum += gap
        headSquares += gap * gap
        if (gap >= headGap) headTokens++
      }
    }
    if (count === 0) return []
    const mean = sum / count
    const head = headCount === 0 ? 0 : headSum / headCount
    return {
      turn,
      start: tokens[first] as number,
      end: (tokens[at - 1] as number) + 1,
      count,
      mean,
      meanAbsolute: absolute / count,
      surprise: surprise / count,
      error: Math.sqrt(Math.max(0, squares / count - mean * mean) / count),
      headTokens,
      head,
      headError: headCount === 0 ? 0 : Math.sqrt(Math.max(0, headSquares / headCount - head * head) / headCount),
      tail: count === headCount ? 0 : (sum - headSum) / (count - headCount),
    }
  })
}

/** Later turns in which the trainer finds what was sampled less likely (the gap is positive on average), where the engines agree in the first. */
function laterTurnsOff(turns: readonly TurnGap[], thresholds: Thresholds): TurnGap[] {
  const { 'turn-tokens': enoughTokens, 'gap-standard-errors': errors, 'turn-gap': leastGap } = thresholds
  const sure = turns.filter(({ count, mean, error }) => count >= enoughTokens && mean - errors * error >= leastGap)
  const first = turns[0]
  if (first === undefined || Math.abs(first.mean) >= thresholds['engines-agree']) return []
  return sure.filter((each) => each !== first && each.mean >= thresholds['turn-gap-times'] * Math.abs(first.mean))
}

/** Turns whose beginnings the trainer finds less likely than the sampler did, and more so than what follows in them. */
function beginningsOff(turns: readonly TurnGap[], thresholds: Thresholds): readonly TurnGap[] {
  const { 'turn-tokens': enoughTokens, 'gap-standard-errors': errors } = thresholds
  const asked = turns.filter(({ count }) => count >= enoughTokens)
  const beginnings = asked.filter(({ head }) => head >= thresholds['turn-head-gap'])
  if (beginnings.length === 0 || beginnings.length * 2 < turns.length) return []
  const total = (of: (gap: TurnGap) => number) => beginnings.reduce((sum, each) => sum + of(each), 0)
  const begins = total(({ head }) => head)
  const follows = total(({ tail }) => Math.max(0, tail))
  // A single odd token is none: two engines may well differ on one.
  const enough = total(({ headTokens }) => headTokens) >= thresholds['turn-head-large']
  // Noise is largest where a turn begins, too, and makes one beginning less likely and another more.
  const ofAll = asked.reduce((sum, { head }) => sum + head, 0)
  const error = Math.sqrt(asked.reduce((sum, { headError }) => sum + headError ** 2, 0))
  const surely = ofAll - errors * error >= thresholds['turn-head-gap'] * asked.length
  return enough && surely && begins >= thresholds['turn-head-times'] * follows ? beginnings : []
}

/** Names under which mixtures of experts are published: `…-30B-A3B`, Mixtral, DeepSeek V2 and later, gpt-oss. */
export function isMixtureOfExperts(model: string | null): boolean {
  return (
    model !== null &&
    /moe|-a\d+(\.\d+)?b\b|mixtral|deepseek-?(v[2-9]|r1(?!-distill))|gpt-oss|kimi-k|glm-4\.[5-9]/i.test(model)
  )
}
