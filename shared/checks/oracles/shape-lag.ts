import { Expected } from '../../model/tokens.ts'
import { LARGEST_LAG, maskLag, maskReachesFrom, mayLieOff } from './alignment.ts'
import { expectedWithTags } from './own-tags.ts'
import type { MaskShape, ShapedView } from './shape.ts'
import { runEnd } from './spans.ts'
import { expectedOfTrained } from './trained-parts.ts'

/** What of a mask's shape says how it lies as a whole. */
export type LagShape = Pick<
  MaskShape,
  | 'lag'
  | 'lagScores'
  | 'lagScore'
  | 'lacksEnds'
  | 'lagAgainst'
  | 'lagOfOthers'
  | 'hidesLag'
  | 'behindMasked'
  | 'mayLieLate'
>

export const NO_LAG: LagShape = {
  lag: 0,
  lagScores: [],
  lagScore: 0,
  lacksEnds: false,
  lagAgainst: null,
  lagOfOthers: false,
  hidesLag: false,
  behindMasked: -1,
  mayLieLate: false,
}

/**
 * How a mask lies: by itself, also where tags are its own, else as the other rollouts lie, else against the oracle of what it trains.
 *
 * @param ofTurns the oracle of all turns that it may be made for
 */
export function lagOf(
  view: ShapedView,
  mask: Uint8Array,
  expected: Uint8Array,
  end: number,
  ofTurns: Uint8Array,
): LagShape {
  const own = lagAgainst(view, mask, expected, end)
  if (own.lag !== 0) return own
  const withTags = expectedWithTags(view)
  const late = withTags === null ? own : lagAgainst(view, mask, withTags, end)
  if (late.lag > 0) return late
  const beside = lagBeside(view, mask, expected, end)
  if (beside.lag !== 0) return beside
  return { ...beside, ...lagOfTrained({ ...view, expected: ofTurns }, mask, end), lagScores: own.lagScores }
}

/** How it lies against one oracle. */
export function lagAgainst(view: ShapedView, mask: Uint8Array, against: Uint8Array, end: number): LagShape {
  const left = view.segmentation?.padding.left ?? 0
  const { lag, score, scores, withoutEnds } = maskLag(mask, against, end, view.thresholds, left, maskReachesFrom(view))
  return {
    ...NO_LAG,
    lag,
    lagScores: scores,
    lagScore: lag === 0 ? 0 : score,
    lacksEnds: withoutEnds,
    lagAgainst: lag === 0 ? null : against,
  }
}

/** Of a mask that may lie in place: the masks of the other rollouts lie off, and so does this one where it can. */
export function lagBeside(view: ShapedView, mask: Uint8Array, against: Uint8Array, end: number): LagShape {
  const lag = view.shiftBeside
  if (lag === 0) return NO_LAG
  const lies = mayLieOff(mask, against, end, lag, view.thresholds, maskReachesFrom(view))
  if (lies === null) return { ...NO_LAG, hidesLag: true }
  return lies ? { ...NO_LAG, lag, lagScore: 1, lagAgainst: against, lagOfOthers: true } : NO_LAG
}

/**
 * The same of a mask that leaves out whole turns or thoughts beside. The only span of a row that begins one token late, and ends with the row, may be what a
 * resumed rollout trains: there the others tell. A mask that leaves out the line behind each thought as well, and trains the newline behind turns, looks like
 * one that lies late.
 */
function lagOfTrained(view: ShapedView, mask: Uint8Array, end: number): Partial<LagShape> {
  const parts = expectedOfTrained(view)
  if (parts === null) return {}
  const against = parts.expected
  const found = lagAgainst(view, mask, against, end)
  const first = against.indexOf(Expected.trained)
  const isSeenToEnd = against.indexOf(Expected.masked, first) >= 0
  if (found.lag > 0 && !isSeenToEnd) {
    if (found.lag === view.shiftBeside) return { ...found, lagOfOthers: true }
    return found.lag === 1 ? { behindMasked: first } : {}
  }
  // Beside turns that are left out, others may begin with a tag of the template's and be trained with their newline.
  if (parts.turnsLeftOut > 0 && found.lag > 0 && !hasTellingStart(against, first)) return {}
  if (found.lag !== 0) return Math.abs(found.lag) <= LARGEST_LAG ? found : {}
  const late = found.lagScores[LARGEST_LAG + 1] ?? 0
  return { mayLieLate: isSeenToEnd && late >= view.thresholds['edges-at-lag'] }
}

/** Some span begins with a token that is known to be sampled, behind one that is known not to be. */
function hasTellingStart(against: Uint8Array, first: number): boolean {
  for (let at = first; at >= 0; at = against.indexOf(Expected.trained, runEnd(against, at, against.length)))
    if (against[at - 1] === Expected.masked) return true
  return false
}
