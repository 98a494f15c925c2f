import type { Thresholds } from '../../model/thresholds/registry.ts'
import { Expected, Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { FURTHEST_LAG, LARGEST_LAG } from './alignment.ts'
import { sampledSpan, writtenTurns } from './edges.ts'
import { lagAgainst, lagBeside, lagOf, NO_LAG } from './shape-lag.ts'
import { countOf, firstDifference } from './spans.ts'
import { MASK_UNKNOWN } from './states.ts'

/** A view before anything is kept of it. */
export type ShapedView = Omit<TrajectoryView, 'facts'>

/**
 * What the whole mask of a trajectory looks like against the oracle. The large shapes come first: an inverted, shifted, overrunning
 * or empty mask also disagrees at every turn and edge, and naming those as well would bury the one cause under its effects.
 */
export interface MaskShape {
  /** Every known element is 0. */
  readonly allZero: boolean
  readonly inverted: { readonly agreement: number; readonly complement: number } | null
  /** Tokens by which all edges are late (negative: early); 0 = not shifted. */
  readonly lag: number
  readonly lagScores: readonly number[]
  /** Share of the edges that are. */
  readonly lagScore: number
  /** The last token of each span, its end token, is left out beside. */
  readonly lacksEnds: boolean
  /** What the lag is against: the oracle, or the oracle without turns and thoughts that are masked beside. */
  readonly lagAgainst: Uint8Array | null
  /** The rollout may as well lie in place by itself; the others of the dump show that it lies off as they do. */
  readonly lagOfOthers: boolean
  /** The others lie off, and of this one none of the edges can be seen that would show it. */
  readonly hidesLag: boolean
  /**
   * The one token masked at the beginning of the only turn that is trained, or behind its thought, where a mask that leaves out what stands before and lies
   * late and a rollout that was resumed look alike; else -1.
   */
  readonly behindMasked: number
  /** Thoughts are left out, and the mask may lie in place as well as one token late. */
  readonly mayLieLate: boolean
  /** One run of 1s from inside an assistant turn over later turns to the end of the row. */
  readonly overrun: { readonly start: number; readonly end: number; readonly turn: Turn } | null
  /** Tokens by which trained spans begin late while they end where they should; 0 = they do not. */
  readonly lateStart: number
  /** The turns that do, where those before them begin where they should; null = all of them, or none. */
  readonly lateTurns: readonly Turn[] | null
}

const agreements = new OfLast<ShapedView, boolean>()

/** Whether the mask is what the structure oracle says, token for token: the usual case, in which hardly any check need look at a turn's mask. */
export function isAsExpected(view: ShapedView): boolean {
  let agrees = agreements.get(view)
  if (agrees === undefined) {
    const { mask, expected } = view
    agrees = mask !== null && expected !== null && firstDifference(mask, expected, 0, mask.length) === mask.length
    agreements.set(view, agrees)
  }
  return agrees
}

const shapes = new OfLast<ShapedView, MaskShape>()

/** The shape of a view's mask, computed once for all checks. The view must have a mask. */
export function shapeOf(view: ShapedView): MaskShape {
  let shape = shapes.get(view)
  if (shape === undefined) {
    shape = computeShape(view)
    shapes.set(view, shape)
  }
  return shape
}

/** True where the mask as a whole is empty or inverted: nothing can be said of single turns and edges. */
export function hidesTurns(view: ShapedView): boolean {
  const { allZero, inverted } = shapeOf(view)
  return allZero || inverted !== null
}

/** True where nothing can be said of edges, because all of them are displaced. */
export function hidesEdges(view: ShapedView): boolean {
  const { allZero, inverted, lag } = shapeOf(view)
  return allZero || inverted !== null || lag !== 0
}

const realigned = new OfLast<ShapedView, Uint8Array>()

/** The mask as it would lie in place: what it says of turns, whose edges it does not have where they stand. */
export function realignedMask(view: ShapedView): Uint8Array {
  const mask = view.mask as Uint8Array
  const { lag } = shapeOf(view)
  if (lag === 0) return mask
  let moved = realigned.get(view)
  if (moved === undefined) {
    moved = new Uint8Array(mask.length)
    moved.set(lag > 0 ? mask.subarray(lag) : mask.subarray(0, lag), lag > 0 ? 0 : -lag)
    // What was moved out of the row is not known.
    moved.fill(MASK_UNKNOWN, lag > 0 ? mask.length - lag : 0, lag > 0 ? mask.length : -lag)
    realigned.set(view, moved)
  }
  return moved
}

/** Whether the turn begins inside a run that M05 reports. */
export function isSwallowed(view: ShapedView, turn: Turn): boolean {
  const { overrun } = shapeOf(view)
  return overrun !== null && turn.index > overrun.turn.index
}

function computeShape(view: ShapedView): MaskShape {
  const mask = view.mask as Uint8Array
  const { expected, segmentation } = view
  const allZero = !mask.includes(1) && mask.includes(0)
  const none: MaskShape = {
    allZero,
    inverted: null,
    ...NO_LAG,
    overrun: null,
    lateStart: 0,
    lateTurns: null,
  }
  if (allZero || expected === null || segmentation === null) return none
  const end = mask.length - segmentation.padding.right
  if (isAsExpected(view)) return none
  const ofOthers = shapeForOtherTurns(view, mask, end)
  if (ofOthers !== null) return { ...none, ...ofOthers }
  // What the dump does not tell of single tokens the other rollouts may.
  if (agreesWholly(mask, expected, segmentation.padding.left, end))
    return { ...none, ...lagBeside(view, mask, expected, end) }
  const inverted = findInversion(view, mask, expected, end)
  if (inverted !== null) return { ...none, inverted }
  const lies = lagOf(view, mask, expected, end, oraclesOfOtherTurns(view)[0] ?? expected)
  if (lies.lag !== 0) return { ...none, ...lies }
  return { ...none, ...lies, overrun: findOverrun(view, mask, end), ...findLateStart(view, mask) }
}

/**
 * How a mask lies that was made for other turns than the policy trains: a format documents the last one, and an environment may set all of them. Null where
 * it is in place for such turns, and where it lies off for none.
 */
function shapeForOtherTurns(view: ShapedView, mask: Uint8Array, end: number): Partial<MaskShape> | null {
  const choices = oraclesOfOtherTurns(view)
  const { padding } = view.segmentation as Segmentation
  if (choices.some((against) => agreesWholly(mask, against, padding.left, end))) return null
  // What trains nothing before the model's last turn is no mask turned around: a turn of another that comes last is trained (M01).
  const answer = writtenTurns(view.segmentation as Segmentation).at(-1)
  for (const against of mask.indexOf(1) < (answer?.start ?? 0) ? choices : []) {
    const inverted = findInversion(view, mask, against, end)
    if (inverted !== null) return { inverted }
  }
  for (const against of choices) {
    const lies = lagAgainst(view, mask, against, end)
    // Further off, a run may be that of the turn behind.
    if (lies.lag !== 0 && Math.abs(lies.lag) <= LARGEST_LAG) return lies
  }
  return null
}

/** What a correct mask would be if all turns of the model were trained, or its last one though words of another follow; none where the policy says so. */
function oraclesOfOtherTurns({ expected, expectedRl, segmentation }: ShapedView): Uint8Array[] {
  const answer = segmentation === null ? undefined : writtenTurns(segmentation).at(-1)
  if (answer === undefined || expected === null || expectedRl === null || expected === expectedRl) return []
  const differs = writtenTurns(segmentation as Segmentation).some(
    ({ contentStart, contentEnd }) => firstDifference(expected, expectedRl, contentStart, contentEnd) < contentEnd,
  )
  if (!differs) return []
  const ofLast = new Uint8Array(expectedRl.length)
  ofLast.set(expectedRl.subarray(answer.start, answer.end), answer.start)
  return [expectedRl, ofLast]
}

/**
 * The complement agrees with the oracle and the mask does not, over the whole row or over all that follows the prompt (frameworks that
 * build the mask of the response alone leave the prompt 0). In the response, one exchange proves nothing: a single trained reply is M01. Nor is a mask
 * turned around that trains a turn of the model as a right one does: beside long replies a short last turn hardly counts (M01, M03).
 */
function findInversion(view: ShapedView, mask: Uint8Array, expected: Uint8Array, end: number) {
  const { padding, turns } = view.segmentation as Segmentation
  const whole = agreement(mask, expected, padding.left, end)
  if (isInverted(whole, view.thresholds)) {
    return trainsWholeTurn(view, mask, expected) ? null : { agreement: whole.agrees, complement: 1 - whole.agrees }
  }
  const assistant = turns.filter(({ kind, contentStart }) => kind === 'assistant' && expected[contentStart] !== 0)
  const first = assistant[0]
  if (first === undefined || stretchesOf(assistant) < 2) return null
  const response = agreement(mask, expected, first.contentStart, end)
  return isInverted(response, view.thresholds) && !trainsWholeTurn(view, mask, expected)
    ? { agreement: response.agrees, complement: 1 - response.agrees }
    : null
}

/** Some turn of the model is trained from its first token through its last, and is too long for one that a shift brings there. */
function trainsWholeTurn({ segmentation }: ShapedView, mask: Uint8Array, expected: Uint8Array): boolean {
  return writtenTurns(segmentation as Segmentation).some((turn) => {
    const { start, end } = sampledSpan(turn)
    if (countOf(expected, Expected.trained, start, end) <= LARGEST_LAG) return false
    for (let at = start; at < end; at++) if (expected[at] === Expected.trained && mask[at] !== 1) return false
    return true
  })
}

/** Stretches of the model's own words: a reply that is spliced into a turn parts it as one that has its own turn parts two. */
function stretchesOf(written: readonly Turn[]): number {
  let stretches = 0
  for (const { spans, contentStart, contentEnd } of written) {
    stretches++
    for (const { part, start, end } of spans)
      if (part === 'tool' && start > contentStart && end < contentEnd) stretches++
  }
  return stretches
}

/** The usual case, decided without counting. */
function agreesWholly(mask: Uint8Array, expected: Uint8Array, start: number, end: number): boolean {
  for (let i = firstDifference(mask, expected, start, end); i < end; i++) {
    if (mask[i] !== expected[i] && expected[i] !== Expected.undecided && (mask[i] as number) <= 1) return false
  }
  return true
}

interface Agreement {
  readonly agrees: number
  /** Share of the tokens to train that are masked, and of those to mask that are trained. */
  readonly missed: number
  readonly wrong: number
}

function isInverted({ agrees, missed, wrong }: Agreement, thresholds: Thresholds): boolean {
  const { 'mask-agrees': chance, 'complement-agrees': much } = thresholds
  return agrees < chance && 1 - agrees > much && missed > much && wrong > chance
}

function agreement(mask: Uint8Array, expected: Uint8Array, start: number, end: number): Agreement {
  let trained = 0
  let missed = 0
  let masked = 0
  let wrong = 0
  for (let i = start; i < end; i++) {
    const should = expected[i] as number
    const is = mask[i] as number
    if (should === Expected.undecided || is > 1) continue
    if (should === Expected.trained) {
      trained++
      if (is === 0) missed++
    } else {
      masked++
      if (is === 1) wrong++
    }
  }
  const total = trained + masked
  return {
    agrees: total === 0 ? 1 : (total - missed - wrong) / total,
    missed: trained === 0 ? 0 : missed / trained,
    wrong: masked === 0 ? 0 : wrong / masked,
  }
}

type LateStart = Pick<MaskShape, 'lateStart' | 'lateTurns'>
const NOT_LATE: LateStart = { lateStart: 0, lateTurns: null }

/**
 * Every assistant turn is trained but for its first tokens, as many in each, or each from a second one on. One and the same beginning of all turns, or that
 * of the only one, may be a prefill that the tokenizer's template does not show, unless the dump says that it was sampled; so may any of later turns alone.
 * What is longer than an index goes wrong by must have been sampled in other words each time, and be no thought that is masked (M16).
 */
function findLateStart({ ids, expected, provenance, segmentation, text }: ShapedView, mask: Uint8Array): LateStart {
  const turns = writtenTurns(segmentation as Segmentation).filter(
    ({ contentStart }) => expected?.[contentStart] === Expected.trained,
  )
  const isLone = turns.length === 1
  let late = 0
  let onTime = 0
  const heads = new Set<string>()
  let sampled = true
  let proved = false
  let isThought = false
  for (const { contentStart, contentEnd, endToken, spans } of turns) {
    let start = contentStart
    while (start < contentEnd && mask[start] === 0) start++
    if (start >= contentEnd || (late > 0 && start - contentStart !== late)) return NOT_LATE
    late = start - contentStart
    if (late === 0) onTime++
    // Of one turn, a masked think tag is the generation prompt's as likely as not.
    if (isLone && late <= LARGEST_LAG && '<think>\n'.startsWith(text({ start: contentStart, end: start })))
      return NOT_LATE
    const end = endToken >= 0 && expected?.[endToken] === Expected.trained ? endToken + 1 : contentEnd
    for (let i = start; i < end; i++) if (mask[i] !== 1 && expected?.[i] === Expected.trained) return NOT_LATE
    if (late === 0) continue
    for (let i = contentStart; i < start; i++) {
      sampled &&= provenance?.[i] === Provenance.sampled || (isLone && provenance?.[i] === Provenance.silent)
      proved ||= provenance?.[i] === Provenance.sampled
    }
    heads.add(ids.subarray(contentStart, start).join(' '))
    isThought ||= spans.some(({ part, start: at }) => part === 'think' && at < start)
  }
  const isProved = sampled && proved
  if (late === 0 || late > FURTHEST_LAG || !(isProved || (heads.size > 1 && onTime === 0))) return NOT_LATE
  if (late > LARGEST_LAG && (!isProved || heads.size === 1 || isThought)) return NOT_LATE
  if (onTime === 0) return { lateStart: late, lateTurns: null }
  // One late turn may be a single mask that went wrong, of which nothing says that later ones follow it.
  return turns.length - onTime < 2 ? NOT_LATE : { lateStart: late, lateTurns: turns.slice(onTime) }
}

/**
 * A last run of 1s that starts in an assistant turn, crosses the header of a turn of another kind and never drops. Turns that the model
 * provably wrote itself, headers included, are its own: none where all that the run holds behind the turn was sampled.
 */
function findOverrun(view: ShapedView, mask: Uint8Array, end: number): MaskShape['overrun'] {
  const { turns } = view.segmentation as Segmentation
  // The newline after the last end token may be left out of the run.
  let last = end - 1
  const closing = turns.at(-1)
  if (closing !== undefined && closing.endToken >= 0 && mask[last] !== 1) last = closing.endToken
  if (mask[last] !== 1) return null
  let start = last
  while (start > 0 && mask[start - 1] === 1) start--
  const turn = turns.find((each) => start >= each.start && start < each.end)
  if (turn === undefined || turn.kind !== 'assistant' || start > turn.contentEnd) return null
  const crossed = turns.some((each) => each.index > turn.index && each.kind !== 'assistant' && each.kind !== 'other')
  return crossed && !isOwnTo(last, view.provenance, turns.slice(turn.index)) ? { start, end: last + 1, turn } : null
}

/** The model wrote all up to a last token, which may have been appended: nothing is known to be another's, and most of the others' turns is its own. */
function isOwnTo(last: number, provenance: Uint8Array | null, [first, ...later]: readonly Turn[]): boolean {
  if (provenance === null || first === undefined) return false
  if (countOf(provenance, Provenance.notSampled, sampledSpan(first).end, last) > 0) return false
  return later.every(({ kind, start, end }) => {
    const until = Math.min(end, last)
    return kind === 'assistant' || countOf(provenance, Provenance.sampled, start, until) * 2 > until - start
  })
}
