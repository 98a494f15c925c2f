import { count, counted } from '../../model/number-text.ts'
import type { Check } from '../check.ts'
import { gapOf } from './gap.ts'
import { unprovedByOneArray } from './one-array.ts'
import { pairsOf } from './scored.ts'
import { digits, scoredSpan, scoredSpans } from './text.ts'

/** L04. The sampler's logprobs are those of the distribution that top-p or top-k left over. */
export const L04: Check = {
  code: 'L04',
  name: 'renormalised-logprobs',
  title: 'Sampler logprobs are renormalised after top-p or top-k',
  hypotheses: [],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts with enough tokens that both sampler and trainer scored',
  why: 'The sampler claims every token to be more likely than the policy finds it: ratios are below 1 throughout, and clipped on one side.',
  fix: 'Let the sampler report raw logprobs, sample with top-p 1 and no top-k, or apply the same filter in the trainer.',
  cite: 'prime-rl#2601, ms-swift#8442, NeMo-RL#69',
  hiddenBy: ['L06'],
  trajectory(view, _settings, report) {
    const gap = gapOf(view)
    const pairs = pairsOf(view)
    if (gap === null || pairs === null) return
    const affected = gap.cause === 'renormalised'
    report.place(affected)
    if (!affected) return
    const above = pairs.tokens.filter((i) => (pairs.sampler[i] as number) >= (pairs.trainer[i] as number)).length
    const zeros = pairs.tokens.filter((i) => pairs.sampler[i] === 0).length
    report.fault({
      scope: 'trajectory',
      tokens: scoredSpan(view),
      affected: scoredSpans(view),
      message: `The sampler is at or above the trainer on ${count(above)} of ${counted(gap.count, 'token')}, by ${digits(gap.mean)} on average and ${digits(gap.largest.gap)} at most`,
      evidence: {
        share_sampler_above: above / gap.count,
        share_exact_zero: zeros / gap.count,
        mean_gap: gap.mean,
        largest_gap: gap.largest.gap,
      },
    })
  },
  unproved: unprovedByOneArray,
}
