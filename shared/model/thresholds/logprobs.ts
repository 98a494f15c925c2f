import type { Threshold } from './threshold.ts'

/** The checks whose results the gap of sampler and trainer decides. */
const GAP_CODES = ['L01', 'L02', 'L03', 'L04', 'L06', 'L12'] as const

/** Logprobs of sampler, trainer and reference, and their gaps. */
export const LOGPROB_THRESHOLDS = {
  'logprob-above-zero': {
    value: 0.01,
    unit: 'nats',
    range: [0, 1_000],
    usedBy: ['L05'],
    reason: 'No logprob is above 0; rounding to float16 and back may leave this much.',
  },
  'least-logprob': {
    value: -1_000,
    unit: 'nats',
    range: [-1e30, 0],
    usedBy: ['L05'],
    reason:
      'Below this a number is a filler (-1e9, -9999) and no logprob: even a uniform guess over 200,000 tokens is -12.',
  },
  'never-drawn': {
    value: -19,
    unit: 'nats',
    range: [-1_000, 0],
    usedBy: ['L05'],
    reason:
      'Sampler logprob below which a token is not drawn: any of 200,000 such tokens would be once in a thousand. -20, -30, -50 and -100 stand for a number that is missing.',
  },
  'contradicts-never-drawn': {
    value: -5,
    unit: 'nats',
    range: [-1_000, 0],
    usedBy: ['L05'],
    reason:
      'Trainer logprob above which a token is too likely for such a number of the sampler’s: of what was forced the two engines say alike, and of what was drawn they never differ by so much.',
  },
  'least-forced': {
    value: -60,
    unit: 'nats',
    range: [-1_000, 0],
    usedBy: ['L05'],
    reason:
      'Sampler logprob below which, where the trainer scored nothing, a number that recurs is a filler: of tokens that were forced logprobs of -25 to -60 are seen, hardly ever two the same.',
  },
  'scored-tokens': {
    value: 24,
    unit: 'tokens',
    range: [3, 1_000_000],
    usedBy: [...GAP_CODES, 'L05', 'L09'],
    reason: 'That sampler and trainer must both have scored before a mean says something of a rollout.',
  },
  'engines-agree': {
    value: 0.02,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L02', 'L03', 'L09', 'T02'],
    reason: 'Mean |gap| of a rollout below which engines agree: numerics leave 0.011 (vime#64), so twice that.',
  },
  'engines-differ': {
    value: 0.05,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L01', 'L04', 'L06', 'L08', 'L09', 'L12', 'T02'],
    reason: 'Mean |gap| from which they differ: four times what numerics leave.',
  },
  'gap-standard-errors': {
    value: 2,
    unit: 'standard errors',
    range: [0, 1_000],
    usedBy: ['L01', 'L02', 'L09'],
    reason: 'By which a mean must pass its bound, so that a single odd token decides nothing.',
  },
  'unlikely-token': {
    value: -3,
    unit: 'nats',
    range: [-1_000, 0],
    usedBy: ['L01', 'L04', 'L06'],
    reason:
      'Trainer logprob below which another token is likelier by far, wherever a model chooses among few: a sampler that gives all of these at least twice the probability speaks of another token.',
  },
  'most-likely-rollouts': {
    value: 0.75,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L01', 'L04', 'L06'],
    reason:
      'Of the rollouts with enough scored tokens that look as if the sampler gave the logprob of the most likely token: a short one may hold no unlikely token, and noise makes hardly any look so.',
  },
  'large-gap': {
    value: Math.LN2,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L06', 'L12'],
    reason: 'A gap by which the probability of a token doubles or halves: ln 2.',
  },
  'temperature-explains-logprobs': {
    value: 0.95,
    unit: 'share',
    range: [0.01, 1],
    usedBy: ['L03', 'L04'],
    reason:
      'Of the variance that a straight line through the logprobs must explain for a temperature: weights that moved leave a slope of 1.',
  },
  'temperature-explains-odds': {
    value: 0.7,
    unit: 'share',
    range: [0.01, 1],
    usedBy: ['L03'],
    reason:
      'The same of the odds: a sampling temperature of 0.5 explains about 0.8 of the odds of simulated vocabularies.',
  },
  'temperature-slope': {
    value: 1.1,
    unit: 'times',
    range: [1, 1_000],
    usedBy: ['L03', 'L04'],
    reason: 'Least ratio of that line’s slope to 1 for a temperature: numerics leave slopes closer to 1.',
  },
  'slope-standard-errors': {
    value: 4,
    unit: 'standard errors',
    range: [0, 1_000],
    usedBy: ['L03'],
    reason:
      'By which that slope must pass its bound, of a normal distribution (of few tokens more are asked): every rollout is asked, and of many that two engines merely see differently some line up by chance.',
  },
  'temperature-standard-errors': {
    value: 1.5,
    unit: 'standard errors',
    range: [0, 1_000],
    usedBy: ['L03'],
    reason:
      'By which more tokens must lie nearer to that line than to one of slope 1: a few far out can tilt a line, and every rollout is asked.',
  },
  'temperature-share': {
    value: 0.01,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L03'],
    reason:
      'Of the rollouts with the same declared temperature that must have a line of their own before one is believed that all of them together do not show: noise of 8-bit rollouts gives such a line to one of some thousands.',
  },
  'pooled-rollouts': {
    value: 8,
    unit: 'rollouts',
    range: [2, 1_000_000],
    usedBy: ['L01', 'L02', 'L03', 'L04'],
    reason:
      'With tokens that tell a temperature before a line through all of them has a known error, and that must be there before their mean speaks for each.',
  },
  'declared-slope': {
    value: 1.03,
    unit: 'times',
    range: [1, 1_000],
    usedBy: ['L03'],
    reason:
      'Least ratio of the slope over many rollouts to 1 where it is that of their declared temperature: chance does not come upon that number, and a temperature of 0.95 gives 1.05.',
  },
  'declared-off': {
    value: 0.5,
    unit: 'share',
    range: [0, 1_000],
    usedBy: ['L03'],
    reason:
      'Of the logarithm of the declared temperature by which that of the slope may be off to be the same: simulated vocabularies leave up to 0.4, since the odds of several tokens lie on no straight line.',
  },
  'early-slope': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L03'],
    reason:
      'Of the logarithm of the slope over many rollouts that those of the first quarter of the steps must have by themselves: a temperature gives all of it, and a policy that goes its way a quarter.',
  },
  'odds-most': {
    value: -0.25,
    unit: 'nats',
    range: [-100, -1e-6],
    usedBy: ['L03'],
    reason:
      'Greatest sampler logprob whose odds are compared: nearer to 0 a little noise in a logprob is a great deal in its odds, and is cut off at 0 on one side.',
  },
  'odds-least': {
    value: -7,
    unit: 'nats',
    range: [-100, 0],
    usedBy: ['L03'],
    reason: 'Least sampler logprob whose odds are compared: beyond it odds are rounding.',
  },
  'odds-beyond': {
    value: 25,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['L03'],
    reason:
      'By which the trainer’s logprob may be nearer to 0: a temperature moves it, rounding takes over beyond this.',
  },
  'not-certain': {
    value: 0.001,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['C07', 'L04', 'M09', 'M10'],
    reason: 'Below 0 from which a trainer logprob is that of no certain token: an exact 0.0 of both is a legal one.',
  },
  'contradicts-zero': {
    value: -0.5,
    unit: 'nats',
    range: [-1_000, 0],
    usedBy: ['L05', 'M09', 'M14'],
    reason:
      'Trainer logprob below which a token is too unlikely for the sampler’s exact 0.0: exact zeros are a fifth of truly sampled tokens, and two engines differ by far less than this.',
  },
  'trainer-is-off': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L05', 'M14'],
    reason: 'Of all other tokens that the trainer contradicts as well, above which it is the trainer that is off.',
  },
  'zeros-beside-others': {
    value: 8,
    unit: 'times',
    range: [0, 1_000],
    usedBy: ['L05', 'M14'],
    reason:
      'By which the trainer must contradict exact zeros more often than other tokens: a model whose experts are routed otherwise, or weights that moved on, contradict a few of both.',
  },
  'zero-beyond-noise': {
    value: 8,
    unit: 'times',
    range: [0, 1_000],
    usedBy: ['L05', 'M14'],
    reason:
      'By which the trainer must contradict an exact zero over the root of its mean squared gap on all other tokens: noise that is large everywhere reaches certain tokens as well.',
  },
  'versions-rollouts': {
    value: 8,
    unit: 'rollouts',
    range: [2, 1_000_000],
    usedBy: ['L09'],
    reason: 'That several versions sampled, from which they are asked together: of fewer the spread is not known.',
  },
  'versions-standard-errors': {
    value: 3,
    unit: 'standard errors',
    range: [0, 1_000],
    usedBy: ['L09'],
    reason: 'By which their older segments must be further from the trainer: one dump in a thousand is by chance.',
  },
  'lone-zeros': {
    value: 4,
    unit: 'tokens',
    range: [0, 1_000_000],
    usedBy: ['L05'],
    reason:
      'Exact zeros in a rollout, no three in a row, that the trainer denies and that are held against the gaps of the other rollouts: fillers stand in runs, or everywhere.',
  },
  'lone-zero-others': {
    value: 1,
    unit: 'times',
    range: [0, 1_000_000],
    usedBy: ['L05'],
    reason:
      'Share of the rollouts without another gap as large that may have such zeros, over the share of those with one: a fifth of the tokens are exact zeros, and noise hits the others first.',
  },
  'denied-end-others': {
    value: 0.1,
    unit: 'times',
    range: [0, 1_000_000],
    usedBy: ['M14'],
    reason:
      'As lone-zero-others of the only end token of a rollout that the trainer denies: of a hundred words two or three are ends, and noise hits the others first.',
  },
  'lone-zero-beyond': {
    value: 2,
    unit: 'times',
    range: [1, 1_000],
    usedBy: ['L05', 'M14'],
    reason:
      'By which the trainer may deny such a zero further than it differs elsewhere: of gaps with a fat tail the furthest is an exact zero in one dump of five.',
  },
  'zero-neighbours': {
    value: 4,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['L05', 'M14'],
    reason:
      'Nearest to an exact zero in its run, zeros left aside, that are asked whether the trainer has another context there: it is surprised at the beginning of a turn for about as many.',
  },
  'zero-neighbours-off': {
    value: 2,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['L05', 'M14'],
    reason:
      'Of these that the trainer must contradict as well for the zero to be one that the sampler meant: a single one may be odd by itself.',
  },
  'shift-correlates': {
    value: 0.8,
    unit: 'correlation',
    range: [-1, 1],
    usedBy: ['L06'],
    reason: 'Of sampler and trainer at a shift, from which the arrays are one moved against the other.',
  },
  'unshifted-correlates': {
    value: 0.5,
    unit: 'correlation',
    range: [-1, 1],
    usedBy: ['L06'],
    reason: 'Of the two as stored, above which they are not shifted: arrays in place follow each other.',
  },
  'shift-leaves': {
    value: 0.75,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L06'],
    reason:
      'Of the mean |gap| as stored that may be left once one array is moved: of arrays that were moved a tenth is, half where another temperature or much noise comes with it, and nearly all where the trainer is surprised throughout.',
  },
  'equal-values': {
    value: 16,
    unit: 'values',
    range: [1, 1_000_000],
    usedBy: ['L01', 'L02', 'L03', 'L04', 'L06', 'L07', 'L08', 'L12', 'H06-lora'],
    reason:
      'Other than 0 that must all be the same bit by bit before two arrays are one: engines never agree to the last bit.',
  },
  'tail-tokens': {
    value: 3,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['L12'],
    reason: 'With a large gap before they are a heavy tail: one or two are chance.',
  },
  'tail-share-least': {
    value: 0.003,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L12'],
    reason: 'Of a rollout’s tokens with a large gap from which they are a heavy tail: fewer are left by numerics.',
  },
  'tail-share-most': {
    value: 0.2,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L12'],
    reason: 'Of a rollout’s tokens with a large gap above which they are no tail: the whole distribution is off.',
  },
} as const satisfies Record<string, Threshold>
