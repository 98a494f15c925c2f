import { Expected } from '../model/tokens.ts'
import { LARGEST_LAG, maskLag, maskReachesFrom, mayLieOff } from './alignment.ts'
import { expectedWithTags } from './own-tags.ts'
import type { MaskShape, ShapedView } from './shape.ts'
import { expectedWithoutThoughts } from './without-thoughts.ts'

/** What of a mask's shape says how it lies as a whole. */
export type LagShape = Pick<
  MaskShape,
  'lag' | 'lagScores' | 'lagScore' | 'lacksEnds' | 'lagAgainst' | 'lagOfOthers' | 'hidesLag' | 'behindThought'
>

export const NO_LAG: LagShape = {
  lag: 0,
  lagScores: [],
  lagScore: 0,
  lacksEnds: false,
  lagAgainst: null,
  lagOfOthers: false,
  hidesLag: false,
  behindThought: -1,
}

/** How a mask lies: by itself, also where tags are its own, else as the other rollouts lie, else against the oracle without thoughts. */
export function lagOf(view: ShapedView, mask: Uint8Array, expected: Uint8Array, end: number): LagShape {
  const own = lagAgainst(view, mask, expected, end)
  if (own.lag !== 0) return own
  const withTags = expectedWithTags(view)
  const late = withTags === null ? own : lagAgainst(view, mask, withTags, end)
  if (late.lag > 0) return late
  const beside = lagBeside(view, mask, expected, end)
  if (beside.lag !== 0) return beside
  return { ...beside, ...lagWithoutThoughts(view, mask, end), lagScores: own.lagScores }
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
 * The same of a mask that leaves out thoughts beside. The only span of a row that begins one token late behind its thought may be what a resumed rollout trains:
 * there the others tell.
 */
function lagWithoutThoughts(view: ShapedView, mask: Uint8Array, end: number): Partial<LagShape> {
  const against = expectedWithoutThoughts(view)
  if (against === null) return {}
  const found = lagAgainst(view, mask, against, end)
  const first = against.indexOf(Expected.trained)
  if (found.lag > 0 && against.indexOf(Expected.masked, first) < 0) {
    if (found.lag === view.shiftBeside) return { ...found, lagOfOthers: true }
    return found.lag === 1 ? { behindThought: first } : {}
  }
  return Math.abs(found.lag) <= LARGEST_LAG ? found : {}
}
