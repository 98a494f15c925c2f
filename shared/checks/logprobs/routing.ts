import { count, counted } from '../../model/number-text.ts'
import type { Check } from '../check.ts'
import { gapOf, isMixtureOfExperts } from './gap.ts'
import { unprovedByOneArray } from './one-array.ts'
import { rounded, scoredSpan, scoredSpans } from './text.ts'

/** L12. A few tokens far apart at random places, in a model that routes tokens to experts. */
export const L12: Check = {
  code: 'L12',
  name: 'expert-routing-mismatch',
  title: 'Expert routing differs between sampler and trainer',
  hypotheses: [],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer'],
  looksAt: 'rollouts of mixture-of-experts models with enough tokens that both engines scored',
  why: 'A token that goes to other experts has another distribution: a few ratios far from 1 dominate the update.',
  fix: 'Replay the routing of the sampler in the trainer (rollout routing replay), or mask tokens whose ratio is extreme.',
  cite: 'Megatron-LM#4168, Megatron-LM#4256, verl#4101, NeMo-RL#2590',
  hiddenBy: ['L06'],
  trajectory(view, _settings, report) {
    if (!isMixtureOfExperts(view.trajectory.model)) return
    const gap = gapOf(view)
    if (gap === null) return
    const affected = gap.cause === 'routing'
    report.place(affected)
    if (!affected) return
    report.fault({
      scope: 'trajectory',
      tokens: scoredSpan(view),
      affected: scoredSpans(view),
      message: `On ${count(Math.round(gap.largeShare * gap.count))} of ${counted(gap.count, 'token')} sampler and trainer are more than a factor of 2 apart, the rest agrees: ${view.trajectory.model} routes tokens to experts`,
      evidence: {
        share_above_ln2: gap.largeShare,
        mean_absolute_gap: gap.meanAbsolute,
        largest: [gap.largest.token, gap.largest.gap],
        mean_gap_by_turn: gap.turns.map(({ mean }) => rounded(mean)),
        model: view.trajectory.model,
      },
    })
  },
  unproved: unprovedByOneArray,
}
