/** The numbers of the contract's table "When a verdict falls", and the few beside it; each with its reason where it is not the table's. */

/** From this many rollouts on a verdict may be of high confidence; below the lower number it is low. */
export const MANY_ROLLOUTS = 50
export const FEW_ROLLOUTS = 10

/** A fault at this share of the places it could be is the framework's and not one rollout's. */
export const SYSTEMATIC_SHARE = 0.95
/** … in so many places at least: one place is no pattern. */
export const SYSTEMATIC_PLACES = 2

export const H01 = {
  /** Share of complete groups with an amplified spread below the noise floor. */
  supportedGroups: 0.2,
  contradictedGroups: 0.05,
  amplification: 10,
} as const

export const H02 = {
  /** Share of the loss weight on tokens that no oracle calls sampled. */
  supportedWeight: 0.01,
  contradictedWeight: 0.001,
} as const

export const H04 = {
  nearLimitSupported: 0.2,
  nearLimitContradicted: 0.05,
  /** Rollouts that lost text. */
  lostSupported: 0.1,
  /** Rollouts whose supporting documents are all visible at the answer, of those that have any. */
  documentsVisible: 0.8,
} as const

export const H05 = {
  /** Complete groups without contrast. */
  groupsWithoutContrast: 0.5,
  /** Mean std within groups, as a share of the observed reward range. */
  withinShareOfRange: 0.1,
  /** Std within groups / std between group means. */
  contrastRatio: 0.25,
  /** Share of the variance within groups of a component that pulls against the total. */
  opposingVariance: 0.3,
  /**
   * The components must explain this share of the total's variance within groups before any of it is put down to one of
   * them: dumps often list metrics among rewards that the total does not contain.
   */
  explained: 0.98,
} as const

export const H07 = {
  /** Rate of a fault from assistant turn 2 on, over its rate in turn 1. */
  timesTurnOne: 5,
  /** Later turns that must have the fault: one fault in one turn is no rate. */
  affectedTurns: 2,
} as const
