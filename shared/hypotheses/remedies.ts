import type { HypothesisId } from '../model/report.ts'

/** What to do about a supported hypothesis that no fault stands behind: its measures alone speak for it. */
export const REMEDIES: Readonly<Record<HypothesisId, string>> = {
  H01: 'Leave rewards unscaled, or add an epsilon that is larger than the noise of the reward.',
  H02: 'See by part which tokens carry the loss, and mask those that the model did not write.',
  H03: 'Hold the KL of the loss against its declared formula, or leave it out (beta 0).',
  H04: 'Raise the limit that cuts most, or shorten what fills it; the lab shows what each limit costs.',
  H05: 'Take prompts whose rewards differ within a group, or a reward that grades answers more finely.',
  'H06-library': 'Look first at what both runs share, the trainer and its settings, and not at turns.',
  'H06-lora': 'See that the sampler gets the new weights after every step.',
  H07: 'See what later turns have and the first one has not.',
  H08: 'Give both runs the same tools, system text and chat template before their rewards are compared.',
}
