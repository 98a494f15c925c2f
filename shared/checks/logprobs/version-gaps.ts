import { partitionPoint } from '../../model/partition-point.ts'
import type { Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { OfLast } from '../of-last.ts'
import { pairsOf } from './scored.ts'

export interface Segment {
  readonly version: number
  readonly start: number
  end: number
  tokens: number
}

/** |sampler − trainer| over the segments of a rollout that several versions sampled, each by itself. */
export interface MixedGaps {
  readonly segments: readonly Segment[]
  readonly newest: number
  /** By segment; null where nothing in it was scored by both. */
  readonly means: readonly (number | null)[]
  /** `alike`: of engines that agree; `chance`: no older segment is surely worse than the newest; `unscored`: something is not known. */
  readonly state: 'alike' | 'chance' | 'worse' | 'unscored'
}

/**
 * Of a rollout that several versions sampled: tokens, Σ |gap| and Σ −logprob of the sampler over what older versions sampled, and over what the
 * newest did. A rollout of which an older segment seems worse has its segments as well, of which the dump is told.
 */
export interface VersionGaps {
  readonly older: readonly number[]
  readonly newest: readonly number[]
  readonly versions: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly tokens: readonly number[]
  readonly means: readonly number[]
}

const cache = new OfLast<TrajectoryView, MixedGaps | null>()

/** Null where one version sampled all that is trained, or none is named. */
export function mixedGapsOf(view: TrajectoryView): MixedGaps | null {
  let found = cache.get(view)
  if (found === undefined) cache.set(view, (found = mixedGaps(view)))
  return found
}

function mixedGaps(view: TrajectoryView): MixedGaps | null {
  const segments = segmentsOf(view)
  const newest = segments.reduce((most, { version }) => Math.max(most, version), 0)
  if (segments.every(({ version }) => version === newest)) return null
  const gaps = segments.map((segment) => gapOver(view, [segment]))
  const ofNewest = gapOver(
    view,
    segments.filter(({ version }) => version === newest),
  )
  const isHealthyAt = segments.map(({ tokens }, at) => isHealthy(gaps[at] ?? null, tokens, view.thresholds))
  const isWorse = segments.some(({ version }, at) => {
    const gap = gaps[at] ?? null
    if (gap === null || ofNewest === null || version === newest || isHealthyAt[at]) return false
    return isSurelyWorse(gap, ofNewest, view.thresholds)
  })
  const known = ofNewest !== null && gaps.every((gap) => gap !== null)
  return {
    segments,
    newest,
    means: gaps.map((gap) => gap?.mean ?? null),
    state: isHealthyAt.every((healthy) => healthy) ? 'alike' : !known ? 'unscored' : isWorse ? 'worse' : 'chance',
  }
}

/**
 * Older versions sampled every token on which the engines are further apart than this, and are surely further from the trainer than the newest: the version
 * tells where these tokens lie, which nothing does of those that went to other experts.
 */
export function areOfOlderVersions(view: TrajectoryView, largeGap: number): boolean {
  const { versions, logprobs } = view.trajectory
  const mixed = versions === null ? null : mixedGapsOf(view)
  const { sampler, trainer } = logprobs
  if (versions === null || sampler === null || trainer === null || mixed?.state !== 'worse') return false
  return (pairsOf(view)?.tokens ?? []).every((token) => {
    const isLarge = Math.abs((sampler[token] as number) - (trainer[token] as number)) > largeGap
    return !isLarge || versions[token] !== mixed.newest
  })
}

/** What the dump is told of a rollout that several versions sampled; null of any other, and where something in it was not scored. */
export function versionGapsOf(view: TrajectoryView): VersionGaps | null {
  if (view.trajectory.versions === null || view.mask === null) return null
  const mixed = mixedGapsOf(view)
  if (mixed === null || mixed.state === 'unscored') return null
  const { segments, newest, means } = mixed
  const sums = (isNewest: boolean) => {
    const gap = gapOver(
      view,
      segments.filter(({ version }) => (version === newest) === isNewest),
    )
    return gap === null ? [0, 0, 0] : [gap.count, gap.count * gap.mean, gap.surprise]
  }
  const told = mixed.state === 'worse' ? segments.slice(0, MOST_SEGMENTS) : []
  return {
    older: sums(false),
    newest: sums(true),
    versions: told.map(({ version }) => version),
    starts: told.map(({ start }) => start),
    ends: told.map(({ end }) => end),
    tokens: told.map(({ tokens }) => tokens),
    means: told.map((_, at) => means[at] ?? 0),
  }
}

/** Segments that evidence lists. */
export const MOST_SEGMENTS = 32

/** Rollouts of which an older segment seems worse, and whether the rollouts that several versions sampled bear it out together. */
export interface WorseRollouts {
  readonly members: readonly TrajectoryFacts[]
  readonly areWorse: boolean
  /** Rollouts of several versions that were asked. */
  readonly asked: number
}

/**
 * Noise differs from rollout to rollout as much as from token to token, and falls on what is unlikely: of many rollouts a few have an older segment
 * that seems worse. So it is the difference of the two in each rollout that is asked, as it is and to each nat of surprise: both must be above
 * what rollouts differ by. Of too few rollouts each is believed by itself.
 */
export function* worseRollouts(
  facts: readonly TrajectoryFacts[],
  { 'versions-rollouts': enough, 'versions-standard-errors': errors }: Thresholds,
): Steps<WorseRollouts> {
  const mixed = new FactColumns(facts).having('versionGaps')
  yield 0.5
  const members = mixed.filter(({ versionGaps }) => (versionGaps?.versions.length ?? 0) > 0)
  const all = mixed.flatMap(({ versionGaps }) => versionGaps ?? [])
  const isWorse = (per: (sums: readonly number[]) => number) => {
    const differences = all.flatMap(({ older, newest }): [number, number][] => {
      const difference = per(older) - per(newest)
      const [a, b] = [older[0] ?? 0, newest[0] ?? 0]
      return Number.isFinite(difference) ? [[difference, (a * b) / (a + b)]] : []
    })
    const weight = differences.reduce((sum, [, own]) => sum + own, 0)
    const mean = differences.reduce((sum, [difference, own]) => sum + own * difference, 0) / weight
    const squares = differences.reduce((sum, [difference, own]) => sum + (own * (difference - mean)) ** 2, 0)
    return mean > (errors * Math.sqrt(squares)) / weight
  }
  const areWorse =
    all.length < enough ||
    (isWorse(([count = 0, absolute = 0]) => absolute / count) &&
      isWorse(([, absolute = 0, surprise = 0]) => absolute / surprise))
  return { members, areWorse, asked: all.length }
}

/** Runs of one version over the trained tokens; a negative version stands on what was not sampled. */
export function segmentsOf({ mask, trajectory }: TrajectoryView): Segment[] {
  const versions = trajectory.versions as Int32Array
  const segments: Segment[] = []
  for (let i = 0; i < versions.length; i++) {
    const version = versions[i] as number
    if (mask?.[i] !== 1 || version < 0) continue
    const last = segments.at(-1)
    if (last?.version === version) {
      last.end = i + 1
      last.tokens++
    } else segments.push({ version, start: i, end: i + 1, tokens: 1 })
  }
  return segments
}

interface Gap {
  readonly mean: number
  readonly count: number
  /** Σ (|gap| − mean)². */
  readonly deviations: number
  /** Σ −logprob of the sampler. */
  readonly surprise: number
}

/** |sampler − trainer| over segments; null where nothing in them was scored by both. */
function gapOver(view: TrajectoryView, segments: readonly Segment[]): Gap | null {
  const pairs = pairsOf(view)
  if (pairs === null) return null
  let [sum, squares, count, surprise] = [0, 0, 0, 0]
  for (const { start, end } of segments) {
    const { tokens } = pairs
    for (let k = partitionPoint(tokens.length, (at) => (tokens[at] as number) < start); k < tokens.length; k++) {
      const i = tokens[k] as number
      if (i >= end) break
      const gap = Math.abs((pairs.sampler[i] as number) - (pairs.trainer[i] as number))
      sum += gap
      squares += gap * gap
      surprise -= pairs.sampler[i] as number
      count++
    }
  }
  if (count === 0) return null
  const mean = sum / count
  return { mean, count, deviations: Math.max(0, squares - count * mean * mean), surprise }
}

/** Sampler and trainer are as near to each other as two engines with the same weights; of a few tokens a mean is less sure. */
function isHealthy(gap: Gap | null, tokens: number, thresholds: Thresholds): boolean {
  const { 'engines-agree': agree, 'engines-differ': differ, 'scored-tokens': enough } = thresholds
  return gap !== null && gap.mean <= (tokens < enough ? differ : agree)
}

/**
 * Noise of the sampler's engine (weights in eight bits) is in every segment, whatever its version: what an older version adds shows by
 * a gap that is larger than that of the newest by more than chance. Its error is that of both together: of a few tokens that happen to be
 * certain the spread is as small as the mean.
 */
function isSurelyWorse(older: Gap, newest: Gap, { 'gap-standard-errors': errors }: Thresholds): boolean {
  const tokens = older.count + newest.count
  // Two tokens have no spread to tell chance from.
  if (tokens <= 2) return false
  const variance = (older.deviations + newest.deviations) / (tokens - 2)
  return older.mean - newest.mean > errors * Math.sqrt(variance * (1 / older.count + 1 / newest.count))
}
