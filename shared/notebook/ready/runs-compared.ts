import type { Ready } from './hypotheses.ts'

/** What takes more than one run, or several steps of one, to decide. */
export const RUNS_COMPARED: readonly Ready[] = [
  {
    id: 'H06-library',
    title: 'Library functionality validation',
    verdict: 'H06-library',
    priority: 'high',
    phase: '1',
    description: 'The trainer itself does not work: nothing learns with it.',
    rootCause: 'A fault in the training library that every environment meets.',
    why: 'If nothing learns with this trainer, the environment is not to blame.',
    methods: [
      {
        title: 'A simple task',
        how: 'GSM8K in a single turn: a 3B model, LoRA r 16 and alpha 32, batch 16, n 8, accumulation 8.',
        success: 'It does not learn either: no rise within 50 steps, or unsteady gradient norm and KL.',
      },
    ],
    invalidation:
      'A simple environment learns: the reward rises within 20 to 50 steps, gradient norm and KL are steady.',
    questions: '1. Has anyone seen this version of the trainer learn on several turns with tools?',
    interactions:
      'A single turn that learns does not clear the trainer for several turns: faults at the second turn stay hidden (H02, H07).',
    testing: 'Before anything about the environment. Two to three hours.',
    related: 'H07 Multi-step environment issues',
  },
  {
    id: 'H06-lora',
    title: 'LoRA weight synchronization',
    verdict: 'H06-lora',
    priority: 'high',
    phase: '1',
    description:
      'Adapters are not the same in policy, reference and sampler, so that KL is wrong and updates do not show in what is sampled.',
    rootCause:
      '1. The sampler keeps old weights.\n2. Policy and reference share weights that should differ, or the other way round.\n3. No gradient reaches the adapters.\n4. Adapters are merged wrongly before logprobs are taken.',
    why: '1. Gradients look healthy and nothing changes in the rollouts.\n2. Rewards stay flat even where KL is switched off.',
    methods: [
      {
        title: 'All parameters against LoRA',
        how: 'The same settings with and without adapters (`--no-peft`), beta 0.',
        success: 'All parameters learn and LoRA does not.',
      },
      {
        title: 'Sampler against trainer, by step',
        how: 'Dump the sampler’s and the trainer’s logprobs of the same tokens over several steps.',
        success: 'The gap grows with the step, or the sampler’s logprobs of a fixed prompt never change.',
      },
      {
        title: 'Adapter statistics',
        how: 'Mean, deviation and gradient norm of every adapter tensor by step.',
        success: 'They are zero, or do not change.',
      },
      {
        title: 'Synchronise by hand',
        how: 'Copy the adapters to reference and sampler after every update.',
        success: 'Training improves.',
      },
    ],
    invalidation:
      '1. All parameters fail in the same way.\n2. The code synchronises as it should.\n3. Synchronising by hand changes nothing.\n4. Other runs with LoRA learn.',
    questions:
      '1. Which weights does the sampler load after a step?\n2. Is the reference the base model or a copy of the policy?',
    interactions: 'A KL many times too large (H03) is one of its signs.',
    testing: 'First: one flag, one to two hours.',
    related: 'H03 KL divergence formula bug',
    nextAction: 'Run the same settings with and without LoRA.',
  },
  {
    id: 'H07',
    title: 'Multi-step environment issues',
    verdict: 'H07',
    priority: 'high',
    phase: 'later',
    description:
      'A single step works and loops of calls and replies do not: state of the conversation, boundaries of turns, or which turn a reward belongs to.',
    rootCause:
      'Code that only runs from the second assistant turn on: joining of turns, masks of replies, attribution of the reward.',
    why: 'The same trainer learns where there is one turn, and not where there are several.',
    methods: [
      {
        title: 'A third environment',
        how: 'Another task with a tool and a binary reward, such as math with Python.',
        success: 'It fails as well: several steps are at fault in general.',
      },
      {
        title: 'Faults by turn',
        how: 'Every fault and measure by the number of the turn.',
        success: 'They begin at the second turn.',
      },
      {
        title: 'Structure of the conversation',
        how: 'Order of roles, calls with their replies, and masks of every environment side by side.',
        success: 'A boundary or a reply is treated differently in one of them.',
      },
    ],
    invalidation:
      '1. Another environment of several steps learns.\n2. The cause is traced to one part of this environment.',
    questions: '1. From which turn on does anything differ?\n2. Which turn does the reward reach?',
    interactions: 'Validated: go on to H02, state and tool replies. Invalidated: go on to H04 and H05.',
    testing: 'Once the library is known to work (H06). Two to three hours.',
    related: 'H02 Token masking errors; H06 Library functionality validation',
  },
  {
    id: 'H08',
    title: 'Evaluation/training mismatch',
    verdict: 'H08',
    priority: 'critical',
    phase: 'later',
    description:
      'The same model scores otherwise in evaluation than in training on the same examples: what it sees, how it is parsed or how it is rewarded differs.',
    rootCause:
      '1. Another prompt or tool block.\n2. Another parser.\n3. Another reward.\n4. Other state of the environment.',
    why: '1. The baseline that was measured is not that of the run.\n2. A reward of 0 throughout gives no gradient.',
    methods: [
      {
        title: 'The same examples, both ways',
        how: 'Prompts and completions of the first five examples from evaluation and from training, token by token.',
        success: 'Prompt, tool calls or tokens differ.',
      },
      {
        title: 'Score again',
        how: 'A completion of training through the reward of evaluation.',
        success: 'It earns another reward.',
      },
      {
        title: 'Tool calls',
        how: 'How calls are written and parsed in both.',
        success: 'A call is parsed in one and not in the other.',
      },
      {
        title: 'Settings of the environment',
        how: 'Tools, parser, reward and system prompt in both.',
        success: 'One of them differs.',
      },
    ],
    invalidation: 'Prompts and scoring are the same and the gap is still there.',
    questions:
      '1. Are prompts the same?\n2. Do tools behave the same?\n3. Is it the same parser?\n4. Is it the same reward?\n5. Do completions look alike?',
    interactions: 'It casts doubt on every number that was measured in evaluation.',
    testing: 'At once where a gap shows: it comes before everything else.',
    related: 'H07 Multi-step environment issues',
  },
]
