import type { Threshold } from './threshold.ts'

/** Rewards, groups, and the advantages made of them. */
export const REWARD_THRESHOLDS = {
  'same-reward': {
    value: 1e-6,
    unit: 'units of reward',
    range: [0, 1_000_000],
    usedBy: ['A01', 'A02', 'A04', 'A05', 'A11', 'C04', 'C06', 'H01', 'H05', 'H08'],
    reason: 'By which rewards may differ and are the same: sums of components in float32 differ in the last digits.',
  },
  'noise-std': {
    value: 0.02,
    unit: 'units of reward',
    range: [0, 1_000_000],
    usedBy: ['A02', 'H01', 'H05'],
    reason: 'Reward std within a group below which a spread is noise, unless rewards are levels (`reward-levels`).',
  },
  'reward-levels': {
    value: 8,
    unit: 'values',
    range: [0, 1_000],
    usedBy: ['A02', 'H01', 'H05'],
    reason:
      'Different rewards up to which those of one kind are levels, such as right and wrong, where they begin at 0 or lie on both sides of it: `noise-std` says nothing of them, whatever a right answer is worth. A judge’s noise takes more values, or lies far from 0.',
  },
  'noise-std-of-range': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A02', 'H01', 'H05'],
    reason: 'The same floor as a share of the rewards’ observed range, for runs whose rewards are not between 0 and 1.',
  },
  'range-stds': {
    value: 5,
    unit: 'times',
    range: [0, 1_000_000],
    usedBy: ['A02', 'H01', 'H05'],
    reason:
      'Their std, beyond which the observed range of rewards does not count as such: that of a normal law is 5 stds wide in 128 rewards and 7 in 2,048, and that of heavier tails grows without end. Right and wrong are further apart only where one of them is rarer than 1 in 25. Where the whole range would support H01 or H05, and this one contradicts it, the verdict is inconclusive.',
  },
  'stretch-times': {
    value: 10,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['A02', 'H01', 'H05'],
    reason:
      'As wide as the range of some groups, and their range as wide as `noise-std`, from which a dump’s whole range is not theirs: an outlier or a reward of another environment makes it. Noise beside real differences of one reward stays within.',
  },
  'stretch-groups': {
    value: 0.1,
    unit: 'share',
    range: [0, 0.5],
    usedBy: ['A02', 'H01', 'H05'],
    reason:
      'Of the groups, up to which they may hold outliers that are no part of the range, and from which groups with one pair of rewards are told to have a range of their own. Of five groups or more one may be an outlier, whatever share it is; where its range would support H01 or H05, and that of the others contradicts it, the verdict is inconclusive.',
  },
  amplification: {
    value: 10,
    unit: 'times',
    range: [0, 1_000_000_000],
    usedBy: ['A02', 'H01'],
    reason: '1 / (std + eps) from which a reward gap is blown up tenfold or more.',
  },
  'advantage-tolerance': {
    value: 0.01,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A02', 'A03', 'A04', 'A05', 'H01'],
    reason: 'Of the group’s largest, by which stored and recomputed advantages agree: bfloat16 keeps 8 bits, 1/256.',
  },
  'advantage-digits': {
    value: 0.0051,
    unit: 'units of advantage',
    range: [0, 1_000_000],
    usedBy: ['A04', 'H05'],
    reason: 'By which they agree whatever the largest is: some writers keep two decimals.',
  },
  'off-beside-most': {
    value: 10,
    unit: 'times',
    range: [1, 1_000],
    usedBy: ['A04'],
    reason:
      'By which a group is further off a formula than the middle one: rewards that hold something small which is not stored leave all groups off a little, a wrong formula or order one by all.',
  },
  'order-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A04'],
    reason:
      'Of the groups whose advantages must rank rollouts against their rewards before advantages that no known formula gives are called wrong: a reward may be shaped before advantages are made of it, which now and then turns a close pair around.',
  },
  'turned-order': {
    value: 0.9,
    unit: 'correlation',
    range: [0, 1],
    usedBy: ['A04'],
    reason:
      'Rank correlation of advantages with rewards within a group, below none, from which the group is turned around where all others run with their rewards: one pair in twenty may be turned by a small bonus.',
  },
  'agreeing-order': {
    value: 0.5,
    unit: 'correlation',
    range: [-1, 1],
    usedBy: ['A04'],
    reason:
      'The same, above none, from which a group runs with its rewards. Where one lies between the two, something else has its part in the order, which may turn a group around as well. A mean of all groups as large says that pairs against their rewards are turned by what the dump does not tell.',
  },
  'fit-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A02', 'A03', 'A04', 'C04', 'H01'],
    reason:
      'Of the groups that a formula must reproduce to be called the one in use: not all, because a dump with exploded advantages (A03) has groups that no formula gives. As many of the groups with masked rows, but for those that leave them out, must count them: one does by chance.',
  },
  'factor-share': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A02', 'A03', 'A04', 'A05', 'H01'],
    reason:
      'Of the groups that a formula times one constant must reproduce, where no formula alone does: a constant of its own fits half of the groups sooner than none. As many, given by a formula that divides by no std, say that the constant is the weight of a reward. As many rows that are no group must be given by one before advantages are said to have been taken over them.',
  },
  'factor-groups': {
    value: 3,
    unit: 'groups',
    range: [1, 1_000_000],
    usedBy: ['A02', 'A03', 'A04', 'H01'],
    reason:
      'With different rewards, from which one constant for all of them means something: some thirty formulas are tried, and of two groups one of them fits by chance.',
  },
  'least-weight': {
    value: 0.04,
    unit: 'times',
    range: [0, 1],
    usedBy: ['A03', 'A04', 'H01'],
    reason:
      'Below which a constant that multiplies all advantages is no weight that a run gives them: of several rewards that are normalised one by one, a minor one counts a tenth or a twentieth.',
  },
  'largest-weight': {
    value: 5,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['A03', 'A04', 'H01'],
    reason:
      'Above which it is none either: advantages of a rollout and of its steps are added up, or those of a few rewards that agree.',
  },
  'bound-slack': {
    value: 0.01,
    unit: 'share',
    range: [0, 1_000],
    usedBy: ['A03', 'A04'],
    reason: 'By which |A| must exceed its bound before it is a fault: rounding alone may touch the bound.',
  },
  'zero-sum-share': {
    value: 0.02,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A05', 'C04'],
    reason: 'Of their absolute sum, within which advantages sum to 0 as far as stored digits go.',
  },
  'masked-rows-share': {
    value: 0.2,
    unit: 'share',
    range: [0, 1],
    usedBy: ['C04', 'M04'],
    reason:
      'Of the rollouts in groups that train, up to which rows that were masked because a limit cut them, or by a filter of the source, are a note where their groups count them: most trainers with an overlong filter do. More than a fifth is what H04 calls a limit that shapes what is learned. Of all rollouts, up to which those that train nothing and are padded with the token that ends them are a warning and no error: a limit may have cut them.',
  },
  'shifted-windows': {
    value: 4,
    unit: 'values',
    range: [1, 1_000_000],
    usedBy: ['A05'],
    reason:
      'Windows of rows whose advantages must all sum to 0 before they are called the real groups: one or two do by chance.',
  },
  'duplicate-tokens': {
    value: 32,
    unit: 'tokens',
    range: [0, 1_000_000],
    usedBy: ['A06', 'S04'],
    reason:
      'Sampled ones from which two equal completions are copies: short answers are the same by chance, and at low temperatures often.',
  },
  'chance-of-copies': {
    value: 0.001,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A06', 'S04'],
    reason:
      'Of the groups of this size in which as many completions are the same by chance, at the probability that their logprobs give: a policy that is sure of an answer gives it several times, and a run has thousands of groups.',
  },
  'components-explain': {
    value: 0.98,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A09', 'H05'],
    reason:
      'Of the total’s variance within groups that the components must explain before any of it is put down to one of them: dumps often list metrics among rewards that the total does not contain.',
  },
  'opposing-share': {
    value: 0.3,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A09', 'H05'],
    reason: 'Of the variance within groups from which a component that pulls against the total is a conflict.',
  },
  'outvoted-share': {
    value: 0.1,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A09'],
    reason:
      'Of the variance within groups from which a component that is reached or not is a conflict where the total punishes it. With less it may be a mark for style that a better answer does without.',
  },
  'outvoted-correlation': {
    value: -0.7,
    unit: 'correlation',
    range: [-1, 0],
    usedBy: ['A09'],
    reason: 'Of such a component with the total, below which what it rewards loses nearly always.',
  },
  'opposing-evidence': {
    value: 2,
    unit: 'standard errors',
    range: [0, 1000],
    usedBy: ['A09', 'H05'],
    reason:
      'By which the correlation of a component with the total must lie below none (Fisher’s z) to pull against it: in two groups of eight one that has no part in who wins is at −0.01 as often as at 0.01.',
  },
  'cancelling-share': {
    value: 0.2,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A09'],
    reason: 'Of the variance within groups that each of two components must have before they can cancel each other.',
  },
  'shared-prefix-tokens': {
    value: 256,
    unit: 'tokens',
    range: [1, 1024],
    usedBy: ['A06'],
    reason:
      'Sampled tokens that rollouts of a group must have in common from the first on before it is worth a note: beginnings are much alike, and at low temperatures a short turn is the same by chance. Compared at 64, 256 and 1,024.',
  },
  'shared-prefix-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A06'],
    reason: 'Of a group’s rollouts, above which as many must begin alike: two of eight do at low temperatures.',
  },
  'cancelling-correlation': {
    value: -0.5,
    unit: 'correlation',
    range: [-1, 1],
    usedBy: ['A09'],
    reason:
      'Of two components within groups from which they cancel each other: trade-offs such as recall and precision are milder.',
  },
  'cancelling-evidence': {
    value: 4,
    unit: 'standard errors',
    range: [0, 1000],
    usedBy: ['A09'],
    reason:
      'By which the correlation must differ from none (Fisher’s z): of ten pairs of components in two groups of eight, one lies at −0.5 by chance in every fourth dump, and at −0.7 in every hundredth.',
  },
  'dominant-share': {
    value: 0.95,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A09'],
    reason:
      'Of the variance from which one of three components or more leaves the others without a say; of two, the other one has to be the answer, and to reach as little.',
  },
  'zeroed-rollouts': {
    value: 8,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: ['A10'],
    reason: 'Whose rewards must all be 0 before it is worth a note: a few hard questions are failed by all.',
  },
  'broken-reward-groups': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A10'],
    reason:
      'Of the groups, above which rewards that are no numbers are more than a note where no advantage is stored: a few are rollouts that a judge failed on and a trainer leaves out.',
  },
  'zeroed-groups': {
    value: 8,
    unit: 'groups',
    range: [1, 1_000_000],
    usedBy: ['A10'],
    reason:
      'Of an environment, whose rewards must all be 0 while as many groups of others differ: a few hard questions are failed by all. More of them may still be too hard.',
  },
  'zeroed-chance': {
    value: 0.001,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A10'],
    reason:
      'How likely chance may put all groups of a step among those without a reward, as often as the other steps have such groups, and over all steps and environments that are looked at.',
  },
  'high-reward-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A11', 'M18'],
    reason:
      'Of the way from the lowest reward of a run to its highest, or from that of rollouts without the answer to that of those with it, from which on one is high: components for format and length leave a success above it.',
  },
  'scored-otherwise-share': {
    value: 0.2,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A11'],
    reason:
      'Of answers in the same words, from which on two runs score them by other rules: a judge that is asked twice differs on a few of a hundred.',
  },
  'uneven-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A02', 'A03', 'A04', 'A12', 'H01'],
    reason:
      'Of the rollouts with different advantages, above which they are given token by token on purpose, or turn by turn where each turn is a row of its own.',
  },
  'length-ratio': {
    value: 4,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['A07'],
    reason:
      'Long over short rollout (9th over 1st decile of trained tokens) from which a mean per rollout weighs their tokens noticeably apart.',
  },
  'length-rollouts': {
    value: 10,
    unit: 'rollouts',
    range: [1, 1_000_000],
    usedBy: ['A07'],
    reason: 'From which deciles of their lengths mean something.',
  },
  'reply-share': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['A08'],
    reason: 'Of the span after the prompt that tool replies must make up before a reported length is theirs as well.',
  },
} as const satisfies Record<string, Threshold>
