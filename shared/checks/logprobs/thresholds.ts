/** Every number by which the checks of logprobs decide, with its reason. Logprobs and their gaps are in nats. */

/** No logprob is above 0; rounding to float16 and back may leave this much. */
export const POSITIVE_SLACK = 0.01

/** Below this a number is a filler (-1e9, -9999) and no logprob: even a uniform guess over 200,000 tokens is -12. */
export const LEAST_LOGPROB = -1000

/** Pairs of sampler and trainer logprobs from which a mean says something of a rollout. */
export const LEAST_PAIRS = 24

/** Mean |gap| of a rollout below which engines are said to agree: numerics leave 0.011 (vime#64), so twice that. */
export const AGREES = 0.02

/** Mean |gap| from which they are said to differ: four times what numerics leave, and what the verdict on H06 takes. */
export const DIFFERS = 0.05

/** Standard errors by which a mean must pass its bound, so that a single odd token decides nothing. */
export const SURE = 2

/** A gap by which the probability of a token doubles or halves. */
export const DOUBLED = Math.log(2)

/** Tokens of a turn that count as its beginning: a context fault is worst there, because nothing of the turn can be read off yet. */
export const TURN_HEAD = 4

/** The gap at the beginning of turns, over the gap after it, and its least mean, before the context is said to differ. */
export const HEAD_TIMES = 1.5
export const HEAD_GAP = 0.2

/** First tokens with such a gap that a row must have. */
export const HEAD_TOKENS = 3

/** Tokens a turn must have to be compared with the first one; times the first turn's gap, and its least mean. */
export const TURN_PAIRS = 8
export const TURN_TIMES = 5
export const TURN_GAP = 0.1

/**
 * A trainer that finds every turn this much less likely per token, hardly any token more likely, and does not follow the sampler from
 * token to token, has another context in all of them: neither numerics nor a few updates do that.
 */
export const ONE_SIDED = { mean: 0.5, share: 0.9, explained: 0.5 }

/**
 * Share of the variance that a straight line must explain, and the least ratio of its slope to 1, for a temperature. Weights that
 * moved leave a slope of 1; a sampling temperature of 0.5 explains about 0.8 of the odds of simulated vocabularies.
 */
export const LINE_FITS = { logprobs: 0.95, odds: 0.7 }
export const SLOPE_RATIO = 1.1

/**
 * Sampler logprobs between which odds are compared: nearer to 0 a little noise in a logprob is a great deal in its odds, and is cut off
 * at 0 on one side. Trainer logprobs may lie this much beyond.
 */
export const ODDS = { most: -0.25, least: -7, beyond: 25 }

/**
 * A sampler that renormalises is above the trainer on nearly all tokens (mean gap as a share of mean |gap|), by no more than a top-p
 * of 0.5 can give, and reports 0 where a token is left alone that the trainer does not find certain.
 */
export const RENORMALISED_MEAN = 0.01
export const RENORMALISED_SHARE = 0.8
export const RENORMALISED_MOST = 0.7
export const RENORMALISED_ZEROS = 0.05
export const NOT_CERTAIN = 0.001

/** A trainer logprob below this contradicts an exact 0.0 of the sampler (faults.md, L05). */
export const CONTRADICTS_ZERO = -0.5

/** … unless the trainer contradicts this share of all other tokens as well: then it is the trainer that is off. */
export const TRAINER_IS_OFF = 0.05

/** Largest shift that is tried, and the correlations that show one: high at the shift, low without it. */
export const LARGEST_SHIFT = 3
export const SHIFT_CORRELATES = 0.8
export const UNSHIFTED_BELOW = 0.5

/** Values other than 0 that must all be the same bit by bit before two arrays are one: engines never agree to the last bit. */
export const EQUAL_VALUES = 16

/** A heavy tail: tokens beyond `DOUBLED` as a share of all, at least three, while the rest agrees. */
export const TAIL_TOKENS = 3
export const TAIL_SHARE = { least: 0.003, most: 0.2 }

/** Steps from which a trend can be told from chance: eight steps in rising order happen once in 40,000. */
export const TREND_STEPS = 8

/** Kendall's rank correlation with the step, and growth from the first third to the last, of a gap that grows. */
export const TREND_RANK = 0.7
export const TREND_GROWTH = 2

/** Difference of mean trainer logprobs that shows that the trainer moved while the sampler did not. */
export const TRAINER_MOVED = 0.02

/** Share of the squares of the stored KL that the formula in use may leave unexplained: 16-bit floats and a few decimals leave less. */
export const KL_UNEXPLAINED = 0.001

/** Another formula is ruled out where it leaves this many times as much, and more than rounding of 32-bit floats. */
export const KL_WORSE = 10
export const KL_ROUNDING = 1e-6

/** Tokens with a KL other than 0 from which a formula can be recognised. */
export const KL_TOKENS = 32

/** k3 of one token from which it is said to stand for its row, and its share of the row's sum. */
export const KL_OUTLIER = 10
export const KL_OUTLIER_SHARE = 0.5

/** Two means are the same within the first share, and others by more than the second. */
export const SAME_MEAN = 0.01
export const OTHER_MEAN = 0.05
