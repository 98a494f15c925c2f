import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { imageGrids } from './image-grids.ts'
import { messagesOf } from './messages.ts'
import { paddingOf, saidOnce, sumOf, withoutFiller } from './padded-row.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'

/** Known, and nothing that a person could look at: the ids once more, padded on the other side, and what no stream holds. */
const BULK = [
  'prompts',
  'responses',
  'routed_experts',
  'multi_modal_inputs',
  'frames',
  '__class__',
  'batch_size',
  'device',
]

/**
 * DataProto, the batch that ROLL passes between its workers, as `rollout_mock` in mode `dump` pickles one for each step. Rows are padded on
 * the right to `sequence_length`; logprobs are predictions of the next token, one less than there are ids.
 */
export const rollBatch: Format = {
  id: 'roll-batch',
  title: 'ROLL DataProto batches',
  writer: {
    project: 'alibaba/ROLL',
    file: 'roll/distributed/scheduler/protocol.py, roll/distributed/scheduler/rollout_mock_mixin.py, roll/utils/functionals.py, roll/pipeline/agentic/env_manager/traj_env_manager.py',
    version: '8eb27cc2',
  },
  streams: [
    'ids',
    'mask',
    'attention_mask',
    'position_ids',
    'messages',
    'tools',
    'answer',
    'logprobs.sampler',
    'rewards',
    'group',
    'limits',
    'step',
  ],
  numericKeys: ['input_ids', 'attention_mask', 'position_ids', 'response_mask', 'prompt_mask', 'infer_logprobs'],
  policy: null,
  // The loss takes the mask without its first column, beside predictions of the next token (roll/pipeline/agentic/agentic_actor_worker.py).
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  // Generations of one prompt are repeated one after the other.
  groupsByOrder: true,
  limitsAreWidths: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRow(record)]),
}

/** The name that pickles of ROLL's class get when they are read (`containers/pickle/allow/trainers.ts`). */
const PROTO = 'roll.DataProto'

function look(record: JsonObject): Evidence | null {
  const { batch } = record
  if (record.__class__ !== PROTO || !isObject(batch)) return null
  const keys = ['input_ids', 'response_mask', 'prompt_mask', 'infer_logprobs'].filter(
    (key) => numbersOf(batch[key]) !== null,
  )
  if (!keys.includes('input_ids')) return null
  return { confidence: 0.98, seen: `class DataProto of ROLL with tensors ${keys.join(', ')}` }
}

function readRow(record: OneRecord): Trajectory {
  const { object } = record
  if (!isObject(object.batch)) throw new BadRecord('no-tokens', 'the row has no batch with input_ids')
  const tensors = new Fields(object.batch)
  for (const key of BULK) tensors.take(key)
  const ids = readIds('input_ids', tensors.take('input_ids'), tensors.issues)
  const arrays = new SequenceArrays(ids.length, tensors.issues)
  const attentionMask = arrays.integers('attention_mask', tensors.take('attention_mask'))
  const padding = paddingOf(ids, attentionMask)
  const read = arrays.mask('response_mask', tensors.take('response_mask'), 0, ids.length, 0)
  const about = new Fields(isObject(object.meta_info) ? object.meta_info : {}, tensors.issues)
  const generation = about.objectAt('generation_config')
  const sampling = new Fields(generation ?? {}, tensors.issues)
  const step = about.number('global_step')
  const prompt = tensors.integer('prompt_id')
  const texts = new Fields(isObject(object.non_tensor_batch) ? object.non_tensor_batch : {}, tensors.issues)
  for (const key of BULK) texts.take(key)
  const rolloutId = texts.text('traj_id')
  const calls = texts.integer('step')
  const tools = texts.json('tools')
  const episode = texts.number('episode_scores')
  const scores = tensors.take('scores')
  const row: Trajectory = {
    ...record.blank(0),
    step,
    temperature: sampling.number('temperature'),
    ids,
    promptLength: leadingOnes(tensors.take('prompt_mask')),
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    attentionMask,
    positionIds: arrays.integers('position_ids', tensors.take('position_ids')),
    logprobs: {
      sampler: withoutFiller(arrays.floats('infer_logprobs', tensors.take('infer_logprobs'), 1), padding),
      trainer: null,
      reference: null,
    },
    // One score a rollout, or one a column, the last of which has it.
    reward: episode ?? (typeof scores === 'number' ? scores : sumOf(scores)),
    group: texts.text('traj_group_id') ?? (prompt === null ? null : `${step ?? ''}/${prompt}`),
    rolloutId,
    branch: rolloutId === null || calls === null ? null : String(calls),
    environment: texts.text('tags') ?? texts.text('domain'),
    messages: conversationOf(texts.json('messages')),
    tools: Array.isArray(tools) && tools.length > 0 ? tools : null,
    answer: texts.text('ground_truth'),
    limits: padding === null ? null : { max_seq_len: ids.length },
    padding,
    arrays: arrays.arrays,
    issues: tensors.issues,
  }
  const { meta, unknown } = tensors.rest()
  record.drift(unknown)
  const said = saidOnce('meta_info', about.rest().meta as JsonObject)
  return { ...row, meta: { ...meta, ...texts.rest().meta, ...imageGrids(texts.take('multi_modal_inputs')), ...said } }
}

/** Entries of 1 that a mask begins with; null where there is no mask. */
function leadingOnes(value: JsonValue): number | null {
  const flags = numbersOf(value)
  if (flags === null) return null
  const end = flags.indexOf(0)
  return end < 0 ? flags.length : end
}

/**
 * The conversation of the row's ids. Managers that call step by step keep the messages of the last call without what it gave, in a list of
 * lists, and data sets those of the prompt: neither is what the ids hold.
 */
function conversationOf(value: JsonValue): Message[] | null {
  const messages = messagesOf(value)
  return messages?.at(-1)?.role === 'assistant' ? messages : null
}
