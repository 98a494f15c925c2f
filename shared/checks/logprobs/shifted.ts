import type { Check } from '../check.ts'
import { tokenCount } from '../edges.ts'
import { gapOf } from './gap.ts'
import { LARGEST_SHIFT } from './gap-shift.ts'
import { unprovedByOneArray } from './one-array.ts'
import { digits, scoredSpan, scoredSpans } from './text.ts'

/** L06. The two arrays agree once one of them is moved. */
export const L06: Check = {
  code: 'L06',
  name: 'logprobs-shifted',
  title: 'Sampler and trainer logprobs are shifted against each other',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts with enough tokens that both sampler and trainer scored',
  why: "Each token is weighted by its neighbour's probability: the ratios are noise.",
  fix: 'Align both arrays to the token they score: index i is the logprob of token i given those before it.',
  cite: 'Trinity-RFT#259, TRL#3867',
  trajectory(view, _settings, report) {
    const gap = gapOf(view)
    if (gap === null) return
    const affected = gap.cause === 'shifted'
    report.place(affected)
    if (!affected) return
    const { shift, shiftedFrom, correlations } = gap
    const from = shiftedFrom === 0 ? '' : ` from token ${shiftedFrom} on`
    const { start, end } = scoredSpan(view)
    const at = correlations[shift + LARGEST_SHIFT] as number
    report.fault({
      scope: 'trajectory',
      tokens: { start: Math.max(start, shiftedFrom), end },
      affected: scoredSpans(view).filter((span) => span.start >= shiftedFrom),
      message: `Trainer logprobs are ${tokenCount(Math.abs(shift))} ${shift > 0 ? 'late' : 'early'} against the sampler's${from}: they correlate at ${digits(at)} there, and at ${digits(correlations[LARGEST_SHIFT] as number)} as stored`,
      evidence: {
        shift,
        shifted_from: shiftedFrom,
        correlations_from_minus_3: correlations,
        mean_absolute_gap: gap.meanAbsolute,
      },
    })
  },
  unproved: unprovedByOneArray,
}
