import type { AdvantageScheme } from './advantages.ts'

/** What people read of a scheme: r is the reward of a rollout, s a standard deviation. */
export const SCHEME_FORMULAS: Readonly<Record<AdvantageScheme, string>> = {
  none: 'r, neither centred nor scaled',
  centre: 'r − mean of the group, not scaled',
  'leave-one-out': 'r − mean of the others',
  'group-std-unbiased': '(r − mean) / (s of the group over n − 1, + eps)',
  'group-std-biased': '(r − mean) / (s of the group over n, + eps)',
  'batch-std': '(r − mean) / (s of all rewards of the step + eps)',
  'leave-one-out-std': '(r − mean of the others) / (s of the others + eps), not divided where that s is 0',
  'batch-mean-std': '(r − mean of the step) / (s of all rewards of the step + eps)',
  'centre-batch-std': 'c = r − mean of the group; (c − mean of all c of the step) / (s of all c of the step + eps)',
}
