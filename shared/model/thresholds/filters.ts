import type { Threshold } from './threshold.ts'

/** Logprobs of what top-p or top-k left over. */
export const FILTER_THRESHOLDS = {
  'renormalised-gap': {
    value: 0.01,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L01', 'L04'],
    reason: 'Least mean gap of a sampler that renormalises: it claims more than the trainer throughout.',
  },
  'renormalised-share': {
    value: 0.8,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L01', 'L04'],
    reason: 'Mean gap over mean |gap| from which the sampler is above the trainer on nearly all tokens.',
  },
  'renormalised-most': {
    value: 0.7,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L04'],
    reason: 'Largest gap of a token that renormalising can give: a top-p of 0.5 doubles a probability, ln 2 = 0.69.',
  },
  'renormalised-zeros': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L04'],
    reason: 'Of the tokens, exactly 0 at the sampler and not certain at the trainer: there a token was left alone.',
  },
  'renormalised-in-proportion': {
    value: 1.35,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['L04'],
    reason:
      'As much of the squared gap explained by a multiple of the logprob as by one amount for all tokens, above which a temperature near 1 made the gap. Simulated, top-p of 0.6 to 0.95 gives 0.6 to 1.2, temperatures of 0.93 to 0.97 give 1.5 to 2.7.',
  },
  'renormalised-tokens': {
    value: 250,
    unit: 'tokens',
    range: [0, 1_000_000],
    usedBy: ['L01', 'L04'],
    reason:
      'That must carry the gap of all rollouts, as many as would have its sum and its squares with the same gap each: of 100 a sampler at a temperature of 0.1 looks like top-k in one dump of forty, of 200 in one of sixty, of more in none.',
  },
  'renormalised-one-sided': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L01', 'L04'],
    reason:
      'Mean gap over mean |gap| of all rollouts from which top-k may have made it. Simulated over 1,200 tokens, top-k of 2 to 20 gives 0.95 to 1 and noise of engines takes little of that; another temperature gives 0.86 at most, noise 0.93.',
  },
  'renormalised-explained-least': {
    value: 0.08,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L01', 'L04'],
    reason:
      'Least share of the squared gap of all rollouts that a multiple of the sampler’s logprob explains after top-k: simulated 0.1 to 0.53. Of a trainer behind another context, that is surprised where the sampler was sure, 0.03 at most.',
  },
  'renormalised-explained-most': {
    value: 0.55,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L01', 'L04'],
    reason:
      'The most of that: a temperature explains up to 0.75 of it, and a trainer that is flatter than what is always taken for the likeliest token 0.5 to 0.65.',
  },
} as const satisfies Record<string, Threshold>
