import type { Threshold } from './threshold.ts'

/** Shapes of a whole mask, and credit that goes past it. */
export const MASK_THRESHOLDS = {
  'convention-share': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M06', 'M11'],
    reason:
      'Of the sampled rows that must have a shape before it is the run’s convention: target-aligned masks (M06), and the policy that is suggested.',
  },
  'edges-at-lag': {
    value: 0.9,
    unit: 'share',
    range: [0.5, 1],
    usedBy: ['M06'],
    reason:
      'Of the edges of the sampled spans that a mask must have some tokens off, and not in place, before it is shifted: below it the disagreement is no shift.',
  },
  'complement-agrees': {
    value: 0.9,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M02'],
    reason: 'Of the tokens on which the complement must agree with the turns before the mask is inverted.',
  },
  'mask-agrees': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M02'],
    reason: 'Of the tokens below which the mask itself agrees with the turns no more than chance does.',
  },
  'turn-lag-overlap': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M07', 'T03'],
    reason:
      'Of its turn by which a trained run may be late: with a longer shift it is no longer told from another turn’s run.',
  },
  'thought-beside-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M16'],
    reason:
      'Of what the model wrote beside a thought that must be trained before the thought is masked by itself: a turn that is masked as a whole is M03.',
  },
  'silent-ends-share': {
    value: 0.2,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M10'],
    reason:
      'Of the rollouts of an environment, up to which those without a logprob and without loss on any end token are held against the others, which train theirs: where more are so, strings stop them as likely as not.',
  },
  'appended-ends': {
    value: 15,
    unit: 'places',
    range: [1, 1_000_000],
    usedBy: ['M10', 'H02'],
    reason:
      'Ends of turns that the framework appended carry no loss, and in place of a logprob the 0.0 of what nobody sampled. A sampled end may have 0.0 too where the model was sure of it. The sampled ends of the same rollouts, those in the loss, tell how often that is, and so how many of the ends without loss would have a logprob other than 0.0 if they had been sampled as well: from this many on, none of which has one, they are taken for appended. Of fewer, all may be 0.0 by chance, the ends of calls before those of answers.',
  },
  'zero-ends-share': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M10', 'H02'],
    reason:
      'Share of the ends without loss that must have this 0.0 before they are taken for appended ones (appended-ends): a mask that wrongly drops sampled ends drops some with another logprob as well.',
  },
  'rejected-tokens': {
    value: 10,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['M10', 'M16', 'H02'],
    reason:
      'That a mask leaves out of trained turns, all of a ratio of trainer to sampler beyond those of all trained tokens, before it is one that rejects tokens by their ratio. A token picked otherwise lies there as seldom as it is the extreme of all.',
  },
  'largest-loss-weight': {
    value: 100,
    unit: 'times',
    range: [1, 1_000_000_000],
    usedBy: ['S03'],
    reason:
      'That a run weighs one token more than another; 255, ids and lengths are above it, and a mask that holds them was written from another array.',
  },
  'answer-characters': {
    value: 4,
    unit: 'characters',
    range: [1, 100_000],
    usedBy: ['A11', 'M18'],
    reason: 'That an answer must have to be looked up: shorter ones (`yes`, `42`) are found in any text.',
  },
  'answer-contrast-rollouts': {
    value: 5,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: ['A11', 'M18'],
    reason: 'Of each kind that must be there before the reward is held against the answer’s words: fewer coincide.',
  },
  'answer-follows-share': {
    value: 0.9,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A11', 'M18'],
    reason:
      'Of rollouts that must follow the rule, on either side, before rewards are called a match of the answer’s words.',
  },
} as const satisfies Record<string, Threshold>
