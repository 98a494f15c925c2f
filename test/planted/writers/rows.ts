import type { PlantedDump } from '../dump.ts'
import type { PlantedRollout, PlantedToken } from '../rollout.ts'
import { known, realOf } from './batches.ts'
import { jsonl, numberOf, rowPlaces, type Writer } from './writer.ts'

const flag = (value: boolean) => (value ? 1 : 0)

const byRow = (dump: PlantedDump, row: (rollout: PlantedRollout) => unknown, options = {}) => ({
  text: jsonl(dump.rollouts.map(row)),
  options,
  places: rowPlaces(dump),
})

/** A `RolloutSample` of AsyncGRPO as `dataclasses.asdict` gives it. */
export const trlAsync = {
  format: 'trl-async' as const,
  carries: new Set(['mask', 'groups', 'sampler', 'messages', 'components', 'advantages', 'environment-end'] as const),
  write: (dump: PlantedDump) =>
    byRow(dump, (rollout) => {
      const real = realOf(rollout)
      const asked = rollout.messages.findIndex(({ role }) => role === 'assistant')
      const components = Object.entries(rollout.rewards ?? {})
      return {
        prompt: rollout.messages.slice(0, asked),
        completion: rollout.messages.slice(asked),
        input_ids: real.map(({ id }) => id),
        completion_mask: real.map(({ trained }) => flag(trained)),
        old_log_probs: real.map(({ sampler }) => known(sampler)),
        advantage: numberOf(rollout.advantage),
        model_version: rollout.step,
        group_id: rollout.group,
        metrics: {
          reward: numberOf(rollout.reward),
          ...Object.fromEntries(components.map(([name, reward]) => [`rewards/${name}`, reward])),
        },
      }
    }),
} satisfies Writer

/** A Datum of tinker, whose arrays are all over the targets. */
export const tinkerDatum = {
  format: 'tinker-datum' as const,
  carries: new Set(['mask', 'sampler', 'token-advantages', 'environment-end'] as const),
  write: (dump: PlantedDump) =>
    byRow(dump, (rollout) => {
      const real = realOf(rollout)
      const targets = real.slice(1)
      const tensor = (dtype: string, value: (token: PlantedToken) => number | string) => ({
        data: targets.map(value),
        dtype,
        shape: [targets.length],
      })
      return {
        model_input: { chunks: [{ type: 'encoded_text', tokens: real.slice(0, -1).map(({ id }) => id) }] },
        loss_fn_inputs: {
          target_tokens: tensor('int64', ({ id }) => id),
          logprobs: tensor('float32', ({ sampler }) => known(sampler)),
          advantages: tensor('float32', ({ advantage }) => numberOf(advantage)),
          mask: tensor('float32', ({ trained }) => flag(trained)),
        },
      }
    }),
} satisfies Writer

/** A row of OpenRLHF's Experience since 0.8: arrays over all tokens but the first, what was scored multiplied with the mask, padding on the right. */
export const openrlhf = {
  format: 'openrlhf' as const,
  carries: new Set([
    'mask',
    'groups',
    'sampler',
    'trainer',
    'reference',
    'attention',
    'advantages',
    'token-advantages',
  ] as const),
  write(dump: PlantedDump) {
    const width = Math.max(...dump.rollouts.map((rollout) => realOf(rollout).length)) + 8
    const row = (rollout: PlantedRollout) => {
      const real = realOf(rollout)
      const right = Array.from({ length: width - real.length }, () => 0)
      const over = (value: (token: PlantedToken) => number | string) => [...real.slice(1).map(value), ...right]
      const scored = (value: (token: PlantedToken) => number) =>
        over((token) => (token.trained ? known(value(token)) : 0))
      return {
        sequences: [...real.map(({ id }) => id), ...right.map(() => rollout.family.pad)],
        attention_mask: [...real.map(({ attended }) => flag(attended)), ...right],
        action_mask: over(({ trained }) => flag(trained)),
        rollout_log_probs: over(({ sampler }) => known(sampler)),
        action_log_probs: scored(({ trainer }) => trainer),
        base_action_log_probs: scored(({ reference }) => reference),
        advantages: over(({ trained, advantage }) => (trained ? numberOf(advantage) : 0)),
        rewards: [numberOf(rollout.reward)],
      }
    }
    return byRow(dump, row, { groupSize: dump.rollouts[0]?.groupSize ?? 8 })
  },
} satisfies Writer

/** What a workflow of AReaL returns for one rollout: [1, S], and -1 for the version of what no engine sampled. */
export const arealBatch = {
  format: 'areal-batch' as const,
  carries: new Set(['mask', 'groups', 'sampler', 'attention', 'environment-end'] as const),
  write(dump: PlantedDump) {
    const row = (rollout: PlantedRollout) => {
      const real = realOf(rollout)
      return {
        input_ids: [real.map(({ id }) => id)],
        loss_mask: [real.map(({ trained }) => flag(trained))],
        attention_mask: [real.map(({ attended }) => flag(attended))],
        logprobs: [real.map(({ sampler }) => known(sampler))],
        versions: [real.map(({ sampled }) => (sampled ? rollout.step : -1))],
        rewards: [numberOf(rollout.reward)],
      }
    }
    return byRow(dump, row, { groupSize: dump.rollouts[0]?.groupSize ?? 8 })
  },
} satisfies Writer
