import type { Thresholds } from '../model/thresholds/registry.ts'
import type { Bound } from './would-change.ts'

/**
 * The contract's table "When a verdict falls": which side of which threshold speaks for which verdict. The numbers and their reasons
 * are in `model/thresholds/verdicts.ts`.
 */
export interface Bounds {
  readonly supported: Bound
  readonly contradicted: Bound
}

function bounds(
  supported: Bound['comparison'],
  from: number,
  contradicted: Bound['comparison'],
  until: number,
): Bounds {
  return {
    supported: { comparison: supported, threshold: from },
    contradicted: { comparison: contradicted, threshold: until },
  }
}

/** Share of complete groups with an amplified spread below the noise floor. */
export function amplifiedBounds(t: Thresholds): Bounds {
  return bounds('>=', t['h01-amplified-supported'], '<', t['h01-amplified-contradicted'])
}

/** Share of the loss weight on tokens that no oracle calls sampled. */
export function weightBounds(t: Thresholds): Bounds {
  return bounds('>=', t['h02-weight-supported'], '<', t['h02-weight-contradicted'])
}

/** Share of sampled tokens without loss, for a mask that is called right. */
export function untrainedBound(t: Thresholds): Bound & { readonly comparison: '<' } {
  return { comparison: '<', threshold: t['h02-untrained-share'] }
}

/** Share of rollouts whose arrays do not fit together, beside which the mask of the others may be called right. */
export function unfitBound(t: Thresholds): Bound & { readonly comparison: '<' } {
  return { comparison: '<', threshold: t['h02-unfit-share'] }
}

/** Mean k3 over trained tokens that the model wrote, in nats. */
export function meanKlBounds(t: Thresholds): Bounds {
  return bounds('>', t['h03-kl-supported'], '<', t['h03-kl-contradicted'])
}

/** Least stored KL, where it follows no formula that may be negative. */
export function leastKlBounds(t: Thresholds): Bounds {
  return bounds('<', t['h03-least-kl'], '>=', t['h03-least-kl'])
}

export function nearLimitBounds(t: Thresholds): Bounds {
  return bounds('>', t['h04-near-limit-supported'], '<', t['h04-near-limit-contradicted'])
}

/** Share of rollouts that lost text. */
export function lostBounds(t: Thresholds): Bounds {
  return bounds('>=', t['h04-lost-share'], '=', 0)
}

/** Share of rollouts whose supporting documents are all visible at the answer, of those that have any. */
export function visibleBounds(t: Thresholds): Bounds {
  return bounds('<', t['h04-visible-share'], '>=', t['h04-visible-share'])
}

/** Share of complete groups without contrast. */
export function flatBounds(t: Thresholds): Bounds {
  return bounds('>=', t['h05-flat-share'], '<', t['h05-flat-share'])
}

/** Mean std within groups, as a share of the observed reward range. */
export function withinBounds(t: Thresholds): Bounds {
  return bounds('<', t['h05-within-share'], '>=', t['h05-within-share'])
}

/** Std within groups / std between group means. */
export function contrastBounds(t: Thresholds): Bounds {
  return bounds('<', t['h05-contrast'], '>=', t['h05-contrast'])
}

/** Share of the variance within groups of a component that pulls against the total. */
export function opposingBounds(t: Thresholds): Bounds {
  return bounds('>=', t['opposing-share'], '<', t['opposing-share'])
}

/** Mean |sampler − trainer| over trained tokens, in nats. */
export function gapBounds(t: Thresholds): Bounds {
  return bounds('>', t['h06-lora-gap-supported'], '<', t['h06-lora-gap-contradicted'])
}

/** Share of rollouts whose own gap is that of engines that differ, beside which the others may be called in step. */
export function offRolloutsBounds(t: Thresholds): Bounds {
  return bounds('>=', t['h06-lora-off-share'], '<', t['h06-lora-off-share'])
}

/** Kendall's rank correlation of the gap with the step. */
export function gapRankBounds(t: Thresholds): Bounds {
  return bounds('>=', t['trend-rank'], '<', t['trend-rank'])
}

/** Share of paired questions whose words, tools, system text or rendering differ; also the difference of the shares that are cut. */
export function pairBounds(t: Thresholds): Bounds {
  return bounds('>=', t['h08-pairs-share'], '<', t['h08-pairs-share'])
}

/** Mean |difference| of the rewards of answers in the same words. */
export function rewardGapBounds(t: Thresholds): Bounds {
  return bounds('>', t['h08-reward-gap'], '<=', t['h08-reward-gap'])
}
