import type { PlantedDump } from '../dump.ts'
import type { PlantedRollout, PlantedToken } from '../rollout.ts'
import { jsonl, numberOf, type Writer } from './writer.ts'

/** A Sample: ids without padding, and arrays over the response. */
function sample(rollout: PlantedRollout, index: number): Record<string, unknown> {
  const { tokens, more } = rollout
  const left = tokens.findIndex(({ part }) => part !== 'padding')
  const real = tokens.filter(({ part }) => part !== 'padding')
  const response = real.slice(rollout.promptLength - left)
  return {
    group_index: rollout.group,
    index,
    rollout_id: more.rollout_id ?? index,
    tokens: real.map(({ id }) => id),
    response_length: response.length,
    label: rollout.answer,
    reward: numberOf(rollout.reward),
    loss_mask: response.map(({ trained }) => (trained ? 1 : 0)),
    weight_versions: versionsOf(rollout),
    rollout_log_probs: scores(response, ({ sampler }) => sampler),
    remove_sample: rollout.excluded,
    status: rollout.truncated ? 'truncated' : 'completed',
    metadata: rollout.tools === null ? {} : { tools: rollout.tools },
  }
}

const scores = (tokens: readonly PlantedToken[], value: (token: PlantedToken) => number) =>
  tokens.map((token) => (Number.isNaN(value(token)) ? 0 : numberOf(value(token))))

/** The version that the engine reported with each call. */
function versionsOf({ tokens, more }: PlantedRollout): string[] {
  const versions = more.versions as readonly number[] | undefined
  const starts = [...tokens.keys()].filter((at) => tokens[at]?.sampled && !tokens[at - 1]?.sampled)
  return starts.map((at) => String(versions?.[at] ?? 7))
}

function byStep(dump: PlantedDump, record: (rollouts: readonly PlantedRollout[], step: number) => unknown) {
  const steps = [...new Set(dump.rollouts.map(({ step }) => step))]
  const of = (step: number) => dump.rollouts.filter((rollout) => rollout.step === step)
  return {
    text: jsonl(steps.map((step) => record(of(step), step))),
    options: { groupSize: dump.rollouts[0]?.groupSize ?? 8 },
    places: dump.rollouts.map((rollout) => `${steps.indexOf(rollout.step)}.${of(rollout.step).indexOf(rollout)}`),
  }
}

/** `rollout_N.pt`, a record for each of them. */
export const slimeRollout = {
  format: 'slime-rollout' as const,
  carries: new Set(['mask', 'groups', 'sampler', 'answer', 'prompt-length', 'environment-end'] as const),
  write: (dump: PlantedDump) => byStep(dump, (rollouts, step) => ({ rollout_id: step, samples: rollouts.map(sample) })),
} satisfies Writer

/** Data of a training step as the loss saw it (`format_version` 2), a record for each of them. */
export const slimeTrain = {
  format: 'slime-train' as const,
  carries: new Set(['mask', 'groups', 'sampler', 'trainer', 'reference', 'token-advantages'] as const),
  write: (dump: PlantedDump) =>
    byStep(dump, (rollouts, step) => ({
      format_version: 2,
      rollout_id: step,
      rank: 0,
      samples: rollouts.map(trainSample),
      dp_shards: [],
      raw_reward: rollouts.map(({ reward }) => numberOf(reward)),
    })),
} satisfies Writer

function trainSample(rollout: PlantedRollout, index: number): Record<string, unknown> {
  const real = rollout.tokens.filter(({ part }) => part !== 'padding')
  const start = real.findIndex(({ sampled }) => sampled)
  const response = real.slice(start)
  const kl = rollout.more.kl as readonly (number | null)[] | undefined
  return {
    data_parallel_rank: 0,
    sample_index: index,
    rollout_position: index,
    tokens: real.map(({ id }) => id),
    response_lengths: response.length,
    total_lengths: real.length,
    loss_masks: response.map(({ trained }) => (trained ? 1 : 0)),
    rewards: rollout.advantage,
    truncated: rollout.truncated ? 1 : 0,
    advantages: response.map(({ advantage }) => numberOf(advantage)),
    log_probs: scores(response, ({ trainer }) => trainer),
    ref_log_probs: scores(response, ({ reference }) => reference),
    rollout_log_probs: scores(response, ({ sampler }) => sampler),
    ...(kl === undefined ? {} : { kl: kl.slice(start).map((value) => value ?? 0) }),
  }
}
