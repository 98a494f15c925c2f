import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isList, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { messagesOf } from './messages.ts'
import { messageLogsOf, readMessageLogs } from './nemo-rl-message-log.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'

/** Fields that the writer adds and no stream holds. */
const KEPT = ['agent_ref']

/** Training and validation rows, every field with its batch dimension of one, and message logs. */
export const nemoRl: Format = {
  id: 'nemo-rl',
  title: 'NeMo-RL train_data and val_data rows',
  writer: {
    project: 'NVIDIA-NeMo/RL',
    file: 'nemo_rl/utils/logger.py (log_batched_dict_as_jsonl)',
    version: '7ea279ab',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'sampled',
    'messages',
    'logprobs.sampler',
    'logprobs.trainer',
    'logprobs.reference',
    'advantages',
    'rewards',
  ],
  numericKeys: [
    'token_ids',
    'token_loss_mask',
    'sample_loss_mask',
    'input_lengths',
    'advantages',
    'generation_logprobs',
    'prev_logprobs',
    'reference_policy_logprobs',
  ],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  groupsByOrder: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readRecord),
}

function look(record: JsonObject): Evidence | null {
  if (hasAll(record, ['token_ids', 'token_loss_mask', 'sample_loss_mask'])) {
    return { confidence: 0.98, seen: 'keys token_ids, token_loss_mask, sample_loss_mask' }
  }
  if (messageLogsOf(record) !== null) return { confidence: 0.9, seen: 'message_log entries with role and token_ids' }
  if (hasAll(record, ['content', 'rewards', 'idx']) && isList(record.content) && isList(record.rewards)) {
    return { confidence: 0.8, seen: 'keys content, rewards, idx (a validation row)' }
  }
  return null
}

function readRecord(record: OneRecord): Trajectory[] {
  const logs = messageLogsOf(record.object)
  if (logs !== null && !Object.hasOwn(record.object, 'token_ids')) return readMessageLogs(record, logs)
  return [readRow(record)]
}

function readRow(record: OneRecord): Trajectory {
  const blank = record.blank(0)
  const fields = new Fields(
    Object.fromEntries(Object.entries(record.object).map(([key, value]) => [key, unwrapped(value)])),
  )
  const stored = fields.take('token_ids')
  const content = fields.take('content')
  const messages = messagesOf(isObject(content) ? [content] : content)
  if (stored === null && content === null)
    throw new BadRecord('no-tokens', 'the record has neither token_ids nor content')
  // With dynamic sampling `rewards` is the list before whole groups were left out of it, so that it belongs to other rows.
  const filtered = fields.has('filtered_rewards')
  const reward = fields.score(filtered ? 'filtered_rewards' : 'rewards')
  const base = {
    ...blank,
    id: fields.text('idx') ?? blank.id,
    reward,
    messages: messages !== null && messages.length > 0 ? messages : null,
  }
  const tokens = stored === null ? {} : readTokens(fields, stored)
  const { meta, unknown } = fields.rest(filtered ? [...KEPT, 'rewards'] : KEPT)
  record.drift(unknown)
  return {
    ...base,
    ...tokens,
    issues: fields.issues,
    // Texts without roles are no messages; they are kept as they are.
    meta: messages === null && content !== null ? { ...meta, content } : meta,
  }
}

/**
 * A pass that a setting leaves out (`force_on_policy_ratio` of the loss, `skip_reference_policy_logprobs_calculation` of grpo) is written as zeros from
 * end to end, prompt and padding included (nemo_rl/algorithms/grpo.py): these are no logprobs, and the loss reads none of them.
 */
function readTokens(fields: Fields, stored: JsonValue): Partial<Trajectory> {
  const ids = readIds('token_ids', stored, fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const length = fields.integer('input_lengths')
  if (length !== null && (length < 0 || length > ids.length)) {
    fields.issue(
      'length-mismatch',
      'input_lengths',
      `input_lengths is ${length}, but there are ${ids.length} token_ids`,
    )
  }
  const real = length === null ? ids.length : Math.min(Math.max(length, 0), ids.length)
  const read = arrays.mask('token_loss_mask', fields.take('token_loss_mask'))
  const advantages = fields.take('advantages')
  const perToken = isList(advantages)
  const computed = (key: string) => {
    const values = arrays.floats(key, fields.take(key))
    return values?.every((value) => value === 0) ? null : values
  }
  const trainer = computed('prev_logprobs')
  // The writer puts 0 where the first token, which nothing predicts, would be scored.
  if (trainer !== null && trainer[0] === 0) trainer[0] = Number.NaN
  return {
    ids,
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    excluded: fields.number('sample_loss_mask') === 0,
    logprobs: {
      sampler: arrays.floats('generation_logprobs', fields.take('generation_logprobs')),
      trainer,
      reference: computed('reference_policy_logprobs'),
    },
    advantage: perToken ? null : fields.number('advantages'),
    advantages: perToken ? arrays.floats('advantages', advantages) : null,
    padding: length === null ? null : { left: 0, right: ids.length - real },
    arrays: arrays.arrays,
  }
}

/** Rows come from batches of one: every field but `idx` stands in a list of its own. */
function unwrapped(value: JsonValue): JsonValue {
  return isList(value) && !isObject(value) && value.length === 1 ? (value[0] as JsonValue) : value
}
