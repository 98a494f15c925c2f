import type { PlantedDump } from '../dump.ts'
import type { PlantedRollout, PlantedToken } from '../rollout.ts'
import { jsonl, numberOf, rowPlaces, type Writer } from './writer.ts'

/** Rows of a batch as the reader of its container gives them: prompts end, and responses begin, in one column. */
interface Block {
  readonly prompt: number
  readonly response: number
}

export const realOf = ({ tokens }: PlantedRollout) => tokens.filter(({ part }) => part !== 'padding')
const promptOf = (rollout: PlantedRollout) => realOf(rollout).findIndex(({ sampled }) => sampled)

function blockOf({ rollouts }: PlantedDump): Block {
  return {
    prompt: Math.max(...rollouts.map(promptOf)) + 16,
    response: Math.max(...rollouts.map((rollout) => realOf(rollout).length - promptOf(rollout))) + 16,
  }
}

const filled = (count: number, value: number) => Array.from({ length: count }, () => value)
export const known = (value: number) => (Number.isNaN(value) ? 0 : numberOf(value))

/** A row of a DataProto: prompts padded on the left, responses on the right, arrays over the response in its columns. */
function verlRow(rollout: PlantedRollout, { prompt, response }: Block): Record<string, unknown> {
  const real = realOf(rollout)
  const start = promptOf(rollout)
  const left = prompt - start
  const right = response - (real.length - start)
  const ids = [...filled(left, rollout.family.pad), ...real.map(({ id }) => id), ...filled(right, rollout.family.pad)]
  const attention = [...filled(left, 0), ...real.map(({ attended }) => (attended ? 1 : 0)), ...filled(right, 0)]
  const over = (value: (token: PlantedToken) => number | string) => [
    ...real.slice(start).map(value),
    ...filled(right, 0),
  ]
  const countsPadding = rollout.more.position_ids !== undefined
  return {
    __class__: 'verl.DataProto',
    batch: {
      prompts: ids.slice(0, prompt),
      responses: ids.slice(prompt),
      input_ids: ids,
      attention_mask: attention,
      position_ids: ids.map((_, at) => (countsPadding ? at : Math.max(0, Math.min(at, ids.length - right - 1) - left))),
      response_mask: over(({ trained }) => (trained ? 1 : 0)),
      rollout_log_probs: over(({ sampler }) => known(sampler)),
      old_log_probs: over(({ trainer }) => known(trainer)),
      token_level_scores: over(() => 0).with(real.length - start - 1, numberOf(rollout.reward)),
      advantages: over(({ trained, advantage }) => (trained ? numberOf(advantage) : 0)),
    },
    non_tensor_batch: { uid: rollout.group },
    meta_info: { global_steps: rollout.step, temperature: rollout.temperature },
  }
}

/** DataProto, by the row. */
export const verlBatch = {
  format: 'verl-batch' as const,
  carries: new Set(['mask', 'groups', 'sampler', 'trainer', 'attention', 'advantages', 'token-advantages'] as const),
  write(dump: PlantedDump) {
    const block = blockOf(dump)
    return {
      text: jsonl(dump.rollouts.map((rollout) => verlRow(rollout, block))),
      options: {},
      places: rowPlaces(dump),
      moved: dump.rollouts.map((rollout) => block.prompt - promptOf(rollout)),
    }
  },
} satisfies Writer

/** A row of a TrainingInputBatch: one block with its padding on the left, and arrays over the last columns. */
function skyrlRow(rollout: PlantedRollout, { prompt, response }: Block): Record<string, unknown> {
  const real = realOf(rollout)
  const start = promptOf(rollout)
  const left = prompt + response - real.length
  const before = response - (real.length - start)
  const over = (value: (token: PlantedToken, at: number) => number | string) => [
    ...filled(before, 0),
    ...real.slice(start).map((token, at) => value(token, start + at)),
  ]
  const kl = rollout.more.kl as readonly (number | null)[] | undefined
  return {
    sequences: [...filled(left, rollout.family.pad), ...real.map(({ id }) => id)],
    attention_mask: [...filled(left, 0), ...real.map(({ attended }) => (attended ? 1 : 0))],
    response_mask: over(() => 1),
    loss_mask: over(({ trained }) => (trained ? 1 : 0)),
    rollout_logprobs: over(({ sampler }) => known(sampler)),
    action_log_probs: over(({ trainer }) => known(trainer)),
    base_action_log_probs: over(({ reference }) => known(reference)),
    advantages: over(({ trained, advantage }) => (trained ? numberOf(advantage) : 0)),
    ...(kl === undefined ? {} : { kl: over((_, at) => kl[at] ?? 0) }),
  }
}

/** The batch of a step, by the row. Rewards and groups are taken from it before it is written. */
export const skyrl = {
  format: 'skyrl' as const,
  carries: new Set(['mask', 'sampler', 'trainer', 'reference', 'attention', 'token-advantages'] as const),
  write(dump: PlantedDump) {
    const block = blockOf(dump)
    return {
      text: jsonl(dump.rollouts.map((rollout) => skyrlRow(rollout, block))),
      options: {},
      places: rowPlaces(dump),
      moved: dump.rollouts.map((rollout) => block.prompt + block.response - realOf(rollout).length),
    }
  },
} satisfies Writer

/**
 * A row of ROLL's DataProto: padding on the right, the mask over the whole width, logprobs as predictions of the next token, and one score on the
 * last column.
 */
function rollRow(rollout: PlantedRollout, width: number): Record<string, unknown> {
  const real = realOf(rollout)
  const right = filled(width - real.length, 0)
  const start = promptOf(rollout)
  return {
    __class__: 'roll.DataProto',
    batch: {
      input_ids: [...real.map(({ id }) => id), ...filled(right.length, rollout.family.pad)],
      attention_mask: [...real.map(({ attended }) => (attended ? 1 : 0)), ...right],
      position_ids: [...real.map((_, at) => at), ...right],
      prompt_mask: [...filled(start, 1), ...filled(width - start, 0)],
      response_mask: [...real.map(({ trained }) => (trained ? 1 : 0)), ...right],
      infer_logprobs: [...real.slice(1).map(({ sampler }) => known(sampler)), ...right],
      scores: [...filled(width - 1, 0), numberOf(rollout.reward)],
    },
    non_tensor_batch: {
      traj_group_id: rollout.group,
      traj_id: rollout.id,
      episode_scores: numberOf(rollout.reward),
      step: 0,
    },
    meta_info: { global_step: rollout.step },
  }
}

/** DataProto of agents that ROLL runs, by the row. */
export const rollBatch = {
  format: 'roll-batch' as const,
  carries: new Set(['mask', 'groups', 'sampler', 'attention'] as const),
  write(dump: PlantedDump) {
    const width = Math.max(...dump.rollouts.map((rollout) => realOf(rollout).length)) + 16
    return {
      text: jsonl(dump.rollouts.map((rollout) => rollRow(rollout, width))),
      options: {},
      places: rowPlaces(dump),
    }
  },
} satisfies Writer
