import { counted } from '../../model/number-text.ts'
import { Expected, Provenance, type Span, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { startsInLetters } from '../template/spelt-markers.ts'
import { maskReachesFrom } from './alignment.ts'
import { writtenTurns } from './edges.ts'
import { runsOf } from './spans.ts'

/** A turn whose trained run has the length of the sampled span, `lag` tokens later (negative: earlier). */
export interface TurnLag {
  readonly turn: Turn
  readonly lag: number
  /** The sampled span, and the trained run found for it. */
  readonly expected: Span
  readonly found: Span
}

/**
 * How far the mask of each written assistant turn lies off as a whole; null where some turn has another shape (cut, trained in part,
 * more than one run), because then no shift explains the row.
 *
 * @param withoutEnds what a turn trains ends before its end token: the mask leaves these out beside
 */
export function turnLags(view: TrajectoryView, withoutEnds = false): TurnLag[] | null {
  const { segmentation, expectedRl } = view
  const mask = view.mask as Uint8Array
  if (segmentation === null || expectedRl === null) return null
  const overlap = view.thresholds['turn-lag-overlap']
  const { left, right } = segmentation.padding
  const end = mask.length - right
  const written = writtenTurns(segmentation)
  const sampled = sampledSpans(view, written, withoutEnds)
  const { turns, spans } = sampled
  // Of one turn, what lacks its end says as little of a shift.
  const reachesFrom = turns.length > 1 ? maskReachesFrom(view) : 0
  const runs = runsOf(mask, 1, left, end)
  const inOrder = areInOrder(runs, spans, end, reachesFrom)
  // A turn whose first token nothing calls sampled is not looked at, and may be trained all the same.
  const standsElsewhere = (run: Span, turn: Turn) =>
    written.some((other) => other !== turn && run.start >= other.contentStart && run.end === endOf(other, withoutEnds))
  const lags: TurnLag[] = []
  for (let index = 0, next = 0; index < turns.length; index++) {
    const turn = turns[index] as Turn
    const expected = spans[index] as Span
    if (inOrder) {
      const found = runs[index] as Span
      if (isBehindThought(view, turn, found) || standsElsewhere(found, turn)) return null
      lags.push({ turn, lag: lagOf(found, expected, reachesFrom), expected, found })
      continue
    }
    const middle = (expected.start + expected.end) >> 1
    while (next < runs.length && (runs[next] as Span).end <= middle) next++
    const found = runs[next]
    if (found === undefined || found.start > middle) return null
    const lag = lagOf(found, expected, reachesFrom)
    const length = expected.end - expected.start
    // The last run may be cut off by the end of the row.
    const cut = found.end === end && found.end - expected.end < lag
    if ((found.end - expected.end !== lag && !cut) || Math.abs(lag) > length * overlap) return null
    if (isBehindThought(view, turn, found) || isInPieces(runs[next - 1], expected, lags.at(-1))) return null
    lags.push({ turn, lag, expected, found })
  }
  return startInLetters(view, sampled) ? null : lags
}

/**
 * The same of a mask whose runs grow or shrink by as much as those behind lie off: text of the model's own was encoded again and got another number of
 * tokens. There is a run for each turn, each begins as far off as the one before ends, and some begin off: an end that is not trained displaces none. Null
 * where the mask is not of this shape.
 */
export function lagsByOwnText(view: TrajectoryView): TurnLag[] | null {
  const { segmentation, expectedRl } = view
  const mask = view.mask as Uint8Array
  if (segmentation === null || expectedRl === null) return null
  const turns = writtenTurns(segmentation).filter(({ endToken }) => endToken >= 0)
  const runs = runsOf(mask, 1, segmentation.padding.left, mask.length - segmentation.padding.right)
  const opening =
    turns.length === 0 || runs.length !== turns.length ? -1 : openingOf(view, turns[0] as Turn, runs[0] as Span)
  if (opening < 0) return null
  const lags: TurnLag[] = []
  let isAsFirst = sampledFrom(view, turns[0] as Turn) < 0
  let [before, isDisplaced] = [0, false]
  for (const [index, turn] of turns.entries()) {
    const found = runs[index] as Span
    let start = sampledFrom(view, turn)
    if (found.start - start !== before) {
      start = turn.contentStart + opening
      isAsFirst = true
    }
    const expected = { start, end: turn.endToken + 1 }
    const lag = found.start - start
    const endLag = found.end - expected.end
    const most = (expected.end - start) * view.thresholds['turn-lag-overlap']
    if (lag !== before || Math.abs(lag) > most || Math.abs(endLag) > most) return null
    lags.push({ turn, lag, expected, found })
    before = endLag
    isDisplaced ||= lag !== 0
  }
  if (!isDisplaced || (isAsFirst && !grows(lags)) || turns.some((turn) => startsInLetters(view, turn))) return null
  return lags
}

/**
 * Tokens of the first turn before the sampled ones, an open think tag of the generation prompt, as its flags have it or, without any, its run. Flags and logprobs
 * that were built for other ids lie off as the mask does, and leave out beginnings of later turns that the model wrote. -1 where the run begins elsewhere.
 */
function openingOf(view: TrajectoryView, first: Turn, run: Span): number {
  const from = sampledFrom(view, first)
  if (from >= 0) return from - first.contentStart
  let undecided = first.contentStart
  while (undecided < first.contentEnd && view.expectedRl?.[undecided] === Expected.undecided) undecided++
  return run.start <= undecided ? run.start - first.contentStart : -1
}

/** A tag that is not trained behind a newline that is lies off by the same token each time. */
function grows(lags: readonly TurnLag[]): boolean {
  return new Set(lags.map(({ lag }) => lag)).size > 2
}

/** Turns that were sampled and have an end, and the sampled span of each. */
interface Sampled {
  readonly turns: readonly Turn[]
  readonly spans: readonly Span[]
}

function sampledSpans(view: TrajectoryView, written: readonly Turn[], withoutEnds: boolean): Sampled {
  const turns: Turn[] = []
  const spans: Span[] = []
  for (const turn of written) {
    const start = turn.endToken < 0 ? -1 : sampledFrom(view, turn)
    if (start < 0) continue
    turns.push(turn)
    spans.push({ start, end: endOf(turn, withoutEnds) })
  }
  return { turns, spans }
}

/** Token behind what a mask trains of a turn. */
function endOf({ endToken }: Turn, withoutEnds: boolean): number {
  return withoutEnds ? endToken : endToken + 1
}

/** Letters of a header are read as content (T16): the span of that turn is not the sampled one. */
function startInLetters(view: TrajectoryView, { turns }: Sampled): boolean {
  return turns.some((turn) => startsInLetters(view, turn))
}

/** A mask over the response alone has lost what of an early run lies before it: then the end of the run tells. */
function lagOf(found: Span, expected: Span, reachesFrom: number): number {
  const isCutAtStart = reachesFrom > 0 && found.start === reachesFrom && found.end < expected.end
  return isCutAtStart ? found.end - expected.end : found.start - expected.start
}

/**
 * The first token of a turn that was sampled: behind an open think tag of the generation prompt, where the dump says that it was not. -1 where
 * nothing calls the first token sampled, or where the tag may be the model's.
 */
export function sampledFrom({ expectedRl, provenance }: TrajectoryView, { contentStart, contentEnd }: Turn): number {
  let at = contentStart
  while (at < contentEnd && expectedRl?.[at] === Expected.undecided && provenance?.[at] === Provenance.notSampled) at++
  return expectedRl?.[at] === Expected.trained ? at : -1
}

/**
 * A run before the one that was found lies in the turn as well, and is not that of the turn before: some tokens amid the turn are left out, as those are
 * that a filter of importance ratios took, and what is trained behind them does not lie late.
 */
function isInPieces(before: Span | undefined, { start }: Span, previous: TurnLag | undefined): boolean {
  return before !== undefined && before.end > start && before.start !== previous?.found.start
}

/** Its thought alone is masked (M16): what is trained behind it, up to where the row ends with the turn, does not lie late. */
function isBehindThought({ text }: TrajectoryView, { spans, endToken }: Turn, run: Span): boolean {
  if (run.end > endToken + 1) return false
  const thought = spans.findLast(({ part, end }) => part === 'think' && end <= run.start)
  return thought !== undefined && text({ start: thought.end, end: run.start }).trim() === ''
}

/** There is a run for each turn, as long as it: then even a short turn is found far off. */
function areInOrder(runs: readonly Span[], spans: readonly Span[], end: number, reachesFrom: number): boolean {
  if (runs.length !== spans.length) return false
  return runs.every((run, index) => {
    const expected = spans[index] as Span
    const missing = expected.end - expected.start - (run.end - run.start)
    // The last run may be cut off by the end of the row, and the first by where the mask begins.
    return missing === 0 || (missing > 0 && (run.end === end || (reachesFrom > 0 && run.start === reachesFrom)))
  })
}

/** Tokens that are trained and should not be, or the reverse. */
export function displaced({ expected, found }: TurnLag): Span[] {
  return [
    { start: Math.min(expected.start, found.start), end: Math.max(expected.start, found.start) },
    { start: Math.min(expected.end, found.end), end: Math.max(expected.end, found.end) },
  ]
}

/** `2 tokens early`, `1 token late`. */
export function lagText(lag: number): string {
  const tokens = Math.abs(lag)
  return `${counted(tokens, 'token')} ${lag < 0 ? 'early' : 'late'}`
}
