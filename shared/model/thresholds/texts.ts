import type { Threshold } from './threshold.ts'

/** How much of a text must be there, or missing, before two texts are the same, another, or one of them cut. */
export const TEXT_THRESHOLDS = {
  'largest-vocabulary': {
    value: 1_048_576,
    unit: 'tokens',
    range: [1, 2_147_483_647],
    usedBy: ['T17'],
    reason:
      'Ids from here on are of no vocabulary, where it is not known which one they should be of: Gemma has 262,144 ids, XLM-V a million.',
  },
  'drift-tokens': {
    value: 50_000,
    unit: 'tokens',
    range: [1, 1_000_000_000],
    usedBy: ['T02'],
    reason:
      'Sampled tokens that must all be split as the tokenizer splits their text before it is worth a note: other splits are a matter of one token in thousands.',
  },
  'cut-visible-characters': {
    value: 40,
    unit: 'characters',
    range: [1, 100_000],
    usedBy: ['C02', 'C08', 'C12'],
    reason: 'Letters and digits that must be visible of a cut text: fewer begin many texts.',
  },
  'cut-lost-characters': {
    value: 20,
    unit: 'characters',
    range: [1, 1_000_000],
    usedBy: ['C02', 'C08', 'C12'],
    reason: 'Letters and digits that must be missing of a cut text: fewer are a difference of rendering.',
  },
  'cut-shorter-characters': {
    value: 16,
    unit: 'characters',
    range: [0, 1_000_000],
    usedBy: ['C02', 'C08'],
    reason: 'By which a message must be longer than its turn before the two are compared: marks of a cut take as much.',
  },
  'document-edge-characters': {
    value: 80,
    unit: 'characters',
    range: [1, 100_000],
    usedBy: ['C09', 'H04'],
    reason: 'Of a document’s start and end that must both be there: what lies between them is then there as well.',
  },
  'system-opening-characters': {
    value: 24,
    unit: 'characters',
    range: [1, 1_000_000],
    usedBy: ['T09'],
    reason: 'Of a system message’s beginning with which a prompt was cut or edited, and not replaced.',
  },
  'looked-up-characters': {
    value: 60,
    unit: 'characters',
    range: [1, 100_000],
    usedBy: ['T10', 'T12', 'T13', 'T16'],
    reason:
      'Letters of a thought, of a turn’s prose or of a message that are looked up: more would only find differences of spelling.',
  },
  'thought-tokens': {
    value: 4,
    unit: 'tokens',
    range: [0, 100_000],
    usedBy: ['T10'],
    reason: 'That tags alone take, above which a turn holds a thought, whatever its words.',
  },
  'control-context-characters': {
    value: 16,
    unit: 'characters',
    range: [1, 1_000],
    usedBy: ['T15'],
    reason: 'On either side of a spelt control token by which its place is found in the ids.',
  },
} as const satisfies Record<string, Threshold>
