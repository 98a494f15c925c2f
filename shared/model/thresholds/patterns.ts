import type { Threshold } from './threshold.ts'

/** When a fault is the framework's and not the data's. */
export const PATTERN_THRESHOLDS = {
  'systematic-share': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: 'every check',
    reason: 'Of the places a check looks at, from which a fault is the framework’s and not the data’s.',
  },
  'systematic-units': {
    value: 2,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: 'every check',
    reason: 'Rollouts (or groups) that must have it: one alone cannot show a pattern.',
  },
  'systematic-kind-share': {
    value: 0.1,
    unit: 'share',
    range: [0, 1],
    usedBy: 'every check',
    reason:
      'Of all places, that edges of one kind, turns of one index or the rollouts of a file, of an environment or of some steps must make up to show a pattern of their own: a handful shows none.',
  },
  'systematic-subset-units': {
    value: 10,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: 'every check',
    reason:
      'That must have it where it stands in all turns of one index, or in all rollouts of a file, of an environment or of some steps, and elsewhere in none: a few can fall together by chance.',
  },
  'systematic-condition-chance': {
    value: 0.001,
    unit: 'share',
    range: [0, 1],
    usedBy: 'every check',
    reason:
      'That a fault of the data would stand so in rollouts of one kind alone (those with parallel tool calls, those that call one tool, those of many turns), below which code puts it there; each kind that was tried counts.',
  },
  'symptom-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L01', 'L02'],
    reason:
      'Of the rollouts that were looked at, that must have a gap of the logprobs before a defect of all rollouts explains it: what shows in a few alone has another cause.',
  },
  'stray-call-share': {
    value: 0.1,
    unit: 'share',
    range: [0, 1],
    usedBy: ['T07'],
    reason:
      'Of the rollouts, those that call a tool, below which a model invents one now and then in a run that shows no tools, or none of that name: it was taught elsewhere to call, and where schemas were lost it does so in most rollouts.',
  },
  'named-call-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['T07'],
    reason:
      'Of the rollouts whose prompts only name a tool, that must call it before the schema which others of the same system text have is missing there: where some questions are asked without tools on purpose, most answers call none.',
  },
} as const satisfies Record<string, Threshold>
