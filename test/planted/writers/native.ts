import type { PlantedDump } from '../dump.ts'
import type { PlantedRollout } from '../rollout.ts'
import { CARRIED, idsOf, jsonl, maskOf, numberOf, rowPlaces, valuesOf, type Writer } from './writer.ts'

function record(rollout: PlantedRollout): Record<string, unknown> {
  return {
    id: rollout.id,
    group_id: rollout.group,
    group_size: rollout.groupSize,
    step: rollout.step,
    model: rollout.model,
    temperature: rollout.temperature,
    finish_reason: rollout.finishReason,
    is_truncated: rollout.truncated,
    ...(Object.keys(rollout.limits).length > 0 ? { limits: rollout.limits } : {}),
    reward: numberOf(rollout.reward),
    rewards: rollout.rewards,
    ...advantage(rollout),
    prompt_length: rollout.promptLength,
    input_ids: idsOf(rollout),
    loss_mask: maskOf(rollout),
    attention_mask: rollout.tokens.map(({ attended }) => (attended ? 1 : 0)),
    logprobs: {
      sampler: valuesOf(rollout, (token) => token.sampler, null),
      trainer: valuesOf(rollout, (token) => token.trainer, null),
      reference: valuesOf(rollout, (token) => token.reference, null),
    },
    messages: rollout.messages,
    ...(rollout.tools === null ? {} : { tools: rollout.tools }),
    ...(rollout.documents.length > 0 ? { documents: rollout.documents } : {}),
    answer: rollout.answer,
    ...rollout.more,
  }
}

/** One number, unless a plant gave the tokens different ones. */
function advantage({ advantage: whole, tokens }: PlantedRollout): Record<string, unknown> {
  const own = tokens.filter(({ part }) => part !== 'padding')
  if (own.every((token) => token.advantage === whole)) return { advantage: whole }
  return { advantages: tokens.map((token) => numberOf(token.advantage)) }
}

export const native = {
  format: 'native' as const,
  carries: new Set(CARRIED),
  write: (dump: PlantedDump) => ({ text: jsonl(dump.rollouts.map(record)), options: {}, places: rowPlaces(dump) }),
} satisfies Writer

/** The least that a trainer has to dump: ids, labels, reward and group. */
export const nativeLean = {
  format: 'native-lean' as const,
  carries: new Set(['mask', 'groups', 'padding', 'environment-end'] as const),
  write: (dump: PlantedDump) => ({
    text: jsonl(
      dump.rollouts.map((rollout) => ({
        id: rollout.id,
        group_id: rollout.group,
        reward: numberOf(rollout.reward),
        input_ids: idsOf(rollout),
        labels: rollout.tokens.map(({ id, trained }) => (trained ? id : -100)),
      })),
    ),
    options: {},
    places: rowPlaces(dump),
  }),
} satisfies Writer
