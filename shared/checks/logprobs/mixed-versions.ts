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
    const gaps = segments.map((segment) => meanGap(view, segment))
    const isSound = segments.every(({ tokens }, at) => isHealthy(gaps[at] ?? null, tokens, view.thresholds))
    report.fault({
      scope: 'trajectory',
      ...(isSound ? { severity: 'info' } : {}),
      tokens: { start: (segments[0] as Segment).start, end: (segments.at(-1) as Segment).end },
      affected: segments.filter(({ version }) => version !== newest),
      message: `Policy versions ${[...new Set(segments.map(({ version }) => version))].join(', ')} sampled this rollout; the version changes at token ${edge.start}${gapAtEdge(gaps)}${isSound ? ', as between engines of the same weights' : ''}`,
      evidence: {
        versions: segments.slice(0, 32).map(({ version, start, end, tokens }) => ({ version, start, end, tokens })),
        mean_absolute_gap: gaps.slice(0, 32),
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

function meanGap(view: TrajectoryView, { start, end }: Segment): number | null {
  const pairs = pairsOf(view)
  let sum = 0
  let count = 0
  for (const i of pairs?.tokens ?? []) {
    if (i < start || i >= end) continue
    sum += Math.abs(((pairs as NonNullable<typeof pairs>).sampler[i] as number) - (pairs?.trainer[i] as number))
    count++
  }
  return count === 0 ? null : sum / count
}

/** Sampler and trainer are as near to each other as two engines with the same weights; of a few tokens a mean is less sure. */
function isHealthy(gap: number | null, tokens: number, thresholds: Thresholds): boolean {
  const { 'engines-agree': agree, 'engines-differ': differ, 'scored-tokens': enough } = thresholds
  return gap !== null && gap <= (tokens < enough ? differ : agree)
}

function gapAtEdge([before, after]: readonly (number | null)[]): string {
  if (before === null || after === null || before === undefined || after === undefined) return ''
  return `, and the gap to the trainer goes from ${digits(before)} to ${digits(after)}`
}
