import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span, Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { addSums, fitLine, gapOnLine, type Line, type LineSums, sumsAmong } from './gap-line.ts'
import type { ScoredPairs } from './scored.ts'

/** The gap of one assistant turn, in nats. */
export interface TurnGap {
  /** Null where no turns are known: then there is one entry for the row. */
  readonly turn: Turn | null
  readonly start: number
  readonly end: number
  readonly count: number
  readonly mean: number
  readonly meanAbsolute: number
  /** The same over the first and the second half of its tokens. */
  readonly earlyAbsolute: number
  readonly lateAbsolute: number
  /** Mean |logprob| of the sampler. */
  readonly surprise: number
  /** Standard error of `mean`. */
  readonly error: number
  /** Tokens whose probability the trainer finds half as large, or smaller still. */
  readonly halved: number
  /** Tokens among the first with a gap of their own. */
  readonly headTokens: number
  /** Mean gap of the first tokens, and of the others; 0 where there are none. */
  readonly head: number
  /** Standard error of `head`. */
  readonly headError: number
  readonly tail: number
  /** What the standard error of `head` would be if the first tokens were as noisy as the others. */
  readonly headErrorByTail: number
  /** Tokens of which the sampler was not sure, and those of them that the trainer finds as likely. */
  readonly unsure: number
  readonly unsureAgreed: number
  /** The same among the first tokens. */
  readonly headUnsure: number
  readonly headAgreed: number
  /** Tokens of which the sampler was sure, exact zeros left out, and those of them that the trainer finds half as likely or less. */
  readonly sure: number
  readonly denied: number
  /** Of a line through its tokens, trainer against sampler, and of one through the first alone. */
  readonly line: LineSums
  readonly headLine: LineSums
}

/** The gap of each turn that has scored tokens; of the whole row where no turns are known. */
export function gapsByTurn({ segmentation, thresholds }: TrajectoryView, pairs: ScoredPairs): TurnGap[] {
  const { tokens } = pairs
  const ranges =
    segmentation === null
      ? [{ turn: null, start: tokens[0] as number, end: (tokens.at(-1) as number) + 1 }]
      : writtenTurns(segmentation).map((turn) => ({ turn, start: turn.contentStart, end: turn.end }))
  const gaps: TurnGap[] = []
  let from = 0
  for (const { turn, start, end } of ranges) {
    while (from < tokens.length && (tokens[from] as number) < start) from++
    let to = from
    while (to < tokens.length && (tokens[to] as number) < end) to++
    if (to > from) gaps.push(gapOfTurn(turn, start, pairs, { start: from, end: to }, thresholds))
    from = to
  }
  return gaps
}

/** A function of its own, so that its sums stay in registers. `among`: of the scored tokens, one or more, those of the turn; `start`: its first token. */
function gapOfTurn(turn: Turn | null, start: number, pairs: ScoredPairs, among: Span, thresholds: Thresholds): TurnGap {
  const { 'turn-head-tokens': headLength, 'turn-head-gap': headGap, 'unsure-token': notSure } = thresholds
  const { 'unsure-moved': moved, 'large-gap': largeGap, 'sure-token': isSure } = thresholds
  const { tokens, sampler, trainer } = pairs
  const count = among.end - among.start
  const middle = among.start + (count >> 1)
  let sum = 0
  let absolute = 0
  let late = 0
  let surprise = 0
  let squares = 0
  let halved = 0
  let headSum = 0
  let headSquares = 0
  let headCount = 0
  let headTokens = 0
  let unsure = 0
  let unsureAgreed = 0
  let headUnsure = 0
  let headAgreed = 0
  let sure = 0
  let denied = 0
  for (let at = among.start; at < among.end; at++) {
    const i = tokens[at] as number
    const own = sampler[i] as number
    const gap = own - (trainer[i] as number)
    sum += gap
    absolute += Math.abs(gap)
    if (at >= middle) late += Math.abs(gap)
    surprise -= own
    squares += gap * gap
    if (gap > largeGap) halved++
    if (own >= -isSure && own !== 0) {
      sure++
      if (gap > largeGap) denied++
    }
    const isUnsure = own <= -notSure
    const agrees = isUnsure && Math.abs(gap) < -moved * own
    if (isUnsure) unsure++
    if (agrees) unsureAgreed++
    if (i < start + headLength) {
      headCount++
      headSum += gap
      headSquares += gap * gap
      if (gap >= headGap) headTokens++
      if (isUnsure) headUnsure++
      if (agrees) headAgreed++
    }
  }
  const mean = sum / count
  const head = headCount === 0 ? 0 : headSum / headCount
  const tailCount = count - headCount
  const tail = tailCount === 0 ? 0 : (sum - headSum) / tailCount
  const tailVariance = tailCount === 0 ? 0 : (squares - headSquares) / tailCount - tail * tail
  return {
    turn,
    start: tokens[among.start] as number,
    end: (tokens[among.end - 1] as number) + 1,
    count,
    mean,
    meanAbsolute: absolute / count,
    earlyAbsolute: middle === among.start ? 0 : (absolute - late) / (middle - among.start),
    lateAbsolute: late / (among.end - middle),
    surprise: surprise / count,
    error: Math.sqrt(Math.max(0, squares / count - mean * mean) / count),
    halved,
    headTokens,
    head,
    headError: headCount === 0 ? 0 : Math.sqrt(Math.max(0, headSquares / headCount - head * head) / headCount),
    tail,
    headErrorByTail: tailCount === 0 || headCount === 0 ? 0 : Math.sqrt(Math.max(0, tailVariance) / headCount),
    unsure,
    unsureAgreed,
    headUnsure,
    headAgreed,
    sure,
    denied,
    line: sumsAmong(pairs, among),
    headLine: sumsAmong(pairs, { start: among.start, end: among.start + headCount }),
  }
}

/**
 * Another context makes hardly any token as likely as it was that was not certain. Where many of them are, the gap is that of a few tokens
 * far out, which noise puts anywhere.
 */
export function isOfFewTokens(turns: readonly TurnGap[], { 'unsure-agreed': most }: Thresholds): boolean {
  return share(turns, 'unsureAgreed', 'unsure') >= most
}

function share(turns: readonly TurnGap[], part: 'unsureAgreed' | 'headAgreed', of: 'unsure' | 'headUnsure'): number {
  const all = turns.reduce((sum, turn) => sum + turn[of], 0)
  return all === 0 ? 0 : turns.reduce((sum, turn) => sum + turn[part], 0) / all
}

/**
 * Whether the trainer follows the sampler from token to token: what engines differ by lies around what the sampler found, however large it is
 * and wherever in a turn, and what is found behind another context hardly depends on it.
 */
function follows(turns: readonly LineSums[], { 'context-explained': most }: Thresholds): boolean {
  const { slope, explained } = fitLine(turns.reduce(addSums), 'logprobs')
  return slope > 0 && explained > most
}

/**
 * Whether the trainer finds less likely by nearly as much (`least` of the mean gap) what the sampler was certain of: engines differ there by next to
 * nothing, however much they do elsewhere.
 */
function liesBelow(line: LineSums, least: number): boolean {
  const [sampler, trainer] = [line.sumX / line.n, line.sumY / line.n]
  return fitLine(line, 'logprobs').slope * sampler - trainer >= least * (sampler - trainer)
}

/**
 * Later turns in which the trainer finds what was sampled less likely (the gap is positive on average), by many times what the engines differ by in
 * the first, be it up or down: where both differ throughout, that may well cancel out in one turn. The context changes between two turns, so
 * the gap is a step; one that grows from token to token, and from turn to turn, is none.
 */
export function laterTurnsOff(turns: readonly TurnGap[], thresholds: Thresholds): TurnGap[] {
  const { 'turn-tokens': enoughTokens, 'turn-gap-times': times } = thresholds
  const [first, ...later] = turns
  if (first === undefined) return []
  const off: TurnGap[] = []
  let before = first
  for (const each of later) {
    if (each.count < enoughTokens) continue
    const isStep = each.earlyAbsolute >= times * before.lateAbsolute
    if (isStep && isLessLikely(each, first, thresholds)) off.push(each)
    // A step that is not sure is no turn to hold others against.
    else if (each.meanAbsolute < times * before.lateAbsolute) before = each
  }
  return off
}

function isLessLikely(each: TurnGap, first: TurnGap, thresholds: Thresholds): boolean {
  const { 'gap-standard-errors': errors, 'turn-gap': leastGap, 'turn-gap-times': times } = thresholds
  // Noise halves few tokens: where most do, the gap is not that of a few, and one far out may draw a line through the others.
  const isOfMost = each.halved >= thresholds['context-halves'] * each.count
  const certain = thresholds[isOfMost ? 'context-certain-where-halved' : 'context-certain']
  return (
    (isOfMost || !isOfFewTokens([each], thresholds)) &&
    (!follows([each.line], thresholds) || liesBelow(each.line, certain)) &&
    each.mean >= times * first.meanAbsolute &&
    each.mean - errors * Math.hypot(each.error, first.error) >= leastGap
  )
}

/** The engines agree in the first turn, or differ there by a small part of what each later beginning that is off has. */
function isCalmBeside(first: TurnGap, later: readonly TurnGap[], thresholds: Thresholds): boolean {
  const { 'turn-tokens': enoughTokens, 'turn-head-gap': headGap, 'turn-head-over-first': times } = thresholds
  const heads = later.filter(({ count, head }) => count >= enoughTokens && head >= headGap).map(({ head }) => head)
  // A first turn of which the sampler was all but certain leaves little to differ by: most of that is noise as any.
  if (3 * first.meanAbsolute >= 2 * first.surprise) return false
  if (first.meanAbsolute < thresholds['engines-agree']) return true
  return heads.length > 0 && first.meanAbsolute * times < Math.min(...heads)
}

/**
 * Turns whose beginnings the trainer finds less likely than the sampler did, and more so than what follows in them. A first turn in which the
 * engines agree says nothing against those behind it.
 */
export function beginningsOff(all: readonly TurnGap[], thresholds: Thresholds): readonly TurnGap[] {
  const { 'turn-tokens': enoughTokens, 'turn-head-standard-errors': errors } = thresholds
  const [first, ...later] = all
  const agrees = first !== undefined && first.count >= enoughTokens && isCalmBeside(first, later, thresholds)
  const turns = agrees ? later : all
  const asked = turns.filter(({ count }) => count >= enoughTokens)
  const beginnings = asked.filter(({ head }) => head >= thresholds['turn-head-gap'])
  if (beginnings.length === 0 || beginnings.length * 2 < turns.length) return []
  const total = (of: (gap: TurnGap) => number) => beginnings.reduce((sum, each) => sum + of(each), 0)
  const begins = total(({ head }) => head)
  const behind = total(({ tail }) => Math.max(0, tail))
  // A single odd token is none: two engines may well differ on one.
  const enough = total(({ headTokens }) => headTokens) >= thresholds['turn-head-large']
  // Noise is largest where a turn begins, too, and makes one beginning less likely and another more. Where there is none in the first turn, as
  // many tokens of each as would do for all are sure enough.
  const ofAll = asked.reduce((sum, { head }) => sum + head, 0)
  const error = (of: (gap: TurnGap) => number) => Math.sqrt(asked.reduce((sum, each) => sum + of(each) ** 2, 0))
  const isAnyToken = beginnings.every(({ headTokens }) => headTokens >= thresholds['turn-head-large'])
  const isLarge = ofAll - errors * error(({ headError }) => headError) >= thresholds['turn-head-gap'] * asked.length
  // Noise that lies to one side does so behind a beginning as well: that must pass what follows, too, by more than such noise leaves by chance.
  const rest = asked.reduce((sum, { tail }) => sum + tail, 0)
  const isOwn = ofAll - errors * error(({ headError, headErrorByTail }) => Math.max(headError, headErrorByTail)) >= rest
  // Engines may agree in a short first turn and not in others: what follows a beginning, and does not lie to its side, tells how noisy they are.
  const isQuietBehind = beginnings.every(
    ({ head, tail, lateAbsolute }) => (lateAbsolute - Math.max(0, tail)) * thresholds['turn-head-over-first'] < head,
  )
  const surely = (agrees && isAnyToken && isQuietBehind) || (isLarge && isOwn)
  const isOfFew = share(asked, 'headAgreed', 'headUnsure') >= thresholds['unsure-agreed']
  const isBeyondNoise =
    begins >= thresholds['turn-head-sure'] * beginnings.length ||
    (agrees && beginsOtherwise(first, beginnings, thresholds))
  const lines = beginnings.map(({ headLine }) => headLine)
  const isOther = !isOfFew && (isBeyondNoise || !follows(lines, thresholds))
  return enough && surely && isOther && begins >= thresholds['turn-head-times'] * behind ? beginnings : []
}

/**
 * Every first token of these turns is off, and neither those of the first turn nor what follows by a part of that. Through four tokens a line may lie by
 * chance, whatever they are; noise that is largest where a turn begins would be so in the first turn as well, and noise of a turn goes on in it.
 */
function beginsOtherwise(first: TurnGap, beginnings: readonly TurnGap[], thresholds: Thresholds): boolean {
  const { n } = first.headLine
  const times = thresholds['turn-head-over-first']
  const usual = Math.hypot(first.head, first.headError * Math.sqrt(n))
  return (
    n > 0 &&
    beginnings.every(
      ({ head, headTokens, headLine, lateAbsolute }) =>
        headTokens === headLine.n && Math.max(usual, lateAbsolute) * times < head,
    )
  )
}

/** A temperature is the same in every turn: here engines agree in the first, four times as well as such a line would let them. */
export function isDeniedAtFirst(
  [first, ...later]: readonly TurnGap[],
  line: Line,
  pairs: ScoredPairs,
  thresholds: Thresholds,
): boolean {
  if (first === undefined || later.length === 0 || first.count < thresholds['turn-tokens']) return false
  const start = pairs.tokens.indexOf(first.start)
  return first.meanAbsolute < gapOnLine(pairs, { start, end: start + first.count }, line) / 4
}
