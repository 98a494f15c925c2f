import type { Check } from '../check.ts'
import { gapOf } from './gap.ts'
import { digits, scoredSpan, scoredSpans } from './text.ts'

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
  trajectory(view, { thresholds }, report) {
    const gap = gapOf(view)
    if (gap === null) return
    const affected = gap.cause === 'mismatch'
    report.place(affected)
    if (!affected) return
    report.fault({
      scope: 'trajectory',
      tokens: scoredSpan(view),
      affected: scoredSpans(view),
      message: `Sampler and trainer logprobs differ by ${digits(gap.meanAbsolute)} on average over ${gap.count} trained tokens (engines that agree differ by about 0.01)`,
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
}
