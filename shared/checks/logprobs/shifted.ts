import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpFault, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { tokenCount } from '../oracles/edges.ts'
import { gapOf } from './gap.ts'
import { LARGEST_SHIFT } from './gap-shift.ts'
import { type Lifted, type MostLikelyRollouts, mostLikelyRollouts } from './most-likely.ts'
import { unprovedByOneArray } from './one-array.ts'
import { digits, scoredSpan, scoredSpans } from './text.ts'

/** L06. The two arrays agree once one of them is moved, or the sampler's has the logprobs of tokens that were not sampled. */
export const L06: Check = {
  code: 'L06',
  name: 'logprobs-shifted',
  title: 'Sampler and trainer logprobs are of different tokens',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts with enough tokens that both sampler and trainer scored',
  why: 'Each token is weighted by the probability of another: the ratios are noise.',
  fix: 'Align both arrays to the token they score: index i is the logprob of token i given those before it, and of this token where an engine lists the likeliest ones.',
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
  dump: lookOverRollouts,
  unproved: unprovedByOneArray,
}

/** The first entry of a list of likely tokens in place of the sampled one, which all rollouts tell together. */
function* lookOverRollouts(dump: DumpView, report: DumpReporter): Steps<void> {
  const found = yield* within(0, 0.5, mostLikelyRollouts(dump))
  if (found === null) return
  const tell = (member: TrajectoryFacts) => {
    report.unitAfterAll()
    report.fault(faultOf(member, found))
  }
  yield* within(0.5, 1, forEachOf(found.members, tell))
}

function faultOf(member: TrajectoryFacts, { members, asked, lifted: ofAll }: MostLikelyRollouts): DumpFault {
  const { gap, tilt, weight } = member
  const [unlikely, lifted] = member.lifted as Lifted
  return {
    member,
    tokens: tilt === undefined ? null : { start: tilt.span[0], end: tilt.span[1] },
    affectedTokens: gap?.count ?? 0,
    affectedWeight: weight ?? 0,
    message: `The sampler's logprobs are those of the most likely token at each place, sampled or not: ${count(lifted)} of ${counted(unlikely, 'token')} that the trainer finds unlikely ${lifted === 1 ? 'has' : 'have'} the logprob of a likelier one, and where the sampled one is likelier than all others the two agree; in all ${counted(members.length, 'such rollout')} together it is so for ${count(ofAll)} of ${count(asked)}`,
    evidence: {
      unlikely_tokens: unlikely,
      lifted,
      unlikely_tokens_in_all: asked,
      lifted_in_all: ofAll,
      mean_gap: (gap?.sum ?? 0) / (gap?.count || 1),
      rollouts: members.length,
    },
  }
}
