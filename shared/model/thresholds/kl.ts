import type { Threshold } from './threshold.ts'

/** Which formula a stored KL is, and means over all tokens. */
export const KL_THRESHOLDS = {
  'kl-unexplained': {
    value: 0.001,
    unit: 'share',
    range: [0, 1],
    usedBy: ['M18', 'L10', 'H03'],
    reason:
      'Of the squares of the stored KL, or of what returns change by from token to token, that the formula in use may leave unexplained: 16-bit floats and a few decimals leave less of a KL.',
  },
  'kl-worse': {
    value: 10,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['L10', 'H03'],
    reason:
      'As much as the best formula leaves unexplained, above which another one is ruled out: closer ones cannot be told apart.',
  },
  'kl-rounding': {
    value: 1e-6,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L10', 'H03'],
    reason: 'Of the squares that rounding of 32-bit floats leaves unexplained under the right formula.',
  },
  'kl-tokens': {
    value: 32,
    unit: 'tokens',
    range: [1, 1_000_000],
    usedBy: ['M18', 'L10', 'H03'],
    reason: 'With a KL, stored or in returns, from which a formula can be recognised: on a few, several fit.',
  },
  'kl-outlier': {
    value: 10,
    unit: 'nats',
    range: [0, 1e30],
    usedBy: ['L10'],
    reason:
      'Of k3, from which one token may stand for its row: policies that stay near the reference give thousandths.',
  },
  'kl-outlier-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L10'],
    reason: 'Of the row’s sum that one token must have before it stands for its row.',
  },
  'same-mean': {
    value: 0.01,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L11'],
    reason: 'By which two means may differ and are the same: logs keep a few digits.',
  },
  'other-mean': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['L11'],
    reason: 'By which two means must differ before one is not the other.',
  },
} as const satisfies Record<string, Threshold>
