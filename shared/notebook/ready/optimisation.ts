import type { Ready } from './hypotheses.ts'

/** What the loss is made of: advantages, KL, rewards. */
export const OPTIMISATION: readonly Ready[] = [
  {
    id: 'H01',
    title: 'Advantage scaling instability',
    verdict: 'H01',
    priority: 'high',
    phase: '1',
    description:
      'Advantages are divided by the standard deviation of their group plus a small epsilon. Where the base model already scores well, the rollouts of a group earn nearly the same reward, the deviation is small, and a gap that is mere noise becomes a full-sized advantage.',
    rootCause:
      'The division by the group’s deviation. It does not make advantages huge: with n rollouts |A| stays below (n − 1)/√n. It makes noise as loud as signal: a reward gap of 0.09 can be amplified 25 times.',
    codeLocation: 'verifiers/trainers/grpo_trainer.py:1173',
    why: '1. Updates follow noise, so they cancel over steps and the reward stays where it was.\n2. Other hyperparameters do not matter, since the noise is scaled up again whatever they are.\n3. Any model with a decent baseline has it.',
    methods: [
      {
        title: 'Train without scaling',
        how: 'The same run for 50 steps on about 100 rows with `--no-scale-rewards` (or its like), every step logged.',
        success: 'The reward moves less wildly and rises slowly; the gradient norm is lower.',
      },
      {
        title: 'Log advantages',
        how: 'Per step: max |A|, mean |A|, the mean over groups of the reward’s standard deviation, and 1/(deviation + epsilon).',
        success: 'Many groups have a deviation below the noise of the reward and a large amplification.',
      },
      {
        title: 'Larger epsilon',
        how: 'Epsilon 0.1 in place of 1e-4, nothing else changed.',
        success: 'Training is steadier.',
      },
    ],
    invalidation:
      '1. Without scaling the pattern is the same.\n2. Groups differ by more than the noise of the reward.\n3. The same trainer learns on another task with rewards of the same spread.',
    questions:
      '1. How large is the gap between the best and the worst rollout of a group, and what is the noise of the reward?\n2. Which share of the groups has no gap at all?\n3. Is scaling on in the runs that are being explained?',
    alternatives: 'The loss falls on wrong tokens (H02), or the reward tells too little (H05).',
    interactions: 'H05 makes it worse: little contrast in the reward is what scaling blows up.',
    testing: 'First after H06 (LoRA). One to two hours: one flag to change and four numbers to log.',
    related: 'H05 Reward signal degradation; H03 KL divergence formula bug',
  },
  {
    id: 'H03',
    title: 'KL divergence formula bug',
    verdict: 'H03',
    priority: 'medium',
    phase: '2',
    description:
      'The KL term of the loss is computed with the wrong sign, the wrong estimator, or from logprobs that do not belong together, so that it pushes the policy away from where it should stay.',
    rootCause:
      'The estimator in use should be k3 = exp(lr − lp) − (lr − lp) − 1 with lp of the policy and lr of the reference; it is never negative. Reversed arguments look alike and are not.',
    codeLocation: 'verifiers/trainers/grpo_trainer.py:1231',
    why: '1. A KL term that is wrong and large drowns the reward.\n2. Gradients are clipped step after step, so little of the advantage is left.',
    methods: [
      {
        title: 'No KL',
        how: 'The same run with beta 0.',
        success: 'It improves with beta 0 and fails with beta above 0.',
      },
      {
        title: 'Compute it again',
        how: 'From policy and reference logprobs on trained tokens: k1, k2, k3 and the reversed k3; compare with the stored KL.',
        success: 'The stored KL is the reversed form, or another estimator than the one declared.',
      },
      {
        title: 'Look at its size',
        how: 'Mean, maximum and minimum of k3 by step.',
        success: 'It is negative, or many times what is normal (0 to 10) from the first steps on.',
      },
    ],
    invalidation:
      '1. KL is positive, small, and grows as the policy moves.\n2. The formula is that of other trainers.\n3. The run fails in the same way with beta 0.',
    questions:
      '1. Which estimator does the trainer declare?\n2. Are policy and reference logprobs taken at the same temperature and over the same tokens?',
    alternatives: 'Sampler, policy and reference do not share their weights (H06 LoRA).',
    interactions: 'A KL of 1e5 with a right formula points at H06 (LoRA) or at masks shifted by one token (H02).',
    testing: 'After H01. A run with beta 0 costs as much as a debug run; comparing stored numbers costs nothing.',
    related: 'H06 LoRA weight synchronization',
  },
  {
    id: 'H05',
    title: 'Reward signal degradation',
    verdict: 'H05',
    priority: 'medium-low',
    phase: '3',
    description:
      'The components of the reward are noisy, pull against each other or hardly differ between rollouts, or one that is easily earned, such as format, drowns the rest.',
    rootCause:
      'A weighted sum of exact match, F1, retrieval recall and precision, citations and format, in which what matters has little weight or little variance within a group.',
    why: '1. With little contrast inside a group there is nothing to prefer.\n2. Components of opposite sign cancel.\n3. The model already earns what is easy, so the average does not rise.',
    methods: [
      {
        title: 'Spread within and between groups',
        how: 'Mean over groups of the reward’s deviation, deviation of the groups’ means, and their ratio.',
        success: 'The deviation within groups is below 0.1, or very small beside that between groups.',
      },
      {
        title: 'Components',
        how: 'Correlation of each component with the whole, and the share of the variance that each carries.',
        success: 'One component carries nearly everything, or some run against the whole.',
      },
      {
        title: 'One component alone',
        how: 'A run with exact match only, or with recall only.',
        success: 'It improves where the sum did not.',
      },
    ],
    invalidation:
      '1. The deviation within groups is above 0.1 and the components agree.\n2. A single component does no better.\n3. H01 or H02 explains more.',
    questions:
      '1. Which share of the groups has rewards that all are the same?\n2. Can a rollout earn a good reward without the answer?',
    alternatives: 'Binary exact match, weights in stages, sparse rewards, a curriculum.',
    interactions: 'H01 scales up what little contrast there is.',
    testing: 'Last: the baseline shows that the reward works.',
    related: 'H01 Advantage scaling instability',
  },
]
