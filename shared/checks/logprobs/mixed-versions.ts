import { count } from '../../model/number-text.ts'
import { type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { digits } from './text.ts'
import {
  MOST_SEGMENTS,
  mixedGapsOf,
  type Segment,
  segmentsOf,
  type VersionGaps,
  worseRollouts,
} from './version-gaps.ts'

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
    const mixed = mixedGapsOf(view)
    if (mixed === null && segmentsOf(view).length === 0) return
    report.place(mixed !== null && mixed.state !== 'worse')
    // Where an older version seems worse, the other rollouts tell whether it is noise.
    if (mixed === null || mixed.state === 'worse') return
    const { segments, newest, means, state } = mixed
    report.fault({
      scope: 'trajectory',
      ...(state === 'unscored' ? {} : { severity: 'info' }),
      tokens: { start: (segments[0] as Segment).start, end: (segments.at(-1) as Segment).end },
      affected: segments.filter(({ version }) => version !== newest),
      message: `${messageOf(segments, means)}${state === 'unscored' ? '' : state === 'alike' ? ALIKE : BY_CHANCE}`,
      evidence: evidenceOf(segments, means),
    })
  },
  dump: lookOverRollouts,
}

function* lookOverRollouts({ facts, settings }: DumpView, report: DumpReporter): Steps<void> {
  const { members, areWorse, asked } = yield* within(0, 1, worseRollouts(facts, settings.thresholds))
  for (const member of members) {
    const segments = segmentsIn(member.versionGaps as VersionGaps)
    const means = member.versionGaps?.means ?? []
    const older = member.versionGaps?.older[0] ?? 0
    report.unitAfterAll()
    report.fault({
      member,
      ...(areWorse ? {} : { severity: 'info' as const }),
      tokens: { start: segments[0]?.start ?? 0, end: segments.at(-1)?.end ?? 0 },
      affectedTokens: older,
      affectedWeight: ((member.weight ?? 0) * older) / (member.trained || 1),
      message: `${messageOf(segments, means)}${areWorse ? '' : `${BY_CHANCE} in ${asked} such rollouts`}`,
      evidence: evidenceOf(segments, means),
    })
  }
}

function segmentsIn({ versions, starts, ends, tokens }: VersionGaps): Segment[] {
  return versions.map((version, at) => ({
    version,
    start: starts[at] as number,
    end: ends[at] as number,
    tokens: tokens[at] as number,
  }))
}

const ALIKE = ', as between engines of the same weights'
const BY_CHANCE = ', and no older version is further from the trainer than the newest by more than chance'

function messageOf(segments: readonly Segment[], means: readonly (number | null)[]): string {
  const versions = [...new Set(segments.map(({ version }) => version))].join(', ')
  const edge = segments[1]?.start
  return `Policy versions ${versions} sampled this rollout; the version changes at token ${count(edge as number)}${gapAtEdge(means)}`
}

function evidenceOf(segments: readonly Segment[], means: readonly (number | null)[]) {
  const versions = segments
    .slice(0, MOST_SEGMENTS)
    .map(({ version, start, end, tokens }) => ({ version, start, end, tokens }))
  return { versions, mean_absolute_gap: means.slice(0, MOST_SEGMENTS) }
}

function gapAtEdge([before, after]: readonly (number | null)[]): string {
  if (before === null || after === null || before === undefined || after === undefined) return ''
  return `, and the gap to the trainer goes from ${digits(before)} to ${digits(after)}`
}
