import type { Check } from '../check.ts'
import { gapOf } from './gap.ts'
import { digits, scoredSpan, scoredSpans } from './text.ts'

/** L03. One of the two arrays was computed at another temperature. */
export const L03: Check = {
  code: 'L03',
  name: 'temperature-not-applied',
  title: 'Sampler and trainer logprobs are at different temperatures',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts with enough tokens that both sampler and trainer scored',
  why: 'Every ratio is off by a power: unlikely tokens are weighted far too much or too little, whatever the policy did.',
  fix: 'Divide the logits by the sampling temperature in both engines (vLLM: logprobs_mode processed_logprobs), or in neither.',
  cite: 'TRL#4159, TRL#4163, vime#69, open-instruct#1678',
  trajectory(view, _settings, report) {
    const gap = gapOf(view)
    if (gap === null) return
    const affected = gap.cause === 'temperature'
    report.place(affected)
    if (!affected) return
    const { temperature } = view.trajectory
    const { of, slope, explained, count } = gap.line
    const relation =
      of === 'logprobs'
        ? `Trainer logprobs are ${digits(slope)} times those of the sampler`
        : `The odds of a token at the trainer are those at the sampler to the power of ${digits(slope)}`
    report.fault({
      scope: 'trajectory',
      tokens: scoredSpan(view),
      affected: scoredSpans(view),
      message: `${relation}, which explains ${digits(100 * explained)} % of their variance${temperature === null ? '' : ` (declared temperature ${digits(temperature)})`}`,
      evidence: {
        slope,
        variance_explained: explained,
        declared_temperature: temperature,
        line_of: of,
        tokens: count,
        mean_absolute_gap: gap.meanAbsolute,
      },
    })
  },
}
