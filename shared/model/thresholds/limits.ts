import type { Threshold } from './threshold.ts'

/** Limits that a run had, rows that one of them cut, and what was lost with them. */
export const LIMIT_THRESHOLDS = {
  'pile-up-rollouts': {
    value: 3,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: ['C03', 'C05', 'C06', 'C08', 'C13', 'H04'],
    reason: 'That must end at exactly one length before it is called a limit: two may coincide, three hardly do.',
  },
  'pile-up-share': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C03', 'C05', 'C06', 'C08', 'C13', 'H04'],
    reason:
      'Of all rollouts, that must end there too: in a large dump a few unclosed rows share a length by chance. Where more end within near-limit-tokens before it, they may not be more than all shorter ones: they are answers of one format, unless the dump says that they were cut.',
  },
  'pile-up-chance': {
    value: 0.001,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C03', 'C05', 'C06', 'C08', 'C13', 'H04'],
    reason:
      'How likely chance may put as many of the rollouts without an end token, that end there or within near-limit-tokens before, at the one length, unless more end there than before: replies that stop at a string vary there too. The same of tool replies that show nowhere that they were cut, or that are longest of one tool or turn alone.',
  },
  'pile-up-tokens': {
    value: 16,
    unit: 'tokens',
    range: [1, 100_000],
    usedBy: ['C03', 'C05', 'C06', 'C13', 'H04'],
    reason:
      'A length below it, or one whose rollouts mostly end in turns of one length below it, is taken for no limit unless the dump says of most rollouts there that they were cut: a letter or a number takes as many tokens in all replies.',
  },
  'near-limit-tokens': {
    value: 10,
    unit: 'tokens',
    range: [0, 100_000],
    usedBy: ['C03', 'C05', 'C06', 'C08', 'C11', 'C13', 'T16', 'H04'],
    reason:
      'Below a limit from which a length counts as being at it: frameworks leave room for a header or an end token. And below the length at which rollouts pile up, in which chance would have put them as well before it is inferred to be a limit.',
  },
  'closed-share-for-contrast': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C03', 'C05'],
    reason:
      'Of the rollouts, that must close their last turn before one that does not is cut by contrast: where most have no end token, the run stops on a string or the writer strips it.',
  },
  'stop-string-rollouts': {
    value: 4,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: ['C03'],
    reason:
      'That have no end token and end with one id before it is taken for the end of a string that stops the run: fewer end alike by chance.',
  },
  'stop-string-share': {
    value: 0.25,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C03'],
    reason:
      'Of the rollouts without an end token, that must end with that id: a limit cuts where it falls, and no id stands at a quarter of all places of a text.',
  },
  'answer-tail-characters': {
    value: 80,
    unit: 'characters',
    range: [1, 100_000],
    usedBy: ['C12'],
    reason:
      'Of an untagged final answer’s end that must be in the ids: what stands before them may be a rewritten thought.',
  },
  'flagged-rollouts': {
    value: 3,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: ['C05'],
    reason:
      'That end with one id and are flagged as truncated before the flag is doubted: fewer may have another reason.',
  },
  'flagged-share': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C05'],
    reason:
      'Of the rollouts that end with that id, that must be flagged: where others are not, the flag has a reason that the ids do not show. And of those that stop without an end token, that must stand at a limit to be cuts.',
  },
  'tools-preamble-tokens': {
    value: 200,
    unit: 'tokens',
    range: [0, 100_000],
    usedBy: ['C10'],
    reason: 'That a template writes around tool schemas, at most: what the preamble adds is not in the schema.',
  },
  'cut-rollouts': {
    value: 3,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: ['C06'],
    reason:
      'Cut ones that must share a reward before it is called a penalty, and closed ones that must fail at another value.',
  },
  'dataset-match-share': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C11'],
    reason:
      'Of the rollouts, that must be of a prompt in the dataset: where others are not, prompts without a rollout may be theirs.',
  },
  'dropped-chance': {
    value: 0.0001,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C11'],
    reason:
      'How likely chance may leave out all of the longest prompts before that is put down to a filter: a dump holds a part of its dataset, and one in ten thousand lacks these by luck.',
  },
  'penalty-among-closed': {
    value: 0.25,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C06'],
    reason:
      'Of closed rollouts, that may have the reward of the cut ones, or less than most that fail: some of them do not parse, early in a training more than a few.',
  },
} as const satisfies Record<string, Threshold>
