/**
 * Every number by which a check of limits, truncation or groups decides, with its reason. A false alarm costs more
 * trust than a miss, so each is on the careful side.
 */

/** Rows that must end at exactly one length before it is called a limit: two may coincide, three hardly do. */
export const PILE_UP_ROWS = 3

/** … and their share of all rows: in a large dump a few unclosed rows share a length by chance. */
export const PILE_UP_SHARE = 0.05

/** A length counts as "at the limit" from this many tokens below it: frameworks leave room for a header or an end token. */
export const NEAR_LIMIT_TOKENS = 10

/**
 * An open last turn is a cut by contrast only where at least this share of the rows does close its last turn. Where most rows
 * have no end token, the run stops on a string or the writer strips the token.
 */
export const CLOSED_ROWS_FOR_CONTRAST = 0.5

/** Rewards of a group that differ by less are the same reward: sums of components in float32 differ in the last digits. */
export const SAME_REWARD = 1e-6

/** Reward std below which a spread is noise, in units of reward; H01's verdict uses the same floor. */
export const STD_FLOOR = 0.02

/** The same floor as a share of the rewards' observed range, for runs whose rewards are not between 0 and 1. */
export const STD_FLOOR_OF_RANGE = 0.05

/** 1 / (std + eps) from which a reward gap is blown up tenfold or more. */
export const AMPLIFICATION = 10

/** eps of the old verifiers trainer and of TRL; assumed where nothing tells. */
export const DEFAULT_ADVANTAGE_EPS = 1e-4

/** The eps that trainers use, tried when a formula is fitted to stored advantages. */
export const ADVANTAGE_EPS_CANDIDATES: readonly number[] = [0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-1]

/** Stored and recomputed advantages agree within this share of the group's largest: bfloat16 keeps 8 bits, 1/256. */
export const ADVANTAGE_TOLERANCE = 0.01

/** … or within this absolute amount: some writers keep two decimals. */
export const STORED_DIGITS = 0.0051

/**
 * Share of the groups whose advantages must rank rollouts against their rewards before advantages that no known formula gives are
 * called wrong: a reward may be shaped before advantages are made of it, which now and then turns a close pair around.
 */
export const ORDER_SHARE = 0.5

/**
 * Share of the groups that a formula must reproduce to be called the one in use. Not all: a dump with exploded advantages (A03)
 * has groups that no formula gives.
 */
export const FIT_SHARE = 0.5

/** Groups that formulas are tried on, evenly spread over the dump: more would not change which one fits. */
export const FIT_GROUPS = 2000

/** |A| must exceed its bound by this share before it is a fault: rounding alone may touch the bound. */
export const BOUND_SLACK = 0.01

/** Trained advantages of a group sum to 0 within this share of their absolute sum, as far as stored digits go. */
export const ZERO_SUM_SHARE = 0.02

/** Characters of an untagged final answer's end that must be in the ids. */
export const ANSWER_TAIL = 80

/** Windows of rows whose advantages must all sum to 0 before they are called the real groups: one or two do by chance. */
export const SHIFTED_WINDOWS = 4

/** Sampled tokens from which two equal completions are copies: short answers are the same by chance, and at low temperatures often. */
export const DUPLICATE_TOKENS = 32

/**
 * The components must explain this share of the total's variance within groups before any of it is put down to one of
 * them: dumps often list metrics among rewards that the total does not contain.
 */
export const COMPONENTS_EXPLAIN = 0.98

/** Share of the variance within groups from which a component that pulls against the total is a conflict (H05's verdict uses the same). */
export const OPPOSING_SHARE = 0.3

/** Two components cancel each other where both have this share of the variance … */
export const CANCELLING_SHARE = 0.2
/** … and their correlation within groups is this or less: trade-offs such as recall and precision are milder. */
export const CANCELLING_CORRELATION = -0.5

/** Share of the variance from which one of three components or more leaves the others without a say. */
export const DOMINANT_SHARE = 0.95

/** Rows that end with one id and are flagged as truncated before the flag is doubted … */
export const FLAGGED_ROWS = 3
/** … and their share of the rows that end so: where others are not flagged, the flag has a reason that the ids do not show. */
export const FLAGGED_SHARE = 0.95

/** Tokens that a template writes around tool schemas, at most: what the preamble adds is not in the schema. */
export const TOOLS_PREAMBLE = 200

/** Cut rollouts that must share a reward before it is called a penalty, and closed ones that must fail at another value. */
export const CUT_ROWS = 3
/** Share of closed rollouts that may have the reward of the cut ones: some of them do not parse. */
export const PENALTY_AMONG_CLOSED = 0.1

/** Rewards that must all be 0 before it is worth a note: a few hard questions are failed by all. */
export const ZEROED_ROWS = 8

/** Share of rollouts with different advantages from which they are given token by token on purpose. */
export const UNEVEN_ROWS = 0.5

/** Long over short rollout (9th over 1st decile of trained tokens) from which a mean per rollout weighs their tokens noticeably apart. */
export const LENGTH_RATIO = 4
/** Rollouts from which deciles of their lengths mean something. */
export const LENGTH_ROWS = 10

/** Share of the span after the prompt that tool replies must make up before a reported length is theirs as well. */
export const REPLY_SHARE = 0.05
