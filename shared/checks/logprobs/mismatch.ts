import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { contextOfAll } from './context-of-all.ts'
import { gapOf } from './gap.ts'
import { type MismatchOfAll, mismatchOfAll } from './mismatch-of-all.ts'
import { mostLikelyRollouts } from './most-likely.ts'
import { unprovedByOneArray } from './one-array.ts'
import { filteredRollouts } from './pooled-filter.ts'
import { tiltedRollouts } from './pooled-lines.ts'
import { digits, scoredSpan, scoredSpans } from './text.ts'
import { isHeldBack } from './tilt.ts'

/** L01. The two engines disagree, and no narrower cause shows in the way they do. */
export const L01: Check = {
  code: 'L01',
  name: 'sampler-trainer-mismatch',
  title: 'Sampler and trainer logprobs differ',
  hypotheses: ['H06-lora'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts with enough tokens that both sampler and trainer scored',
  why: 'Tokens are weighted by the ratio of two policies that were meant to be one: updates are off-policy by an unknown amount.',
  fix: 'Compare precision, kernels and weight versions of the two engines; correct by truncated importance weights meanwhile.',
  cite: 'verl#2953, verl#3694, TRL#3867, TRL#4772, AReaL#1207',
  hiddenBy: ['L06'],
  trajectory(view, { thresholds }, report) {
    const gap = gapOf(view)
    if (gap === null) return
    const affected = gap.cause === 'mismatch' && !isHeldBack(view)
    report.place(affected)
    if (!affected) return
    report.fault({
      scope: 'trajectory',
      tokens: scoredSpan(view),
      affected: scoredSpans(view),
      message: messageOf(gap.meanAbsolute, gap.count),
      evidence: {
        mean_absolute_gap: gap.meanAbsolute,
        threshold: thresholds['engines-differ'],
        mean_gap: gap.mean,
        share_above_ln2: gap.largeShare,
        log_sequence_ratio: -gap.mean * gap.count,
        largest: [gap.largest.token, gap.largest.gap],
        slope: gap.line.slope,
        mean_gap_by_turn: gap.turns.map(({ mean }) => mean),
      },
    })
  },
  dump: lookBeside,
  unproved: unprovedByOneArray,
}

/** Rollouts that none shows by itself, which the others of the dump tell. */
function* lookBeside(dump: DumpView, report: DumpReporter): Steps<void> {
  const { thresholds } = dump.settings
  const filtered = yield* within(0, 0.2, filteredRollouts(dump))
  const ofOthers = yield* within(0.2, 0.3, mostLikelyRollouts(dump))
  const found = yield* within(0.3, 0.5, tiltedRollouts(dump))
  const context = yield* within(0.5, 0.6, contextOfAll(dump))
  const isTold = new Set([filtered, ofOthers, context].flatMap((told) => told?.members ?? []))
  // Rollouts that look like something narrower each by itself, surely or by too few tokens, where the others of the dump deny it (L02, L03, L04, L06).
  for (const member of found.denied)
    if (member.tilt?.otherwise === 'mismatch' && !isTold.has(member)) tell(member, null, { report, thresholds })
  if (filtered !== null || ofOthers !== null) return
  const ofAll = yield* within(0.6, 0.9, mismatchOfAll(dump.facts, found, thresholds))
  if (ofAll === null) return
  yield* within(
    0.9,
    1,
    forEachOf(ofAll.unproved, (member) => tell(member, ofAll, { report, thresholds })),
  )
}

function tell(
  member: TrajectoryFacts,
  ofAll: MismatchOfAll | null,
  { report, thresholds }: { readonly report: DumpReporter; readonly thresholds: Thresholds },
): void {
  const { gap, tilt } = member
  if (gap === undefined || tilt === undefined) return
  const beside =
    ofAll === null
      ? ''
      : `; too few to prove it by themselves, but all ${count(ofAll.rollouts)} rollouts together differ by ${digits(ofAll.mean)}`
  report.unitAfterAll()
  report.fault({
    member,
    tokens: { start: tilt.span[0], end: tilt.span[1] },
    affectedTokens: gap.count,
    affectedWeight: member.weight ?? 0,
    message: `${messageOf(gap.absolute / gap.count, gap.count)}${beside}`,
    evidence: {
      mean_absolute_gap: gap.absolute / gap.count,
      threshold: thresholds['engines-differ'],
      mean_gap: gap.sum / gap.count,
      log_sequence_ratio: -gap.sum,
      slope: tilt.own?.slope,
      ...(ofAll === null ? {} : { mean_absolute_gap_of_all: ofAll.mean, rollouts: ofAll.rollouts }),
    },
  })
}

function messageOf(gap: number, tokens: number): string {
  return `Sampler and trainer logprobs differ by ${digits(gap)} on average over ${counted(tokens, 'trained token')} (engines that agree differ by about 0.01)`
}
