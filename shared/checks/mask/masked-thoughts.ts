import { Expected, type Segmentation, type SubSpan, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { hidesTurns, isSwallowed, realignedMask } from '../oracles/shape.ts'

/** A turn with thoughts, of which M16 says whether they are masked. */
export interface LookedAtThoughts {
  readonly turn: Turn
  /** What of its thoughts is masked though it was sampled; none of a turn that is right. */
  readonly masked: readonly MaskedPart[]
  /** Nothing beside its thoughts was written. */
  readonly isMaskedWhole: boolean
  readonly trainedBeside: number
}

const lookedAt = new OfLast<TrajectoryView, readonly LookedAtThoughts[]>()

/** The facts and M16 ask. */
export function lookedAtThoughts(view: TrajectoryView): readonly LookedAtThoughts[] {
  let found = lookedAt.get(view)
  if (found === undefined) lookedAt.set(view, (found = lookAt(view)))
  return found
}

function lookAt(view: TrajectoryView): LookedAtThoughts[] {
  const { segmentation, thresholds } = view
  if (segmentation === null || hidesTurns(view)) return []
  const mask = realignedMask(view)
  const looked: LookedAtThoughts[] = []
  for (const turn of writtenTurns(segmentation)) {
    const thoughts = turn.spans.filter(({ part }) => part === 'think')
    if (thoughts.length === 0 || isSwallowed(view, turn)) continue
    if (!thoughts.some((thought) => hasMasked(mask, thought))) {
      looked.push({ turn, masked: [], isMaskedWhole: false, trainedBeside: 0 })
      continue
    }
    const { trained, sampled } = countOutside(view, turn, thoughts)
    // Without a word of the turn that is trained, the turn is masked as a whole, which is M03, unless there is no other word.
    const isMaskedWhole = trained === 0 || trained < thresholds['thought-beside-share'] * sampled
    if (isMaskedWhole && !(sampled === 0 && thoughtsAlone(view).has(turn))) continue
    // Of a turn that was resumed, all that an earlier policy sampled may be masked, wherever that ended.
    const masked = thoughts.flatMap((thought) =>
      isResumed(view, turn, thought) ? [] : (maskedPart(view, thought) ?? []),
    )
    looked.push({ turn, masked, isMaskedWhole, trainedBeside: trained })
  }
  return looked
}

/**
 * Turns of which the model wrote nothing but a thought, as where a limit cut it, that are masked as all thoughts of the row are, while words of other
 * turns are trained.
 */
export function thoughtsAlone(view: TrajectoryView): ReadonlySet<Turn> {
  let found = known.get(view)
  if (found === undefined) known.set(view, (found = findAlone(view)))
  return found
}

/** M03 and M16 ask at each masked turn. */
const known = new OfLast<TrajectoryView, ReadonlySet<Turn>>()

function findAlone(view: TrajectoryView): ReadonlySet<Turn> {
  const alone = new Set<Turn>()
  let trainsOthers = false
  for (const turn of writtenTurns(view.segmentation as Segmentation)) {
    const thoughts = turn.spans.filter(({ part }) => part === 'think')
    if (thoughts.length === 0) continue
    if (!thoughts.every((thought) => maskedPart(view, thought)?.whole)) return NO_TURNS
    const { sampled, trained } = countOutside(view, turn, thoughts)
    if (sampled === 0) alone.add(turn)
    else if (trained < view.thresholds['thought-beside-share'] * sampled) return NO_TURNS
    else trainsOthers = true
  }
  return trainsOthers ? alone : NO_TURNS
}

const NO_TURNS: ReadonlySet<Turn> = new Set()

/** Decided without a look at each token, because most thoughts are trained whole. */
function hasMasked(mask: Uint8Array, { start, end }: SubSpan): boolean {
  const at = mask.indexOf(0, start)
  return at >= 0 && at < end
}

export interface MaskedPart {
  readonly start: number
  readonly end: number
  readonly tokens: number
  readonly whole: boolean
}

/** Tokens that a closing tag takes: one id, or the pieces that spell it with what merged into them. */
const LONGEST_CLOSING_TAG = 6

/** Tokens of a thought that may hold nothing but its tags. */
const LONGEST_EMPTY = 14

function isEmpty(thought: string): boolean {
  return thought.replace(/<\/?think>/g, '').trim() === ''
}

/**
 * The part of a thought that is masked though it was sampled: all of it, with its tags or without one or both, or its closing tag alone. Null for any
 * other shape.
 */
function maskedPart(view: TrajectoryView, { start, end, closed }: SubSpan): MaskedPart | null {
  const mask = realignedMask(view)
  let first = -1
  let past = -1
  let masked = 0
  let sampled = 0
  for (let i = start; i < end; i++) {
    if (view.expectedRl?.[i] !== Expected.trained || (mask[i] as number) > 1) continue
    sampled++
    if (mask[i] === 1) continue
    if (first < 0) first = i
    past = i + 1
    masked++
  }
  // An empty thought that is closed is a block of the template, whichever way it is spelt.
  if (masked === 0 || (closed && end - start <= LONGEST_EMPTY && isEmpty(view.text({ start, end })))) return null
  const isAllReasoning = past - first === masked && hasTagsAlone(view, start, first) && hasTagsAlone(view, past, end)
  if (masked === sampled || isAllReasoning) return { start: first, end: past, tokens: masked, whole: true }
  const atEnd = closed && past === end && past - first === masked && masked <= LONGEST_CLOSING_TAG
  if (!atEnd || !/think>\s*$/.test(view.text({ start: first, end: past }))) return null
  return { start: first, end: past, tokens: masked, whole: false }
}

/** Nothing of a thought but a tag and lines stands there, or nothing at all. */
function hasTagsAlone(view: TrajectoryView, start: number, end: number): boolean {
  return end - start <= LONGEST_CLOSING_TAG && (start >= end || isEmpty(view.text({ start, end })))
}

/**
 * Words behind the thought are masked as well, be it one, up to somewhere inside them: where the parts of the turn begin decides nothing. A
 * mask of thoughts takes the lines along that follow, or the header of the message that comes next (harmony), and no word.
 */
function isResumed(view: TrajectoryView, { contentEnd, spans }: Turn, { end }: SubSpan): boolean {
  const mask = realignedMask(view)
  let past = end
  while (past < contentEnd && mask[past] === 0) past++
  if (past === end || spans.some(({ start }) => start === past)) return false
  const words = view.text({ start: end, end: past }).replace(NEXT_HEADER, '')
  return words.trim() !== ''
}

const NEXT_HEADER = /^<\|start\|>assistant/

/** Sampled and trained tokens of a turn's content beside its thoughts. */
function countOutside(view: TrajectoryView, turn: Turn, thoughts: readonly SubSpan[]) {
  const mask = realignedMask(view)
  let sampled = 0
  let trained = 0
  let next = 0
  for (let i = turn.contentStart; i < turn.contentEnd; i++) {
    const thought = thoughts[next]
    if (thought !== undefined && i === thought.start) {
      i = thought.end - 1
      next++
      continue
    }
    if (view.expectedRl?.[i] !== Expected.trained || (mask[i] as number) > 1) continue
    sampled++
    if (mask[i] === 1) trained++
  }
  return { sampled, trained }
}
