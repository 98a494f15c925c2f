import type { Threshold } from './threshold.ts'

const EVERY_HYPOTHESIS = ['H01', 'H02', 'H03', 'H04', 'H05', 'H06-library', 'H06-lora', 'H07', 'H08'] as const

/** When a verdict falls, beside what its checks decide. */
export const VERDICT_THRESHOLDS = {
  'confidence-high-rollouts': {
    value: 50,
    unit: 'rollouts',
    range: [0, 1_000_000],
    usedBy: EVERY_HYPOTHESIS,
    reason: 'From which a verdict may be of high confidence: a share of them is then known within 14 %.',
  },
  'confidence-low-rollouts': {
    value: 10,
    unit: 'rollouts',
    range: [0, 1_000_000],
    usedBy: EVERY_HYPOTHESIS,
    reason: 'Below which every verdict is of low confidence: one odd rollout is a tenth of them.',
  },
  'h01-amplified-supported': {
    value: 0.2,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H01'],
    reason: 'Of complete groups with an amplified spread below the noise floor from which noise drives the updates.',
  },
  'h01-amplified-contradicted': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H01'],
    reason: 'Of complete groups below which an amplified spread is the exception that any run has.',
  },
  'h02-weight-supported': {
    value: 0.01,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H02'],
    reason:
      'Of the loss weight on tokens that the model did not write, from which the loss learns from the words of others.',
  },
  'h02-weight-contradicted': {
    value: 0.001,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H02'],
    reason: 'Of the loss weight on such tokens below which single tokens at edges explain it.',
  },
  'h02-untrained-share': {
    value: 0.01,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H02'],
    reason:
      'Of sampled tokens without loss from which a mask is not called right: some trainers leave single tokens out on purpose (clipped ratios), so more than this settles nothing by itself. Of rollouts, too, whose masked turns nothing explains and nothing can be held against.',
  },
  'h02-unfit-share': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H02'],
    reason:
      'Of rollouts whose arrays do not fit together, or whose ids are not of the tokenizer, from which the others say nothing of the run. Of trained turns, too, whose end token is masked while nothing tells who wrote it.',
  },
  'h03-kl-supported': {
    value: 10,
    unit: 'nats',
    range: [0, 1e30],
    usedBy: ['H03'],
    reason: 'Mean k3 over trained tokens above which the KL has exploded.',
  },
  'h03-kl-contradicted': {
    value: 1,
    unit: 'nats',
    range: [0, 1e30],
    usedBy: ['H03'],
    reason: 'Mean k3 over trained tokens below which policy and reference are still near each other.',
  },
  'h03-least-kl': {
    value: -1e-4,
    unit: 'nats',
    range: [-1e30, 0],
    usedBy: ['H03', 'L10'],
    reason: 'Least stored KL, where it follows no formula that may be negative; the bound leaves room for rounding.',
  },
  'h04-near-limit-supported': {
    value: 0.2,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H04'],
    reason: 'Of rollouts near a limit above which the limit shapes what is learned.',
  },
  'h04-near-limit-contradicted': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H04'],
    reason: 'Of rollouts near a limit below which they are the stragglers of any run.',
  },
  'h04-lost-share': {
    value: 0.1,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H04'],
    reason: 'Of rollouts that lost text from which cuts decide what is rewarded.',
  },
  'h04-visible-share': {
    value: 0.8,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H04'],
    reason: 'Of rollouts with supporting documents that must see all of them at the answer.',
  },
  'h05-flat-share': {
    value: 0.5,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H05'],
    reason: 'Of complete groups without contrast from which most sampling teaches nothing.',
  },
  'h05-within-share': {
    value: 0.1,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H05'],
    reason: 'Mean std within groups over the observed reward range, below which rewards hardly tell rollouts apart.',
  },
  'h05-contrast': {
    value: 0.25,
    unit: 'times',
    range: [0, 1_000_000],
    usedBy: ['H05'],
    reason:
      'Std within groups over std between group means, below which rewards grade the question and not the rollout.',
  },
  'h06-library-rank': {
    value: 0.3,
    unit: 'correlation',
    range: [-1, 1],
    usedBy: ['H06-library'],
    reason:
      'Kendall’s rank correlation of mean reward and step from which a reward rises, of all steps or of those before it is level: rewards are noisier than gaps.',
  },
  'h06-library-gain': {
    value: 0.02,
    unit: 'units of reward',
    range: [0, 1_000_000],
    usedBy: ['H06-library'],
    reason:
      'Gain over all steps, by the line through their means, from which a reward rises: less is no progress, however steady.',
  },
  'h06-library-rise': {
    value: 0.1,
    unit: 'units of reward',
    range: [0, 1_000_000],
    usedBy: ['H06-library'],
    reason:
      'Gain over all steps that chance must leave out of the question before a reward is said not to rise: a trainer that works gains more on GSM8K. A run that begins nearer to the greatest reward says nothing.',
  },
  'h06-library-contrast': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H06-library'],
    reason:
      'Share of the groups whose rewards differ below which a level run has nothing to learn from: a task solved once in a hundred tries has contrast in more groups of eight.',
  },
  'h06-library-steps': {
    value: 20,
    unit: 'steps',
    range: [3, 1_000_000],
    usedBy: ['H06-library'],
    reason: 'Below which no reward is said not to rise: a trainer that works shows it within 20 to 50.',
  },
  'h06-lora-gap-supported': {
    value: 0.05,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['H06-lora'],
    reason: 'Mean |sampler − trainer| over trained tokens above which a growing gap shows weights that do not arrive.',
  },
  'h06-lora-gap-contradicted': {
    value: 0.02,
    unit: 'nats',
    range: [0, 100],
    usedBy: ['H06-lora'],
    reason: 'The same mean, below which numerics explain it: they leave 0.011 (vime#64).',
  },
  'h06-lora-off-share': {
    value: 0.01,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H06-lora'],
    reason:
      'Share of rollouts whose engines surely differ, from which not every engine is in step though the mean says so: one engine of a hundred.',
  },
  'h07-times': {
    value: 5,
    unit: 'times',
    range: [1, 1_000_000],
    usedBy: ['H07'],
    reason: 'As frequent as in turn 1 that a fault must be from assistant turn 2 on.',
  },
  'h07-turns': {
    value: 2,
    unit: 'turns',
    range: [1, 1_000_000],
    usedBy: ['H07'],
    reason:
      'After the first that must have the fault: one fault in one turn is no rate. Of rollouts, too, where a single-turn run is laid beside them.',
  },
  'h07-chance': {
    value: 0.001,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H07'],
    reason:
      'Of sound runs, in which so few first turns and so many later ones have a fault by chance; and of sound pairs of runs, in which as many rollouts with a fault all come to stand in the run of several turns: asked of some forty checks, which together do so in fewer than 1 in 20.',
  },
  'h08-pairs-share': {
    value: 0.05,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H08'],
    reason:
      'Of paired questions whose words, tools, system text, rendering or ends differ, and difference of the shares that are cut, from which two runs are not comparable.',
  },
  'h08-ends-chance': {
    value: 0.002,
    unit: 'share',
    range: [0, 1],
    usedBy: ['H08'],
    reason:
      'Of two sound runs, in which as many paired questions end apart by chance: asked of four kinds of tables, which together are fewer than 1 in 100, and no more than 6 questions of one rollout that are cut in the one run and 6 others in the other.',
  },
  'h08-like-answers': {
    value: 3,
    unit: 'values',
    range: [1, 1_000_000],
    usedBy: ['A11', 'H08'],
    reason: 'Answers in the same words from which a difference of their rewards is no accident of one rollout.',
  },
  'h08-reward-gap': {
    value: 0.1,
    unit: 'units of reward',
    range: [0, 1_000_000],
    usedBy: ['H08'],
    reason:
      'Mean |difference| of the rewards of answers in the same words above which the two runs are scored differently.',
  },
  'run-standard-errors': {
    value: 2,
    unit: 'standard errors',
    range: [0, 1_000],
    usedBy: ['H06-library', 'H08'],
    reason: 'By which means or shares of rollouts must differ before they do so by more than chance.',
  },
} as const satisfies Record<string, Threshold>
