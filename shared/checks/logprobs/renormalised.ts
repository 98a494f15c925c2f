import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpFault, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { gapOf } from './gap.ts'
import { unprovedByOneArray } from './one-array.ts'
import { type FilteredRollouts, filteredRollouts } from './pooled-filter.ts'
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
  dump: lookOverRollouts,
  unproved: unprovedByOneArray,
}

/** What top-k left over, which all rollouts tell together. */
function* lookOverRollouts(dump: DumpView, report: DumpReporter): Steps<void> {
  const found = yield* within(0, 0.6, filteredRollouts(dump))
  if (found === null) return
  const tell = (member: TrajectoryFacts) => {
    report.unitAfterAll()
    report.fault(faultOf(member, found))
  }
  yield* within(0.6, 1, forEachOf(found.members, tell))
}

function faultOf(member: TrajectoryFacts, { mean, oneSided, explained, rollouts }: FilteredRollouts): DumpFault {
  const { gap, tilt, weight = 0 } = member
  const { count: tokens = 0, sum = 0, absolute = 0, samplerValues = 0, largest = 0 } = gap ?? {}
  const zeros = tokens - samplerValues
  return {
    member,
    tokens: tilt === undefined ? null : { start: tilt.span[0], end: tilt.span[1] },
    affectedTokens: tokens,
    affectedWeight: weight ?? 0,
    message: `The sampler is above the trainer by ${digits(sum / tokens)} a token on average over ${counted(tokens, 'token')}, ${count(zeros)} of them at exactly 0; of what the two differ by in all ${counted(rollouts, 'rollout')} ${digits(50 * (1 + oneSided))} % is on the sampler’s side, and the more of it the less sure it was, as where top-k left the other tokens out`,
    evidence: {
      share_of_gap_above: (absolute + sum) / (2 * absolute),
      share_exact_zero: zeros / tokens,
      mean_gap: sum / tokens,
      largest_gap: largest,
      mean_gap_of_all: mean,
      share_of_gap_above_in_all: (1 + oneSided) / 2,
      explained_by_logprob: explained,
      rollouts,
    },
  }
}
