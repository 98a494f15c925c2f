import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { speltMarkers } from '../template/spelt-markers.ts'
import {
  correlationOf,
  fitLine,
  growsWithSurprise,
  isFiltered,
  isLevel,
  isNearer,
  isTiltedByAll,
  type Line,
  lineOfUncertain,
  logprobPoints,
  mayBeTilted,
  oddsLine,
  oddsPoints,
  type Points,
} from './gap-line.ts'
import { findShift } from './gap-shift.ts'
import { beginningsOff, gapsByTurn, isDeniedAtFirst, isOfFewTokens, laterTurnsOff, type TurnGap } from './gap-turns.ts'
import { pairsOf, type ScoredPairs } from './scored.ts'
import { areOfOlderVersions } from './version-gaps.ts'

/** What the gap between sampler and trainer looks like; the first of these that holds names it. */
export const GAP_CAUSES = ['none', 'shifted', 'temperature', 'renormalised', 'context', 'routing', 'mismatch'] as const
export type GapCause = (typeof GAP_CAUSES)[number]

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
  /** Of a temperature: what the gap is where the other rollouts deny that. Null with any other cause. */
  readonly otherwise: GapCause | null
  /** Trainer against sampler: of the logprobs, or of the odds where these show a temperature. */
  readonly line: Line
  /** Correlation of the two at each shift from -3 to 3; only where a shift was looked for. */
  readonly correlations: readonly number[]
  /** Tokens by which the trainer's array is late against the sampler's. */
  readonly shift: number
  /** Token from which on it is; 0 where all of it is. */
  readonly shiftedFrom: number
  readonly turns: readonly TurnGap[]
  /** Turns in which a context fault shows, in order; empty unless that is the cause. */
  readonly affectedTurns: readonly TurnGap[]
  /** Where it shows; null unless that is the cause. */
  readonly contextSeen: 'in every turn' | 'in later turns' | 'at the beginning of turns' | null
}

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
  const { tokens } = pairs
  const { thresholds } = view
  const { 'large-gap': largeGap, 'not-certain': notCertain } = thresholds
  const { 'engines-agree': agrees, 'engines-differ': differs, 'renormalised-gap': leastRenormalised } = thresholds
  const n = tokens.length
  const { sum, absolute, squares, large, zeros, largest, sums } = sumsOf(pairs, largeGap, -notCertain)
  const meanAbsolute = absolute / n
  const line = fitLine(sums, 'logprobs')
  // Every field stands here already: Node 20 gives each object that a spread adds one to a hidden class of its own.
  const base: GapShape = {
    cause: 'none',
    otherwise: null,
    count: n,
    mean: sum / n,
    meanAbsolute,
    error: Math.sqrt(Math.max(0, squares / n - meanAbsolute * meanAbsolute) / n),
    largeShare: large / n,
    largest,
    line,
    correlations: [],
    shift: 0,
    shiftedFrom: 0,
    turns: [],
    affectedTurns: [],
    contextSeen: null,
  }
  // The usual case: nothing of the rest is worth computing.
  if (meanAbsolute < Math.min(leastRenormalised, agrees, differs) && large === 0) return base
  // Arrays that correlate as they lie are not shifted, whatever they would do elsewhere.
  if (meanAbsolute >= differs && correlationOf(sums) <= thresholds['unshifted-correlates']) {
    const found = findShift(pairs, thresholds)
    if (found !== null) return { ...base, cause: 'shifted', ...found }
  }
  if (meanAbsolute >= differs) {
    const later = laterTurns(pairs)
    const found = later === null ? null : findShift(later, thresholds)
    if (found !== null) return { ...base, cause: 'shifted', ...found, shiftedFrom: later?.tokens[0] ?? 0 }
  }
  const turns = gapsByTurn(view, pairs)
  // One token far off makes a mean of so little.
  const renormalised =
    base.mean - base.error >= leastRenormalised &&
    base.mean >= thresholds['renormalised-share'] * meanAbsolute &&
    largest.gap <= thresholds['renormalised-most'] &&
    zeros >= thresholds['renormalised-zeros'] * n &&
    !growsWithSurprise(pairs, thresholds)
  // A sampler that is above by as much on every token is no temperature: what is cut off at 0 bends its odds as one would.
  if (meanAbsolute >= agrees && !(renormalised && isLevel(lineOfUncertain(pairs), thresholds))) {
    // Dividing leaves a certain token certain: where many are of the sampler alone, the logprobs lie on a line for another reason.
    const ofLogprobs = zeros >= thresholds['renormalised-zeros'] * n ? null : line
    const tilted = tiltedLine(pairs, { ofLogprobs, base }, turns, thresholds)
    if (tilted !== null) {
      const otherwise = untilted(view, pairs, { base, turns, renormalised }).cause
      return { ...base, line: tilted, cause: 'temperature', otherwise }
    }
  }
  return untilted(view, pairs, { base, turns, renormalised })
}

/** What it looks like to whom no temperature shows. */
function untilted(
  view: TrajectoryView,
  pairs: ScoredPairs,
  found: { readonly base: GapShape; readonly turns: readonly TurnGap[]; readonly renormalised: boolean },
): GapShape {
  const { base, turns, renormalised } = found
  const { line, meanAbsolute, count: n } = base
  const { thresholds } = view
  const { 'large-gap': largeGap, 'engines-differ': differs } = thresholds
  const large = Math.round(base.largeShare * n)
  const absolute = meanAbsolute * n
  if (renormalised) return { ...base, cause: 'renormalised' }
  // A few tokens far out carry the mean of a noisy rollout beyond any bound: it must pass that by more than its error. By twice that would cost true ones.
  const isPast = base.mean - base.error >= thresholds['one-sided-gap']
  const oneSided =
    isPast &&
    base.mean >= thresholds['one-sided-share'] * meanAbsolute &&
    line.explained <= mostExplained(base, thresholds)
  const everywhere =
    oneSided && turns.every(({ mean }) => mean >= thresholds['one-sided-gap']) && !isOfFewTokens(turns, thresholds)
  if (everywhere) return { ...base, cause: 'context', turns, affectedTurns: turns, contextSeen: 'in every turn' }
  const later = laterTurnsOff(turns, thresholds)
  const begun = beginningsOff(turns, thresholds).filter(({ turn }) => turn === null || !opensInLetters(view, turn))
  if (later.length > 0) {
    // Where some of them agree again after their beginning, it is one fault.
    const affectedTurns = turns.filter((each, at) => later.includes(each) || (at > 0 && begun.includes(each)))
    return { ...base, cause: 'context', turns, affectedTurns, contextSeen: 'in later turns' }
  }
  if (begun.length > 0) {
    return { ...base, cause: 'context', turns, affectedTurns: begun, contextSeen: 'at the beginning of turns' }
  }
  const restAgrees = (absolute - largeSum(pairs, largeGap)) / Math.max(1, n - large) < differs
  const isTail =
    large >= thresholds['tail-tokens'] &&
    large >= thresholds['tail-share-least'] * n &&
    large <= thresholds['tail-share-most'] * n
  const isRouted = isTail && restAgrees && isMixtureOfExperts(view.trajectory.model)
  if (isRouted && !areOfOlderVersions(view, largeGap)) return { ...base, cause: 'routing', turns }
  const surely = meanAbsolute - thresholds['gap-standard-errors'] * base.error >= differs
  return { ...base, cause: surely ? 'mismatch' : 'none', turns }
}

/** What a line may explain: one that a token far out has bent says little where most of the others lost half of their probability. */
function mostExplained({ largeShare }: GapShape, thresholds: Thresholds): number {
  return thresholds[largeShare >= thresholds['context-halves'] ? 'context-explained-at-most' : 'context-explained']
}

/** Engines that store a logprob divided by the temperature lie on a line; those that divide the logits, on one of the odds. */
function tiltedLine(
  pairs: ScoredPairs,
  { ofLogprobs, base }: { readonly ofLogprobs: Line | null; readonly base: GapShape },
  turns: readonly TurnGap[],
  thresholds: Thresholds,
): Line | null {
  const isTilted = (line: Line, pointsOf: () => Points) => {
    if (!mayBeTilted(line, thresholds)) return false
    const points = pointsOf()
    return (
      isTiltedByAll(line, points, thresholds) &&
      isNearer(line, points, thresholds) &&
      !isDeniedAtFirst(turns, line, pairs, thresholds)
    )
  }
  const ofOdds = oddsLine(pairs, thresholds)
  if (isFiltered(base, { logprobs: base.line, odds: ofOdds }, thresholds)) return null
  if (ofLogprobs !== null && isTilted(ofLogprobs, () => logprobPoints(pairs))) return ofLogprobs
  return isTilted(ofOdds, () => oddsPoints(pairs, thresholds)) ? ofOdds : null
}

/** The trainer is surprised at letters of a tag that the model did not write (T16), and not at what follows them. */
function opensInLetters(view: TrajectoryView, turn: Turn): boolean {
  return speltMarkers(view, turn).some(({ kind, start }) => kind === 'tag' && start === turn.contentStart)
}

/** The pairs behind the first turn; null where there are too few. */
function laterTurns(pairs: ScoredPairs): ScoredPairs | null {
  const { tokens } = pairs
  let next = 1
  while (next < tokens.length && tokens[next] === (tokens[next - 1] as number) + 1) next++
  return next < tokens.length ? { ...pairs, tokens: tokens.subarray(next) } : null
}

/** A loop of its own: the engine keeps its sums in registers, and compiles it long before what is decided by them. */
function sumsOf({ tokens, sampler, trainer }: ScoredPairs, largeGap: number, certain: number) {
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
  let token = tokens[0] as number
  let furthest = 0
  for (let k = 0; k < tokens.length; k++) {
    const i = tokens[k] as number
    const x = sampler[i] as number
    const y = trainer[i] as number
    const gap = x - y
    const distance = Math.abs(gap)
    sum += gap
    absolute += distance
    squares += gap * gap
    if (distance > largeGap) large++
    if (x === 0 && y < certain) zeros++
    if (distance > furthest) {
      furthest = distance
      token = i
    }
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
    sumYY += y * y
  }
  const largest = { token, gap: furthest === 0 ? 0 : (sampler[token] as number) - (trainer[token] as number) }
  const sums = { n: tokens.length, sumX, sumY, sumXX, sumXY, sumYY }
  return { sum, absolute, squares, large, zeros, largest, sums }
}

function largeSum({ tokens, sampler, trainer }: ScoredPairs, largeGap: number): number {
  let sum = 0
  for (const i of tokens) {
    const gap = Math.abs((sampler[i] as number) - (trainer[i] as number))
    if (gap > largeGap) sum += gap
  }
  return sum
}

/** Names under which mixtures of experts are published: `…-30B-A3B`, `…-17B-16E`, `…-8x7B`, Mixtral, DeepSeek V2 and later, gpt-oss. */
export function isMixtureOfExperts(model: string | null): boolean {
  return (
    model !== null &&
    /moe|-a\d+(\.\d+)?b\b|(?<!\d)\d+b-\d+e\b|(?<!\d)\d+x\d+(\.\d+)?b\b|mixtral|deepseek-?(v[2-9]|r1(?!-distill|.*(?:qwen|llama)))|gpt-oss|kimi-k|glm-4\.[5-9](?!v-flash)/i.test(
      model,
    )
  )
}
