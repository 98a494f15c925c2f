import type { Threshold } from './threshold.ts'

/** When a gap of sampler and trainer is that of another context (L02), by turn and at their beginnings. */
export const CONTEXT_THRESHOLDS = {
  'turn-head-tokens': {
    value: 4,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['L02', 'L05', 'M09'],
    reason:
      'Of a turn that count as its beginning: a context fault is worst there, because nothing of the turn can be read off yet.',
  },
  'turn-head-times': {
    value: 1.5,
    unit: 'times',
    range: [0, 1_000_000],
    usedBy: ['L02'],
    reason:
      'The gap at the beginning of turns over the gap after it, from which the context differs and not the engines.',
  },
  'turn-head-gap': {
    value: 0.2,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L02', 'L05', 'M09'],
    reason: 'Mean gap at the beginning of turns from which it says anything: engines that agree stay far below it.',
  },
  'turn-head-large': {
    value: 3,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['L02'],
    reason: 'At the beginning of turns that must have such a gap in a rollout: two engines may well differ on one.',
  },
  'turn-head-standard-errors': {
    value: 3,
    unit: 'standard errors',
    range: [0, 1_000],
    usedBy: ['L02'],
    reason:
      'By which the mean gap of all beginnings must pass that bound, and the gap of what follows them: they are few tokens, and of many rollouts that are merely noisy, be it to one side, some have their worst there.',
  },
  'turn-head-sure': {
    value: 1.5,
    unit: 'nats',
    range: [0, 1_000],
    usedBy: ['L02'],
    reason:
      'Mean gap of beginnings from which nothing else is asked of them: of simulated noise of 0.8 nats, largest at beginnings, one rollout in a hundred has so much there; of a few tokens a single unlikely one draws a line through all.',
  },
  'turn-head-over-first': {
    value: 10,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['L02', 'L05', 'M09'],
    reason:
      'The |gap| of the first turn that the beginning of a later one must have for the first to be calm beside it: noise that is largest at beginnings is there in the first turn as well, and makes a smaller part of it.',
  },
  'unsure-token': {
    value: 0.25,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L02'],
    reason:
      'Below 0 from which the sampler was not sure of a token: another context leaves few of these as likely as they were.',
  },
  'unsure-moved': {
    value: 0.1,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L02'],
    reason: 'Of the logprob of such a token, by which the trainer’s must differ to be another: numerics stay below it.',
  },
  'unsure-agreed': {
    value: 0.4,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L02'],
    reason:
      'Of such tokens, those that the trainer finds as likely, from which a gap is that of a few tokens and no other context.',
  },
  'turn-tokens': {
    value: 8,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['L02'],
    reason: 'That a turn must have before it is compared with the first one.',
  },
  'turn-gap-times': {
    value: 5,
    unit: 'times',
    range: [0, 1_000_000],
    usedBy: ['L02'],
    reason:
      'The |gap| of the first turn, and of the end of the turn before, from which a later turn has another context: noise that grows along a rollout takes smaller steps.',
  },
  'turn-gap': {
    value: 0.1,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L02'],
    reason: 'Mean gap of a later turn from which it is compared with the first: twice that at which engines differ.',
  },
  'one-sided-gap': {
    value: 0.5,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L01', 'L02', 'L04'],
    reason:
      'Mean gap of every turn from which a trainer has another context in all of them: neither numerics nor a few updates do that.',
  },
  'one-sided-share': {
    value: 0.9,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L01', 'L02'],
    reason: 'Mean gap over mean |gap| from which hardly any token is more likely to the trainer.',
  },
  'context-explained': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L02'],
    reason:
      'Of the variance that a straight line may explain at most: a trainer with another context does not follow the sampler from token to token, as one that merely differs does, wherever in a turn and however far.',
  },
  'context-certain': {
    value: 0.9,
    unit: 'share',
    range: [0, 10],
    usedBy: ['L02'],
    reason:
      'Of the mean gap of a turn, that of a token which the sampler was certain of, by the line through all: from here on the line is no reason to call it what engines differ by. Of 300 simulated rollouts with such noise in their last turn alone five have 0.85 of it, and three 0.9.',
  },
  'context-certain-where-halved': {
    value: 0.6,
    unit: 'share',
    range: [0, 10],
    usedBy: ['L02'],
    reason:
      'The same of a turn in which as many tokens halve as noise never makes: in one of a thousand simulated turns behind another context a token far out leaves less than 0.9, and never less than 0.7.',
  },
  'context-halves': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L02'],
    reason:
      'Tokens whose probability halves, of all: noise halves that of few, certain ones least of all; of a thousand rollouts behind another context it was 0.53 and more.',
  },
  'context-explained-at-most': {
    value: 0.7,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L02'],
    reason:
      'Of the variance that a line may explain where so many halve: in 1 % of rollouts behind another context a token or two far out make it 0.57 and more, and a sampler that is off by as much on every token is explained nearly whole.',
  },
  'sure-token': {
    value: 0.1,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L02'],
    reason:
      'Below 0 down to which the sampler was sure of a token: what engines differ by hardly ever halves the probability of one, and another context does as with any.',
  },
  'denied-share': {
    value: 0.03,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L02'],
    reason:
      'Of the tokens in later turns of which the sampler was sure, those that the trainer finds half as likely or less, from which it has another context there: experts routed otherwise leave about one in a hundred.',
  },
  'denied-times': {
    value: 10,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['L02'],
    reason:
      'That share over the one in first turns: noise with a fat tail strikes both alike, and where it grows evenly along a rollout of four turns the later ones have five times as much.',
  },
  'denied-standard-errors': {
    value: 3,
    unit: 'standard errors',
    range: [0, 1_000],
    usedBy: ['L02'],
    reason:
      'Over rollouts, by which first turns must have fewer such tokens than their part of all: one dump in a thousand is by chance, and no fewer than nine rollouts tell.',
  },
} as const satisfies Record<string, Threshold>
