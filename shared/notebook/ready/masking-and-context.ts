import type { Ready } from './hypotheses.ts'

/** What one dump decides: which tokens are trained, and what the model never saw. */
export const MASKING_AND_CONTEXT: readonly Ready[] = [
  {
    id: 'H02',
    title: 'Token masking errors',
    verdict: 'H02',
    priority: 'high',
    phase: '1',
    description:
      'In conversations of several turns with tools the loss covers the wrong tokens: tool replies or system text are trained, or the model’s own turns are not.',
    rootCause:
      '1. Masking of environment replies that has no effect.\n2. Turn boundaries that are found in text and not in ids.\n3. A mask made for another rendering of the conversation than the one that is trained.',
    codeLocation: 'the processing of environment results in the trainer (mask_env_responses)',
    why: '1. Gradients teach the model to write tool replies.\n2. What it should learn from is masked out.\n3. Nothing crashes and the baseline stays, since the policy hardly moves in the direction that is rewarded.',
    methods: [
      {
        title: 'Look at every token',
        how: 'Dump ids and mask of a step and open them here. A window of the first 50 tokens never leaves the system prompt: whole rows have to be looked at.',
        success: 'Tokens that the model did not write are trained, or tokens that it did write are not.',
      },
      {
        title: 'Trained share by part',
        how: 'Trained tokens of each part (assistant, tool, user, system, headers, end of turn) over all tokens of it, by turn.',
        success:
          'A part outside the assistant’s text is above 0, or the assistant’s is below 1 after header and prefill.',
      },
      {
        title: 'Where the loss is',
        how: 'Mean, deviation and maximum of the loss over trained tokens; logprobs do.',
        success: 'The loss is concentrated where nothing is to be learned.',
      },
      {
        title: 'One turn against several',
        how: 'The same task in a single turn.',
        success: 'A single turn learns and several do not.',
      },
    ],
    invalidation:
      '1. Masks are right in every turn of every rollout.\n2. The loss lies where it is expected.\n3. A single turn fails in the same way.',
    questions:
      '1. Are the right tokens trained?\n2. Are tool replies left out of the loss?\n3. Are turns and roles where they should be?\n4. Are thinking, citations and answer on the trained side?',
    interactions:
      'Faults that show from the second turn on speak for H07 as well; a mask shifted by one token spoils KL (H03).',
    testing: 'After H01. Two to three hours by logging, minutes with a dump of one step.',
    related: 'H07 Multi-step environment issues',
    nextAction: 'Dump ids and masks of one training step and open them here.',
  },
  {
    id: 'H04',
    title: 'Context truncation',
    verdict: 'H04',
    priority: 'medium',
    phase: '2',
    description:
      'Limits on length cut away what the answer needs: supporting documents, the tool’s schema, the end of a call or the answer itself.',
    rootCause:
      'A limit on the prompt (often 4096 tokens), on the completion or on a tool reply that several documents exceed. Trainers cut from either side, drop the row, or end the rollout; each loses something else.',
    why: '1. The same behaviour is rewarded or not depending on what was cut.\n2. Rollouts that are cut count for the baseline of their group and train little.\n3. The reward stops at what can be answered without the missing text.',
    methods: [
      {
        title: 'Lengths against limits',
        how: 'Length of every rollout, and the share within 10 tokens of a limit.',
        success: 'More than 20 % stand near a limit; above 15 % a run with a longer limit is worth its cost.',
      },
      {
        title: 'What was lost',
        how: 'For rollouts that were cut: end reason, what is missing, and whether supporting documents are still visible at the answer.',
        success: 'Supporting documents were retrieved and are not visible at the answer.',
      },
      {
        title: 'Longer limit',
        how: 'Prompt limit 8192, completion 1024, batch 4, n 4.',
        success: 'Reward or recall improves.',
      },
      {
        title: 'Short rows only',
        how: 'Keep rows whose documents fit well below the limit.',
        success: 'Short rows improve.',
      },
    ],
    invalidation:
      '1. Nearly all rows are far below every limit.\n2. A longer limit changes nothing.\n3. Retrieval and visibility of supporting documents are good.\n4. Short rows fail in the same way.',
    questions:
      '1. How long is a prompt once tool replies have come in?\n2. Are cut rollouts rewarded differently from whole ones?\n3. Which side is cut?',
    interactions: 'A reply cut in the middle shifts turn boundaries (H02).',
    testing: 'After H01 and H02. Counting costs nothing; longer limits cost memory.',
    related: 'H02 Token masking errors; H05 Reward signal degradation',
  },
]
