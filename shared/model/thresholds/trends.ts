import type { Threshold } from './threshold.ts'

/** Numbers by which a course over training steps is told, and the engines' versions in it. */
export const TREND_THRESHOLDS = {
  'trend-steps': {
    value: 8,
    unit: 'steps',
    range: [3, 1_000_000],
    usedBy: ['L04', 'L08', 'H06-library', 'H06-lora'],
    reason: 'From which a trend can be told from chance: eight steps in rising order happen once in 40,000.',
  },
  'trend-rank': {
    value: 0.7,
    unit: 'correlation',
    range: [-1, 1],
    usedBy: ['L04', 'L08', 'H06-lora'],
    reason:
      'Kendall’s rank correlation of gap and step from which the gap grows: chance stays below it in eight steps.',
  },
  'trend-growth': {
    value: 2,
    unit: 'times',
    range: [0, 1_000_000],
    usedBy: ['L04', 'L08', 'H06-lora'],
    reason:
      'The gap of the last third of the steps over that of the first from which it grows: less is drift of the data.',
  },
  'same-lag': {
    value: 0.25,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L08', 'H06-lora'],
    reason:
      'Of a version, by which a later step may lag further behind, by the mean version of its rollouts, and count as no further: rollouts of several versions make up a step.',
  },
  'trainer-moved': {
    value: 0.02,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['L08'],
    reason: 'Difference of mean trainer logprobs which shows that the trainer moved while the sampler did not.',
  },
} as const satisfies Record<string, Threshold>
