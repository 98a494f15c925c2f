import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import type { ReadContext } from './format.ts'
import type { OneRecord } from './read-each.ts'
import { conversationOf } from './slime-conversations.ts'
import { readSamples, SampleTokens } from './slime-sample.ts'

/** Fields of a Sample that no stream holds, of slime and of miles. */
const KEPT = [
  'prompt',
  'response',
  'metadata',
  'train_metadata',
  'weight_versions',
  'teacher_log_probs',
  'opd_reverse_kl',
  'apply_chat_template_kwargs',
  'multimodal_train_input_id',
  'generate_function_path',
  'custom_rm_path',
  'session_id',
  'source',
  'non_generation_time',
  'spec_info',
  'prefix_cache_info',
  'adapter',
  'reward_spec',
  'routing_key',
]

/** What `save_debug_rollout_data` writes: `{rollout_id, samples}`, miles with metadata of the rollout beside them. */
export function readRolloutDump(
  record: OneRecord,
  samples: readonly JsonValue[],
  joined: ReadContext['joined'] = null,
): Trajectory[] {
  const dump = new Fields(record.object)
  // A sample that stands alone has a rollout_id of its own, which is no step.
  const alone = samples[0] === record.object
  const step = alone ? null : dump.integer('rollout_id')
  const about = alone ? null : dump.objectAt('metadata')
  if (!alone) {
    dump.take('samples')
    record.drift(dump.rest().unknown)
  }
  return readSamples(record, samples, (sample, blank) => {
    const messages = conversationOf(sample, joined)
    const trajectory = readSample(record, sample, { ...blank, step, messages }, dump)
    const noted = about === null || Object.keys(about).length === 0 ? {} : { rollout_metadata: about }
    return { ...trajectory, meta: { ...trajectory.meta, ...noted } }
  })
}

function readSample(record: OneRecord, sample: JsonObject, blank: Trajectory, dump: Fields): Trajectory {
  const fields = new Fields(sample, [...dump.issues])
  fields.take('__class__')
  const tokens = new SampleTokens(fields, 'response_length', 'loss_mask')
  const stored = tokens.mask('loss_mask')
  const mask = fields.has('loss_mask') ? (stored?.mask ?? null) : tokens.wholeResponse()
  const status = fields.text('status')
  const index = fields.text('index') ?? fields.text('sample_index')
  const rolloutId = fields.text('rollout_id')
  const id = index ?? blank.id
  const label = fields.take('label')
  const reward = fields.take('reward')
  const value = rewardOf(reward, fields)
  const about = isObject(sample.metadata) ? sample.metadata : {}
  const total = fields.integer('total_length')
  if (total !== null && total !== tokens.ids.length) {
    fields.issue(
      'length-mismatch',
      'total_length',
      `total_length is ${total}, but there are ${tokens.ids.length} tokens`,
    )
  }
  const trajectory: Trajectory = {
    ...blank,
    id,
    group: fields.text('group_index'),
    rolloutId,
    // Samples that one rollout was split into have its id and not their own.
    branch: rolloutId !== null && rolloutId !== index ? id : null,
    ...tokens.streams,
    mask,
    weights: stored?.weights ?? null,
    excluded: fields.boolean('remove_sample') === true,
    versions: tokens.versions(sample.weight_versions ?? null, mask),
    logprobs: { sampler: tokens.floats('rollout_log_probs'), trainer: null, reference: null },
    reward: value,
    tools: Array.isArray(about.tools) ? about.tools : null,
    answer: typeof label === 'string' || typeof label === 'number' ? String(label) : null,
    finishReason: status === 'pending' ? null : status,
    isTruncated: status === 'truncated' ? true : status === 'completed' ? false : null,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return {
    ...trajectory,
    meta: {
      ...meta,
      ...tokens.grids,
      ...(isObject(label) ? { label } : {}),
      ...(value === null && isObject(reward) ? { reward } : {}),
    },
  }
}

/**
 * The number that the trainer takes. A reward model may return several under names, of which `--reward-key` takes one: without that
 * option only a reward with a single number is known. One that is NaN stays NaN.
 */
function rewardOf(reward: JsonValue, fields: Fields): number | null {
  const numbers = isObject(reward) ? Object.values(reward).filter((value) => typeof value === 'number') : [reward]
  const [only] = numbers
  if (typeof only === 'boolean') return only ? 1 : 0
  if (numbers.length !== 1 || typeof only !== 'number') {
    if (reward !== null && !isObject(reward))
      fields.issue('bad-type', 'reward', 'reward is neither a number nor an object')
    return null
  }
  if (Number.isNaN(only)) fields.issue('not-a-number', 'reward', 'reward is NaN')
  return only
}
