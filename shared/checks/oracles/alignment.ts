import type { MaskAlignment } from '../../model/policy.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { Expected, Provenance } from '../../model/tokens.ts'
import type { StoredArray } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { runEnd } from './spans.ts'
import { expectedOfTrained } from './trained-parts.ts'

/** Shifts that are tried first: those of an index that is one or two off. */
export const LARGEST_LAG = 3
/** Shifts that are tried where none of these explains the mask: those of a header or a block that was not counted, or counted twice. */
export const FURTHEST_LAG = 8

/** How the mask's edges lie against those of the structure oracle. */
export interface MaskLag {
  /** Tokens by which the mask comes late (negative: early) as a whole; 0 = not shifted, or no shift explains it. */
  readonly lag: number
  /** Share of the oracle's edges that the mask has at this lag. */
  readonly score: number
  /** Edges of the oracle that could be compared. */
  readonly edges: number
  /** Share of edges found at each lag from -3 to 3. */
  readonly scores: readonly number[]
  /** Spans lack their last token beside: a mask that leaves end tokens out, and lies early. */
  readonly withoutEnds: boolean
}

/**
 * Compares where trained spans start and end in the mask and in the oracle. Only edges are looked at, so the cost is that
 * of the turns and not of the tokens. A shift moves starts and ends alike: a mask that only begins too early (trained headers) or only
 * ends too late (trained newlines) is none. A mask that does not count the padding on the left lies early by its length. One that leaves out
 * all end tokens lies early where spans begin early, and end early by one more.
 *
 * @param mask length S, 1, 0 or 255 per token
 * @param expected length S, one `Expected` per token
 * @param end the first token of the padding on the right, S without any
 * @param paddingLeft tokens
 * @param reachesFrom the first token that the stored mask has an element for: an edge that lies before it cannot be seen
 */
export function maskLag(
  mask: Uint8Array,
  expected: Uint8Array,
  end: number,
  thresholds: Thresholds,
  paddingLeft = 0,
  reachesFrom = 0,
): MaskLag {
  const { starts, ends, other } = edgesOf(expected, end)
  const bareEnds = ends.map((at) => at - 1)
  const scoreAt = (lag: number, lastEnd = end, from = starts, withoutEnds = false) => {
    const startShare = shareAt(mask, from, other, lag, end, 0, 1, reachesFrom)
    if (withoutEnds) return Math.min(startShare ?? 0, shareAt(mask, bareEnds, NO_OTHER, lag, lastEnd, 1, 0) ?? 0)
    const endShare = shareAt(mask, ends, other, lag, lastEnd, 1, 0)
    // Where the row ends with its only sampled span, one token late is an end that cannot be seen; so is any where the loss goes on behind the end.
    const hidden =
      endShare === null && ends.length > 0 && (lag === 1 || (lag > 1 && goesOn(mask, ends[0] as number, end)))
    return hidden ? (startShare ?? 0) : Math.min(startShare ?? 0, endShare ?? 0)
  }
  const scores: number[] = []
  let best = 0
  let bestScore = 0
  for (let lag = -LARGEST_LAG; lag <= LARGEST_LAG; lag++) {
    const share = scoreAt(lag)
    scores.push(share)
    // At equal scores the smaller shift explains as much.
    if (share > bestScore || (share === bestScore && Math.abs(lag) < Math.abs(best))) {
      best = lag
      bestScore = share
    }
  }
  const enough = thresholds['edges-at-lag']
  let withoutEnds = false
  for (let lag = -1; lag >= -LARGEST_LAG && bestScore < enough; lag--) {
    const share = scoreAt(lag, end, starts, true)
    if (share < enough) continue
    best = lag
    bestScore = share
    withoutEnds = true
  }
  if (bestScore < enough && paddingLeft > LARGEST_LAG) {
    best = -paddingLeft
    bestScore = scoreAt(best)
  }
  // So far off both ends of a span must be seen: what begins with words that it did not sample, and is trained to the end of the row, has not moved. Nor
  // has the whole where the first span lies in place (T03).
  const far = (lag: number) => {
    const first = starts.find((start) => lag > 0 || reachesFrom === 0 || start > reachesFrom) ?? -1
    if (mask[first - 1] === 0 && mask[first] === 1) return 0
    const startShare = shareAt(mask, starts, other, lag, end, 0, 1, reachesFrom) ?? 0
    return Math.min(startShare, shareAt(mask, ends, other, lag, end, 1, 0) ?? 0)
  }
  for (let distance = LARGEST_LAG + 1; distance <= FURTHEST_LAG && bestScore < enough; distance++) {
    for (const lag of [-distance, distance]) {
      const share = far(lag)
      if (share < enough || share <= bestScore) continue
      best = lag
      bestScore = share
    }
  }
  // Spans that begin where turns do have not moved, though a first token of which nothing is known would also let them begin behind it; unless
  // they end early by more than the end token, which may be left out by itself.
  const endsEarly = best < -1 && (shareAt(mask, ends, other, 0, end, 1, 0) ?? 1) <= 1 - enough
  const stays = !endsEarly && (shareAt(mask, starts, NO_OTHER, 0, end, 0, 1) ?? 0) >= enough
  // Edges that a right mask has as well tell nothing of whether it lies in place: a start behind a first token that may be the prompt's, one that the
  // stored mask begins with, and an end that would lie behind the row, which ends with it wherever it lies.
  const isFirstStored = (start: number) => best < 0 && reachesFrom > 0 && start === reachesFrom
  const telling = starts.filter((start) => other.get(start) !== start + best && !isFirstStored(start))
  // One token late it may be a newline that is trained behind the others.
  const lastEnd = best > 1 || (best === 1 && telling.length > 0) ? end - best : end
  const inPlace = scoreAt(0, lastEnd, telling.length > 0 ? telling : starts)
  const shifted = best !== 0 && !stays && bestScore >= enough && inPlace <= 1 - enough
  const edges = starts.length + ends.length
  return { lag: shifted ? best : 0, score: bestScore, edges, scores, withoutEnds: shifted && withoutEnds }
}

/** Where sampled spans begin and end. */
interface Edges {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Where a trained span begins or ends with tokens that may not have been sampled, a right mask steps before or after them. */
  readonly other: ReadonlyMap<number, number>
}

function edgesOf(expected: Uint8Array, end: number): Edges {
  const starts: number[] = []
  const ends: number[] = []
  const other = new Map<number, number>()
  // From one run to the next: a row has some hundred of them.
  for (let i = 0; i < end; ) {
    i = runEnd(expected, i, end)
    const before = expected[i - 1]
    const after = i === end ? Expected.masked : expected[i]
    if (before === Expected.masked && after === Expected.trained) starts.push(i)
    else if (before === Expected.trained && after === Expected.masked) ends.push(i)
    else if (after === Expected.undecided && before !== Expected.undecided) {
      const decided = runEnd(expected, i, end)
      const then = decided === end ? Expected.masked : expected[decided]
      if (then === before || then === undefined) continue
      if (before === Expected.masked) starts.push(i)
      else ends.push(i)
      other.set(i, decided)
    }
  }
  return { starts, ends, other }
}

/**
 * Whether a mask may lie so many tokens late (negative: early), though it may lie in place as well: all of its edges that can be seen then do. Null where
 * none can: they lie outside of the row, or before the first token that the mask reaches.
 */
export function mayLieOff(
  mask: Uint8Array,
  expected: Uint8Array,
  end: number,
  lag: number,
  thresholds: Thresholds,
  reachesFrom: number,
): boolean | null {
  const { starts, ends, other } = edgesOf(expected, end)
  const startShare = shareAt(mask, starts, other, lag, end, 0, 1, reachesFrom)
  const endShare = shareAt(mask, ends, other, lag, end, 1, 0)
  if (startShare === null && endShare === null) return null
  return Math.min(startShare ?? 1, endShare ?? 1) >= thresholds['edges-at-lag']
}

/** Everything behind an edge is trained, and something is. */
function goesOn(mask: Uint8Array, edge: number, end: number): boolean {
  for (let i = edge; i < end; i++) if (mask[i] !== 1) return false
  return edge < end
}

const NO_OTHER: ReadonlyMap<number, number> = new Map()

/**
 * Share of the edges at which the mask, `lag` tokens later, steps from `from` to `to`; null where all of them lie outside of the row then,
 * or before the first token that the mask reaches. What is behind the row counts as masked.
 */
function shareAt(
  mask: Uint8Array,
  edges: readonly number[],
  other: ReadonlyMap<number, number>,
  lag: number,
  end: number,
  from: number,
  to: number,
  reachesFrom = 0,
) {
  const steps = (at: number) => at >= 1 && mask[at - 1] === from && (mask[at] ?? 0) === to
  let compared = 0
  let found = 0
  for (const edge of edges) {
    const at = edge + lag
    // A span that would begin behind the row is not in it, and one that ends with the row is.
    if (at < 1 || at < reachesFrom || at > end - to) continue
    compared++
    const second = other.get(edge)
    if (steps(at) || (second !== undefined && steps(second + lag))) found++
  }
  return compared === 0 ? null : found / compared
}

export interface AlignmentDecision {
  readonly alignment: MaskAlignment
  /** Nothing in the dump decides between a target-aligned mask and one that is off by one; target is assumed. */
  readonly undecided: boolean
}

/** What the masks of some trajectories say of their alignment; adds up over parts of a dump. */
export interface AlignmentCounts {
  readonly masked: number
  /** Masks that can but mark predictions: one shorter than their ids, or labels that name the next id. */
  readonly onTargets: number
  /** Masks that train something and have edges to compare, and those of them that lie one token early as one that marks predictions does. */
  readonly compared: number
  readonly early: number
}

/**
 * How the masks of a dump are aligned. What the person declares wins, then what the format documents. Otherwise masks that are one
 * shorter than the ids, and labels that name the next id, are target-aligned, and a uniform lag of -1 looks like target alignment but may
 * as well be a fault: undecided.
 */
export function decideAlignment(
  { masked, onTargets, compared, early }: AlignmentCounts,
  documented: MaskAlignment | null,
  given: MaskAlignment | 'auto',
  thresholds: Thresholds,
): AlignmentDecision {
  if (given !== 'auto') return { alignment: given, undecided: false }
  if (documented !== null) return { alignment: documented, undecided: false }
  if (masked > 0 && onTargets === masked) return { alignment: 'target', undecided: false }
  const uniform = compared > 0 && early >= thresholds['convention-share'] * compared
  return { alignment: uniform ? 'target' : 'token', undecided: uniform }
}

/** @param views of the first trajectories, made with alignment `token` */
export function countAlignment(
  views: readonly Pick<
    TrajectoryView,
    'trajectory' | 'ids' | 'mask' | 'expected' | 'provenance' | 'segmentation' | 'text'
  >[],
  thresholds: Thresholds,
): AlignmentCounts {
  const masked = views.filter(({ mask }) => mask !== null)
  let compared = 0
  let early = 0
  for (const view of masked) {
    const { mask, segmentation, ids } = view
    const expected = view.expected ?? bySampling(view)
    if (mask === null || expected === null || !mask.includes(1)) continue
    const end = ids.length - (segmentation?.padding.right ?? 0)
    let { edges, lag } = maskLag(mask, expected, end, thresholds)
    // Of turns that it leaves out it has no edges.
    const parts = lag === 0 ? expectedOfTrained(view) : null
    if (parts !== null) ({ edges, lag } = maskLag(mask, parts.expected, end, thresholds))
    if (edges === 0) continue
    compared++
    // What marks predictions of a response begins before it: of its own tokens, as many as it has, the first would never be trained.
    if (lag === -1 && maskReachesFrom(view) === 0) early++
  }
  return {
    masked: masked.length,
    onTargets: masked.filter((view) => isOneShorter(view) || namesNextIds(view)).length,
    compared,
    early,
  }
}

/** Where no turns say what was sampled, what the dump says of it; null where it says so of no token, or of all. */
function bySampling({ provenance }: Pick<TrajectoryView, 'provenance'>): Uint8Array | null {
  if (!provenance?.includes(Provenance.sampled) || !provenance.includes(Provenance.notSampled)) return null
  return provenance.map((wrote) =>
    wrote === Provenance.sampled
      ? Expected.trained
      : wrote === Provenance.notSampled
        ? Expected.masked
        : Expected.undecided,
  )
}

/** The dump stores this trajectory's mask with one element less than it has ids. */
function isOneShorter({ trajectory, ids }: Pick<TrajectoryView, 'trajectory' | 'ids'>): boolean {
  return trajectory.arrays.some((array) => isOfMask(array) && array.length === ids.length - 1)
}

/** The mask was read from labels, and these name the next id: nothing else puts them there. */
function namesNextIds({ trajectory: { arrays, issues } }: Pick<TrajectoryView, 'trajectory'>): boolean {
  return arrays.some(({ namesNext }) => namesNext) && issues.every(({ code }) => code !== 'mask-conflict')
}

/**
 * The first token that the stored mask can mark: masks over the response alone leave the prompt out, and what was shifted into it is lost. Where
 * shorter responses of a batch are padded on the left, it is that of the row's own. 0 where the mask spans the row, or is put together from those
 * of single calls or messages.
 */
export function maskReachesFrom({
  trajectory,
  ids,
  segmentation,
}: Pick<TrajectoryView, 'trajectory' | 'ids' | 'segmentation'>): number {
  const spans = trajectory.arrays.filter((array) => isOfMask(array) && /^(?!prompt)\w+$/.test(array.name))
  const before = ids.length - Math.max(0, ...spans.map(({ expected }) => expected))
  if (spans.length === 0 || before <= 0) return 0
  return Math.max(before, (segmentation?.padding.left ?? 0) + (trajectory.promptLength ?? 0))
}

/** An array that the loss mask was read from. */
export function isOfMask({ name, isBeside }: StoredArray): boolean {
  return isMaskName(name) && isBeside !== true
}

export function isMaskName(name: string): boolean {
  return /mask|labels/.test(name) && !/attention/.test(name)
}
