import { partitionPoint } from '../../model/partition-point.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { pairsOf } from './scored.ts'
import { digits } from './text.ts'

interface Segment {
  readonly version: number
  readonly start: number
  end: number
  tokens: number
}

/** L09. Tokens of one rollout were sampled by different versions of the policy. */
export const L09: Check = {
  code: 'L09',
  name: 'mixed-policy-versions',
  title: 'One rollout was sampled by several policy versions',
  hypotheses: [],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'versions'],
  looksAt: 'rollouts whose trained tokens name their policy version',
  why: 'The earlier part is off-policy by more steps than the later one, and one ratio bound is applied to both.',
  fix: 'Correct by the stored sampler logprobs per token, or drop rollouts that span more versions than the run allows.',
  cite: 'prime-rl#2957, slime#1800, xtuner#2003',
  trajectory(view, _settings, report) {
    const segments = segmentsOf(view)
    if (segments.length === 0) return
    const mixed = new Set(segments.map(({ version }) => version)).size > 1
    report.place(mixed)
    if (!mixed) return
    const newest = segments.reduce((most, { version }) => Math.max(most, version), 0)
    const edge = segments[1] as Segment
    const gaps = segments.map((segment) => gapOver(view, [segment]))
    const ofNewest = gapOver(
      view,
      segments.filter(({ version }) => version === newest),
    )
    const isHealthyAt = segments.map(({ tokens }, at) => isHealthy(gaps[at] ?? null, tokens, view.thresholds))
    const areHealthy = isHealthyAt.every((healthy) => healthy)
    const isSound = segments.every(({ version }, at) => {
      const gap = gaps[at] ?? null
      if (gap === null || ofNewest === null) return false
      return version === newest || isHealthyAt[at] || !isSurelyWorse(gap, ofNewest, view.thresholds)
    })
    const means = gaps.map((gap) => gap?.mean ?? null)
    report.fault({
      scope: 'trajectory',
      ...(isSound ? { severity: 'info' } : {}),
      tokens: { start: (segments[0] as Segment).start, end: (segments.at(-1) as Segment).end },
      affected: segments.filter(({ version }) => version !== newest),
      message: `Policy versions ${[...new Set(segments.map(({ version }) => version))].join(', ')} sampled this rollout; the version changes at token ${edge.start}${gapAtEdge(means)}${isSound ? soundness(areHealthy) : ''}`,
      evidence: {
        versions: segments.slice(0, 32).map(({ version, start, end, tokens }) => ({ version, start, end, tokens })),
        mean_absolute_gap: means.slice(0, 32),
      },
    })
  },
}

/** Runs of one version over the trained tokens; a negative version stands on what was not sampled. */
function segmentsOf({ mask, trajectory }: TrajectoryView): Segment[] {
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
}

/** |sampler − trainer| over segments; null where nothing in them was scored by both. */
function gapOver(view: TrajectoryView, segments: readonly Segment[]): Gap | null {
  const pairs = pairsOf(view)
  if (pairs === null) return null
  let [sum, squares, count] = [0, 0, 0]
  for (const { start, end } of segments) {
    const { tokens } = pairs
    for (let k = partitionPoint(tokens.length, (at) => (tokens[at] as number) < start); k < tokens.length; k++) {
      const i = tokens[k] as number
      if (i >= end) break
      const gap = Math.abs((pairs.sampler[i] as number) - (pairs.trainer[i] as number))
      sum += gap
      squares += gap * gap
      count++
    }
  }
  if (count === 0) return null
  const mean = sum / count
  return { mean, count, deviations: Math.max(0, squares - count * mean * mean) }
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

function soundness(areHealthy: boolean): string {
  return areHealthy
    ? ', as between engines of the same weights'
    : ', and no older version is further from the trainer than the newest by more than chance'
}

function gapAtEdge([before, after]: readonly (number | null)[]): string {
  if (before === null || after === null || before === undefined || after === undefined) return ''
  return `, and the gap to the trainer goes from ${digits(before)} to ${digits(after)}`
}
