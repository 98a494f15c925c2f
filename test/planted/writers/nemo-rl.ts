import type { PlantedDump } from '../dump.ts'
import { paddingToken } from '../dump.ts'
import type { PlantedRollout } from '../rollout.ts'
import { idsOf, jsonl, maskOf, numberOf, rowPlaces, valuesOf, type Writer } from './writer.ts'

/** A row of `train_data_stepN.jsonl`: every field but `idx` keeps the batch dimension of its micro batch of one. */
function row(rollout: PlantedRollout, width: number, idx: number): Record<string, unknown> {
  const { tokens } = rollout
  const padding = Array.from({ length: width - tokens.length }, () => paddingToken(rollout.family.pad))
  const padded = { ...rollout, tokens: [...tokens, ...padding] }
  const real = tokens.findLastIndex(({ part }) => part !== 'padding') + 1
  return {
    content: [rollout.messages.map(({ content }) => content)],
    rewards: [numberOf(rollout.reward)],
    input_lengths: [real],
    token_ids: [idsOf(padded)],
    token_loss_mask: [maskOf(padded)],
    sample_loss_mask: [rollout.excluded ? 0 : 1],
    advantages: [padded.tokens.map(({ advantage }) => numberOf(advantage))],
    generation_logprobs: [valuesOf(padded, (token) => token.sampler, 0)],
    prev_logprobs: [valuesOf(padded, (token) => token.trainer, 0)],
    idx,
  }
}

export const nemoRl = {
  format: 'nemo-rl' as const,
  carries: new Set([
    'mask',
    'groups',
    'sampler',
    'trainer',
    'advantages',
    'token-advantages',
    'padding',
    'environment-end',
  ] as const),
  write(dump: PlantedDump) {
    const width = Math.max(...dump.rollouts.map(({ tokens }) => tokens.length))
    return {
      text: jsonl(dump.rollouts.map((rollout, idx) => row(rollout, width, idx))),
      // The rows have no key, and the size of a group stands in the run's configuration alone: questions that are repeated tell it.
      options: {},
      places: rowPlaces(dump),
    }
  },
} satisfies Writer
