import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span } from '../../model/tokens.ts'
import type { ScoredPairs } from './scored.ts'

export const LINES = ['logprobs', 'odds'] as const

/** Slope of a straight line, and share of the variance that it explains. */
export interface Line {
  readonly of: (typeof LINES)[number]
  readonly slope: number
  readonly explained: number
  readonly count: number
}

/** Sums over points, by which a line and a correlation are found. */
export interface LineSums {
  readonly n: number
  readonly sumX: number
  readonly sumY: number
  readonly sumXX: number
  readonly sumXY: number
  readonly sumYY: number
}

/** Sums over the scored tokens of this range (of indices into `tokens`), trainer against sampler. */
export function sumsAmong({ tokens, sampler, trainer }: ScoredPairs, { start, end }: Span): LineSums {
  let sumX = 0
  let sumY = 0
  let sumXX = 0
  let sumXY = 0
  let sumYY = 0
  for (let k = start; k < end; k++) {
    const i = tokens[k] as number
    const x = sampler[i] as number
    const y = trainer[i] as number
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  return { n: end - start, sumX, sumY, sumXX, sumXY, sumYY }
}

export function addSums(a: LineSums, b: LineSums): LineSums {
  return {
    n: a.n + b.n,
    sumX: a.sumX + b.sumX,
    sumY: a.sumY + b.sumY,
    sumXX: a.sumXX + b.sumXX,
    sumXY: a.sumXY + b.sumXY,
    sumYY: a.sumYY + b.sumYY,
  }
}

/** The line of least squares, from its sums. */
export function fitLine({ n, sumX, sumY, sumXX, sumXY, sumYY }: LineSums, of: Line['of']): Line {
  const varianceX = sumXX - (sumX * sumX) / n
  const varianceY = sumYY - (sumY * sumY) / n
  const together = sumXY - (sumX * sumY) / n
  if (!(varianceX > 0 && varianceY > 0)) return { of, slope: 1, explained: 0, count: n }
  return { of, slope: together / varianceX, explained: (together * together) / (varianceX * varianceY), count: n }
}

/** The line through the logprobs of those tokens of which the sampler was not certain. */
export function lineOfUncertain({ tokens, sampler, trainer }: ScoredPairs): Line {
  let n = 0
  let sumX = 0
  let sumY = 0
  let sumXX = 0
  let sumXY = 0
  let sumYY = 0
  for (const i of tokens) {
    const x = sampler[i] as number
    const y = trainer[i] as number
    if (x === 0) continue
    n++
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  return fitLine({ n, sumX, sumY, sumXX, sumXY, sumYY }, 'logprobs')
}

/**
 * Mean |gap| of these scored tokens if the trainer were a temperature away from the sampler, as the slope of the line says. Logprobs that are
 * divided move the more the less likely a token is; of odds that are, one of even odds stays where it is.
 */
export function gapOnLine({ tokens, sampler }: ScoredPairs, { start, end }: Span, { of, slope }: Line): number {
  let sum = 0
  for (let k = start; k < end; k++) {
    const own = sampler[tokens[k] as number] as number
    if (own >= 0) continue
    const trainer = of === 'logprobs' ? slope * own : -Math.log1p(Math.exp(-slope * logOdds(own)))
    sum += Math.abs(own - trainer)
  }
  return sum / (end - start)
}

/** A line that explains the logprobs and has a slope of about 1: a temperature would tilt it. */
export function isLevel({ slope, explained }: Line, thresholds: Thresholds): boolean {
  const most = thresholds['temperature-slope']
  return explained >= thresholds['temperature-explains-logprobs'] && slope < most && slope * most > 1
}

/**
 * A sampler that gives to the tokens it kept what the others had is above the trainer throughout: that moves unlikely tokens most by their logprobs and
 * likely ones by their odds, so that the two lines are tilted to either side. By a temperature both are tilted to one.
 */
export function isFiltered(
  { mean, meanAbsolute }: { readonly mean: number; readonly meanAbsolute: number },
  { logprobs, odds }: { readonly logprobs: Line; readonly odds: Line },
  thresholds: Thresholds,
): boolean {
  return mean >= thresholds['renormalised-share'] * meanAbsolute && sideOf(logprobs) > 0 && sideOf(odds) < 0
}

/**
 * Whether the gap of tokens of which the sampler was not certain is in proportion to their logprobs, as that of a temperature is, however little that
 * differs from 1. What a filter left over has one divisor for likely tokens and unlikely ones.
 */
export function growsWithSurprise({ tokens, sampler, trainer }: ScoredPairs, thresholds: Thresholds): boolean {
  let n = 0
  let sum = 0
  let squares = 0
  let together = 0
  for (const i of tokens) {
    const own = sampler[i] as number
    if (own === 0) continue
    const gap = own - (trainer[i] as number)
    n++
    sum += gap
    squares += own * own
    together += own * gap
  }
  // Of the squared gap, what a multiple of the logprob explains, and what one amount for all tokens does.
  return together < 0 && together * together * n > thresholds['renormalised-in-proportion'] * sum * sum * squares
}

/** What a line goes through: x of the sampler, y of the trainer. */
export interface Points {
  readonly x: Float64Array
  readonly y: Float64Array
}

/** The logprobs themselves. */
export function logprobPoints({ tokens, sampler, trainer }: ScoredPairs): Points {
  const x = new Float64Array(tokens.length)
  const y = new Float64Array(tokens.length)
  for (let k = 0; k < tokens.length; k++) {
    x[k] = sampler[tokens[k] as number] as number
    y[k] = trainer[tokens[k] as number] as number
  }
  return { x, y }
}

/** Between two tokens, dividing the logits by T raises the odds of one to the power 1/T; with more tokens, nearly so. */
export function oddsPoints({ tokens, sampler, trainer }: ScoredPairs, thresholds: Thresholds): Points {
  const within = oddsBounds(thresholds)
  const x = new Float64Array(tokens.length)
  const y = new Float64Array(tokens.length)
  let n = 0
  for (let k = 0; k < tokens.length; k++) {
    const own = sampler[tokens[k] as number] as number
    const other = trainer[tokens[k] as number] as number
    if (!haveOdds(own, other, within)) continue
    x[n] = logOdds(own)
    y[n] = logOdds(other)
    n++
  }
  return { x: x.subarray(0, n), y: y.subarray(0, n) }
}

/** The line of least squares through these points. */
export function oddsLine(pairs: ScoredPairs, thresholds: Thresholds): Line {
  return fitLine(oddsSums(pairs, thresholds), 'odds')
}

/** Sums over these points, of which nothing is kept: every rollout is asked for them. */
export function oddsSums({ tokens, sampler, trainer }: ScoredPairs, thresholds: Thresholds): LineSums {
  const within = oddsBounds(thresholds)
  let n = 0
  let sumX = 0
  let sumY = 0
  let sumXX = 0
  let sumXY = 0
  let sumYY = 0
  for (let k = 0; k < tokens.length; k++) {
    const own = sampler[tokens[k] as number] as number
    const other = trainer[tokens[k] as number] as number
    if (!haveOdds(own, other, within)) continue
    const x = logOdds(own)
    const y = logOdds(other)
    n++
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  return { n, sumX, sumY, sumXX, sumXY, sumYY }
}

interface OddsBounds {
  readonly own: number
  readonly other: number
  readonly least: number
}

function oddsBounds({ 'odds-most': own, 'odds-beyond': beyond, 'odds-least': least }: Thresholds): OddsBounds {
  return { own, other: own / beyond, least }
}

/** Where a token is all but certain, or all but impossible, its odds are rounding. */
function haveOdds(own: number, other: number, most: OddsBounds): boolean {
  return !(own > most.own || other > most.other || own < most.least)
}

/** Of a logprob below 0. */
function logOdds(logprob: number): number {
  return logprob - Math.log(-Math.expm1(logprob))
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

/** The line is one, and surely not that of equal temperatures, if its points are all as noisy. */
export function mayBeTilted(line: Line, thresholds: Thresholds): boolean {
  const { explained, count } = line
  if (count < thresholds['scored-tokens'] || !isLine(line, thresholds)) return false
  const error = Math.sqrt((1 - explained) / explained / (count - 2))
  return isBeyond(line, { least: thresholds['temperature-slope'], error, freedom: count - 2 }, thresholds)
}

/** It may be that of a temperature, though its own points do not prove it: those of other rollouts must. */
export function leans(line: Line, thresholds: Thresholds): boolean {
  const bound = { least: thresholds['temperature-slope'], error: 0, freedom: line.count }
  return isLine(line, thresholds) && isBeyond(line, bound, thresholds)
}

/** It rises, and explains what a temperature would. */
export function isLine({ of, slope, explained }: Line, thresholds: Thresholds): boolean {
  return (
    slope > 0 && explained >= thresholds[of === 'odds' ? 'temperature-explains-odds' : 'temperature-explains-logprobs']
  )
}

/**
 * Noise in the sampler's numbers flattens the line and noise in the trainer's does not, so the true slope lies between the one fitted and
 * that divided by the share explained: both must be on one side of 1. `error` is that of the slope's logarithm.
 */
export function isBeyond(
  { slope, explained }: Line,
  { least, error, freedom }: { readonly least: number; readonly error: number; readonly freedom: number },
  thresholds: Thresholds,
): boolean {
  const bound = Math.log(least) + studentErrors(thresholds['slope-standard-errors'], freedom) * error
  return Math.log(slope) >= bound || Math.log(slope / explained) <= -bound
}

/**
 * The same by what leaving out one point after another does to the slope. Noise of logits moves the logprob of an unlikely token most: one such
 * token decides a fitted slope, and the line that runs through it says that it has no error.
 */
export function isTiltedByAll(line: Line, { x, y }: Points, thresholds: Thresholds): boolean {
  const { slope, count } = line
  const [middleX, middleY] = [meanOf(x), meanOf(y)]
  let spread = 0
  for (const own of x) spread += (own - middleX) ** 2
  let squares = 0
  for (let k = 0; k < x.length; k++) {
    const own = (x[k] as number) - middleX
    const off = (y[k] as number) - middleY - slope * own
    const change = (own * off) / (spread * (1 - 1 / x.length) - own * own)
    squares += change * change
  }
  const error = Math.sqrt(squares) / slope
  return isBeyond(line, { least: thresholds['temperature-slope'], error, freedom: count - 2 }, thresholds)
}

/** 1 where the true slope is above 1 whichever side is noisy, -1 where it is below. */
function sideOf({ slope, explained }: Line): number {
  if (slope > 1) return 1
  return slope > 0 && slope < explained ? -1 : 0
}

/** Standard errors of Student's t that are passed by chance as seldom as those of a normal distribution (Cornish-Fisher, first term). */
function studentErrors(normal: number, freedom: number): number {
  return normal + (normal ** 3 + normal) / (4 * freedom)
}

/** A few unlikely tokens do not decide it: most of the points lie nearer to the line than to that of equal temperatures. */
export function isNearer(line: Line, points: Points, thresholds: Thresholds): boolean {
  return !(agreement(points, line) < thresholds['temperature-standard-errors'])
}

/** Pearson's, 0 where one of the two does not vary. */
export function correlationOf({ n, sumX, sumY, sumXX, sumXY, sumYY }: LineSums): number {
  const spread = (sumXX - (sumX * sumX) / n) * (sumYY - (sumY * sumY) / n)
  return spread > 0 ? (sumXY - (sumX * sumY) / n) / Math.sqrt(spread) : 0
}
