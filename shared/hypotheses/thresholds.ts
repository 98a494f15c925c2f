import { TREND_RANK } from '../checks/logprobs/thresholds.ts'

/** The numbers of the contract's table "When a verdict falls", and the few beside it; each with its reason where it is not the table's. */

/** From this many rollouts on a verdict may be of high confidence; below the lower number it is low. */
export const MANY_ROLLOUTS = 50
export const FEW_ROLLOUTS = 10

export const H01 = {
  /** Share of complete groups with an amplified spread below the noise floor. */
  groups: { supported: { comparison: '>=', threshold: 0.2 }, contradicted: { comparison: '<', threshold: 0.05 } },
} as const

export const H02 = {
  /** Share of the loss weight on tokens that no oracle calls sampled. */
  weight: { supported: { comparison: '>=', threshold: 0.01 }, contradicted: { comparison: '<', threshold: 0.001 } },
  /**
   * Share of sampled tokens without loss from which a mask is not called right. Some trainers leave single tokens out on purpose
   * (clipped ratios), so more than this settles nothing by itself.
   */
  untrained: { comparison: '<', threshold: 0.01 },
} as const

export const H03 = {
  /** Mean k3 over trained tokens, in nats. */
  mean: { supported: { comparison: '>', threshold: 10 }, contradicted: { comparison: '<', threshold: 1 } },
  /** Least stored KL, where it follows no formula that may be negative; the bound leaves room for rounding. */
  least: { supported: { comparison: '<', threshold: -1e-4 }, contradicted: { comparison: '>=', threshold: -1e-4 } },
} as const

export const H04 = {
  nearLimit: { supported: { comparison: '>', threshold: 0.2 }, contradicted: { comparison: '<', threshold: 0.05 } },
  /** Rollouts that lost text. */
  lost: { supported: { comparison: '>=', threshold: 0.1 }, contradicted: { comparison: '=', threshold: 0 } },
  /** Rollouts whose supporting documents are all visible at the answer, of those that have any. */
  documents: { supported: { comparison: '<', threshold: 0.8 }, contradicted: { comparison: '>=', threshold: 0.8 } },
} as const

export const H05 = {
  /** Complete groups without contrast. */
  flat: { supported: { comparison: '>=', threshold: 0.5 }, contradicted: { comparison: '<', threshold: 0.5 } },
  /** Mean std within groups, as a share of the observed reward range. */
  within: { supported: { comparison: '<', threshold: 0.1 }, contradicted: { comparison: '>=', threshold: 0.1 } },
  /** Std within groups / std between group means. */
  contrast: { supported: { comparison: '<', threshold: 0.25 }, contradicted: { comparison: '>=', threshold: 0.25 } },
  /** Share of the variance within groups of a component that pulls against the total. */
  opposing: { supported: { comparison: '>=', threshold: 0.3 }, contradicted: { comparison: '<', threshold: 0.3 } },
} as const

export const H06_LIBRARY = {
  /** Kendall's rank correlation of mean reward and step, and gain from the first to the last third, of a reward that rises. */
  rank: 0.3,
  gain: 0.02,
} as const

export const H06_LORA = {
  /** Mean |sampler − trainer| over trained tokens, in nats. */
  gap: { supported: { comparison: '>', threshold: 0.05 }, contradicted: { comparison: '<', threshold: 0.02 } },
  /** Kendall's rank correlation of the gap with the step. */
  rank: {
    supported: { comparison: '>=', threshold: TREND_RANK },
    contradicted: { comparison: '<', threshold: TREND_RANK },
  },
} as const

export const H07 = {
  /** Rate of a fault from assistant turn 2 on, over its rate in turn 1. */
  timesTurnOne: 5,
  /** Later turns that must have the fault: one fault in one turn is no rate. */
  affectedTurns: 2,
} as const

export const H08 = {
  /** Paired questions whose tools, system text or rendering differ; also the difference of the shares that are cut. */
  pairs: { supported: { comparison: '>=', threshold: 0.05 }, contradicted: { comparison: '<', threshold: 0.05 } },
  /** Answers in the same words from which a difference of their rewards is no accident of one rollout. */
  likeTexts: 3,
  /** Mean |difference| of the rewards of answers in the same words. */
  reward: { supported: { comparison: '>', threshold: 0.1 }, contradicted: { comparison: '<=', threshold: 0.1 } },
} as const
