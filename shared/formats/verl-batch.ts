import type { JsonObject, JsonValue } from '../containers/container.ts'
import { FIRST_BRANCH, type Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isList, isObject, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { imageGrids } from './image-grids.ts'
import { messagesOf } from './messages.ts'
import { type Padding, paddingOf, saidOnce, sumOf, withoutFiller } from './padded-row.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { type MaskStream, readIds, SequenceArrays } from './sequence.ts'
import { rowKeyOf } from './verl-keys.ts'

/** Tensors of a row that no stream holds. */
const KEPT = ['returns', 'values', 'token_level_rewards', 'rollout_is_weights', 'sum_pi_squared', 'dummy_tensor']

/** Known, and nothing that a person could look at. */
const BULK = ['routed_experts', 'multi_modal_inputs', 'multi_modal_data', 'teacher_ids', 'teacher_logprobs']

/**
 * DataProto, the batch that verl passes between its workers: what RolloutSkip keeps of a rollout, `save_to_disk`, or its tensors alone.
 * Prompts are padded on the left, responses on the right; arrays over the response have its columns. What the unified trainers keep of a
 * rollout (RolloutTqSkip: sequences as the transfer queue held them, with their keys and tags) is not padded, and has no attention mask.
 */
export const verlBatch: Format = {
  id: 'verl-batch',
  title: 'verl DataProto batches',
  writer: {
    project: 'volcengine/verl',
    file: 'verl/protocol.py, verl/utils/skip/rollout_skip.py, verl/experimental/agent_loop/agent_loop.py',
    version: '1dda039b',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'attention_mask',
    'position_ids',
    'messages',
    'answer',
    'logprobs.sampler',
    'logprobs.trainer',
    'logprobs.reference',
    'entropy',
    'advantages',
    'rewards',
    'group',
    'limits',
    'step',
  ],
  numericKeys: [
    'prompts',
    'responses',
    'input_ids',
    'attention_mask',
    'position_ids',
    'response_mask',
    'loss_mask',
    'rollout_log_probs',
    'old_log_probs',
    'ref_log_prob',
  ],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  // Prompts are repeated one after the other (gen_batch.repeat with interleave) before a rollout has a uid.
  groupsByOrder: true,
  limitsAreWidths: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRow(record)]),
}

const PROTO = 'verl.DataProto'

function look(record: JsonObject): Evidence | null {
  const tensors = tensorsOf(record)
  const keys = ['prompts', 'responses', 'input_ids', 'response_mask', 'attention_mask'].filter(
    (key) => numbersOf(tensors[key]) !== null,
  )
  if (!keys.includes('responses') || !(keys.includes('prompts') || keys.includes('input_ids'))) return null
  const seen = `tensors ${keys.join(', ')}`
  if (record.__class__ === PROTO) return { confidence: 0.98, seen: `class DataProto with ${seen}` }
  if (isFromQueue(record)) return { confidence: 0.98, seen: `tensordict, keys and tags with ${seen}` }
  if (!keys.includes('response_mask') && !keys.includes('attention_mask')) return null
  const framed = tensors !== record && hasAll(record, ['non_tensor_batch'])
  return { confidence: framed || typeof tensors.__class__ === 'string' ? 0.95 : 0.85, seen }
}

/** The tensors of a DataProto, of a dict with its fields, of what was taken from a transfer queue, or of a batch by itself. */
function tensorsOf(record: JsonObject): JsonObject {
  if (isFromQueue(record)) return record.tensordict as JsonObject
  return isObject(record.batch) ? record.batch : record
}

function isFromQueue(record: JsonObject): boolean {
  return isObject(record.tensordict) && hasAll(record, ['keys', 'tags'])
}

function readRow(record: OneRecord): Trajectory {
  const { object } = record
  const tensors = new Fields(tensorsOf(object))
  for (const key of ['__class__', 'batch_size', 'device', ...BULK]) tensors.take(key)
  const { ids, promptWidth } = readSequence(tensors)
  const arrays = new SequenceArrays(ids.length, tensors.issues)
  const attentionMask = arrays.integers('attention_mask', tensors.take('attention_mask'))
  const padding = paddingOf(ids, attentionMask)
  const read = readMask(tensors, arrays, promptWidth, attentionMask)
  const floats = (key: string) => withoutFiller(arrays.floats(key, tensors.take(key), promptWidth), padding)
  const scores = sumOf(tensors.take('token_level_scores'))
  const modelScores = sumOf(tensors.take('rm_scores'))
  const isQueued = isFromQueue(object)
  const isProto = !isQueued && tensorsOf(object) !== object
  const about = new Fields(isProto && isObject(object.meta_info) ? object.meta_info : {}, tensors.issues)
  const step = about.number('global_steps') ?? about.number('global_step') ?? (isQueued ? stepOfQueue(object) : null)
  const row: Trajectory = {
    ...record.blank(0),
    step,
    temperature: about.number('temperature'),
    ids,
    promptLength: isQueued ? promptWidth : padding === null ? null : Math.max(0, promptWidth - padding.left),
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    attentionMask,
    positionIds: arrays.integers('position_ids', textPositions(tensors.take('position_ids'))),
    logprobs: {
      sampler: floats('rollout_log_probs'),
      trainer: floats('old_log_probs'),
      reference: floats('ref_log_prob'),
    },
    entropy: floats('entropys'),
    advantages: floats('advantages'),
    reward: scores ?? modelScores,
    limits: limitsOf(object, promptWidth, ids.length - promptWidth, padding),
    padding,
    arrays: arrays.arrays,
    issues: tensors.issues,
    meta: imageGrids(tensors.take('multi_modal_inputs')),
  }
  const { meta, unknown } = tensors.rest(KEPT)
  // A dict that somebody made of a batch has the other columns beside its tensors.
  if (isQueued) return withKey(withTexts(row, meta as JsonObject), object.keys)
  if (!isProto) return withTexts(row, meta as JsonObject)
  record.drift(unknown)
  const said = isObject(object.meta_info) ? saidOnce('meta_info', object.meta_info) : {}
  return withTexts({ ...row, meta: { ...row.meta, ...meta, ...said } }, object.non_tensor_batch)
}

function readSequence(tensors: Fields): { readonly ids: Int32Array; readonly promptWidth: number } {
  const optional = (key: string) => {
    const value = tensors.take(key)
    return value === null ? null : readIds(key, value, tensors.issues)
  }
  const prompts = optional('prompts')
  const responses = optional('responses')
  const stored = tensors.take('input_ids')
  if (stored === null) {
    if (prompts === null || responses === null) {
      throw new BadRecord('no-tokens', 'the row has neither input_ids nor prompts and responses')
    }
    const ids = new Int32Array(prompts.length + responses.length)
    ids.set(prompts)
    ids.set(responses, prompts.length)
    return { ids, promptWidth: prompts.length }
  }
  const ids = readIds('input_ids', stored, tensors.issues)
  if (responses === null) return { ids, promptWidth: Math.min(prompts?.length ?? ids.length, ids.length) }
  const whole = (prompts?.length ?? ids.length - responses.length) + responses.length
  if (whole !== ids.length) {
    const parts =
      prompts === null ? `${responses.length} responses` : `${prompts.length} prompts and ${responses.length} responses`
    tensors.issue('length-mismatch', 'input_ids', `input_ids has ${ids.length} entries, ${parts} were to fill them`)
  }
  // The trainer takes the last columns for the response, whatever stands before them.
  return { ids, promptWidth: Math.max(0, ids.length - responses.length) }
}

/**
 * What the loss is multiplied with. `loss_mask` was that of multi-turn rollouts before `response_mask` had the tools' tokens left out. Where
 * there is neither, the trainer takes the attention mask over the response (verl/trainer/ppo/ray_trainer.py, compute_response_mask).
 */
function readMask(
  tensors: Fields,
  arrays: SequenceArrays,
  promptWidth: number,
  attentionMask: Int32Array | null,
): MaskStream | null {
  const responseMask = tensors.take('response_mask')
  const lossMask = tensors.take('loss_mask')
  const key = lossMask === null ? 'response_mask' : 'loss_mask'
  const value = lossMask ?? responseMask
  if (value === null) {
    return attentionMask === null
      ? null
      : { mask: Uint8Array.from(attentionMask, (flag, i) => (i >= promptWidth && flag === 1 ? 1 : 0)), weights: null }
  }
  const whole = numbersOf(value)?.length === arrays.length
  return arrays.mask(key, value, whole ? 0 : promptWidth, arrays.length, 0)
}

/** Of multimodal rotary positions the first of four rows, that of the text; three rows have none. */
function textPositions(value: JsonValue): JsonValue {
  if (!Array.isArray(value) || !value.every(isList)) return value
  return value.length === 4 ? (value[0] as JsonValue) : null
}

/** The workers pad to the limits of the run, so the columns of a batch are these. */
function limitsOf(object: JsonObject, prompt: number, completion: number, padding: Padding | null) {
  if (object.__class__ !== PROTO || padding === null || prompt === 0 || completion === 0) return null
  return { max_prompt_length: prompt, max_completion_length: completion }
}

function stepOfQueue({ global_steps: step }: JsonObject): number | null {
  return typeof step === 'number' ? step : null
}

/** A session may put out several sequences, which share its reward: branches of one rollout. */
function withKey(row: Trajectory, value: JsonValue | undefined): Trajectory {
  const key = typeof value === 'string' ? rowKeyOf(value) : null
  if (key === null) return row
  const { asked: _, ...others } = row
  const own = key.branch === FIRST_BRANCH ? row : others
  return { ...own, id: value as string, group: row.group ?? key.group, rolloutId: key.rollout, branch: key.branch }
}

/** What a row holds beside its tensors: its group, its question and whatever the data set and the reward said of it. */
function withTexts(row: Trajectory, value: JsonValue | undefined): Trajectory {
  const texts = new Fields(isObject(value) ? value : {}, row.issues.slice())
  for (const key of BULK) texts.take(key)
  const group = texts.text('uid')
  // Agents that train call by call name the rollout of each row (verl-agent, agent_system/multi_turn_rollout): their groups count it once.
  const rolloutId = texts.text('traj_uid')
  const stored = texts.take('messages')
  const messages = messagesOf(isObject(stored) ? (stored.messages ?? null) : stored)
  const grids = imageGrids(texts.take('multi_modal_inputs'))
  const { meta } = texts.rest()
  const truth = isObject(meta.reward_model as JsonValue) ? (meta.reward_model as JsonObject).ground_truth : null
  const hasMessages = messages !== null && messages.length > 0
  // What a later call of a rollout is asked is not what its data set asks.
  const asked = hasMessages || rolloutId !== null ? null : messagesOf((meta.raw_prompt ?? null) as JsonValue)
  return {
    ...row,
    group,
    rolloutId,
    branch: rolloutId === null ? null : row.id,
    messages: hasMessages ? messages : null,
    ...(asked === null ? {} : { asked }),
    answer: typeof truth === 'string' || typeof truth === 'number' ? String(truth) : null,
    issues: texts.issues,
    meta: { ...row.meta, ...meta, ...grids },
  }
}
