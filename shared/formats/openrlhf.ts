import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { rowsOfBatch } from './batch-rows.ts'
import { BadRecord, Fields, isListOfLists, isObject, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { type Padding, paddingOf, sumOf, withoutFiller } from './padded-row.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'

/** Tensors with a number for each token, or for each that the policy could predict. */
const PER_TOKEN = [
  'attention_mask',
  'action_mask',
  'action_log_probs',
  'base_action_log_probs',
  'rollout_log_probs',
  'kl',
  'advantages',
  'returns',
  'values',
]
/** Fields of a row that no stream holds. */
const KEPT = ['values', 'returns', 'prompts', 'index', 'scores', 'info']
/** Known, and nothing that a person could look at. */
const NOT_KEPT = ['__class__', 'images', 'mm_train_inputs', 'packed_seq_lens', 'num_actions']

/**
 * Experience, the batch that OpenRLHF trains on, which people save by themselves. Arrays of actions stand over the last A tokens of
 * `sequences`, so that column j belongs to token T - A + j. Since 0.8 A is T - 1 (the mask of all tokens without its first) and rows are padded on
 * the right, when they are batched again with zeros; before, A was the width of the responses and prompts were padded on the left.
 */
export const openrlhf: Format = {
  id: 'openrlhf',
  title: 'OpenRLHF experiences',
  writer: {
    project: 'OpenRLHF/OpenRLHF',
    file: 'openrlhf/trainer/ppo_utils/experience.py, samples_generator.py, experience_maker.py; openrlhf/models/actor.py',
    version: '3c3be623',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'attention_mask',
    'answer',
    'logprobs.sampler',
    'logprobs.trainer',
    'logprobs.reference',
    'kl',
    'advantages',
    'rewards',
    'finish_reason',
  ],
  numericKeys: ['sequences', ...PER_TOKEN],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  // Each prompt is repeated n_samples_per_prompt times, one after the other; batches of one length may take them apart again.
  groupsByOrder: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readRecord),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, ['sequences', 'action_mask']) || Object.hasOwn(record, 'loss_mask')) return null
  const { sequences, action_mask: mask } = record
  const isBatch = isListOfLists(sequences) && isListOfLists(mask)
  if (!isBatch && (numbersOf(sequences) === null || numbersOf(mask) === null)) return null
  const name = typeof record.__class__ === 'string' ? record.__class__ : ''
  if (/^openrlhf\./.test(name)) return { confidence: 0.99, seen: `class ${name}` }
  const others = ['attention_mask', 'action_log_probs', 'rollout_log_probs', 'advantages', 'info'].filter((key) =>
    Object.hasOwn(record, key),
  )
  return others.length === 0 ? null : { confidence: 0.93, seen: `keys sequences, action_mask, ${others.join(', ')}` }
}

function readRecord(record: OneRecord): Trajectory[] {
  const rows = rowsOfBatch(record.object, 'sequences', PER_TOKEN, { isWhole: false })
  return rows.map((row, part) => readRow(record, row, part))
}

function readRow(record: OneRecord, row: JsonObject, part: number): Trajectory {
  const fields = new Fields(row)
  for (const key of NOT_KEPT) fields.take(key)
  const sequences = fields.take('sequences')
  if (sequences === null) throw new BadRecord('no-tokens', 'the experience has no sequences')
  const ids = readIds('sequences', sequences, fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const width = actionsOf(fields, ids.length)
  const start = ids.length - width
  const info = new Fields(isObject(row.info) ? row.info : {}, fields.issues)
  const attentionMask = arrays.integers('attention_mask', fields.take('attention_mask'))
  const total = numberOf(fields.take('total_length')) ?? numberOf(info.peek('total_length'))
  const padding = paddingOf(ids, attentionMask) ?? declaredPadding(attentionMask, total)
  const read = arrays.mask('action_mask', fields.take('action_mask'), start, ids.length, 0)
  const floats = (key: string) => withoutFiller(arrays.floats(key, fields.take(key), start), padding)
  // What a forward pass scored was multiplied with the mask.
  const scored = (key: string) => withoutZeros(floats(key), read?.mask ?? null)
  const reference = scored('base_action_log_probs')
  const kl = scored('kl')
  const truncated = onlyOf(fields.take('truncated'))
  const label = onlyOf(fields.take('labels'))
  // From the first action to the last, so that it counts what the environment wrote between them (A08).
  const length = numberOf(fields.take('response_length')) ?? numberOf(info.peek('response_length'))
  const trajectory: Trajectory = {
    ...record.blank(part),
    ids,
    // Where the arrays have the width of the responses, what stands before them is the prompt.
    promptLength: width >= ids.length - 1 || padding === null ? null : Math.max(0, start - padding.left),
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    attentionMask,
    logprobs: { sampler: floats('rollout_log_probs'), trainer: scored('action_log_probs'), reference },
    // Without a reference model every number of it is 0.
    kl: reference === null && kl?.every((value) => value === 0 || Number.isNaN(value)) ? null : kl,
    advantages: floats('advantages'),
    reward: rewardOf(fields.take('rewards')) ?? rewardOf(info.peek('reward')),
    answer: typeof label === 'string' || typeof label === 'number' ? String(label) : null,
    isTruncated: typeof truncated === 'boolean' ? truncated : numberOf(truncated) === null ? null : truncated !== 0,
    padding,
    arrays: arrays.arrays,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta: length === null ? meta : { ...meta, response_length: length } }
}

/** A: numbers of the arrays over the actions, as many as most of them have; of equally common ones those of the first. */
function actionsOf(fields: Fields, length: number): number {
  const widths = ['action_mask', 'action_log_probs', 'rollout_log_probs', 'advantages']
    .map((key) => numbersOf(fields.peek(key))?.length)
    .filter((each) => each !== undefined)
  const votes = (width: number) => widths.filter((each) => each === width).length
  const width = widths.toSorted((a, b) => votes(b) - votes(a))[0]
  if (width === undefined || width <= length) return width ?? Math.max(0, length - 1)
  fields.issue('length-mismatch', 'action_mask', `action_mask has ${width} entries for ${length} tokens of sequences`)
  return length
}

/** Rows that were batched a second time are filled with another id than before: their length tells how many are theirs. */
function declaredPadding(attention: Int32Array | null, total: number | null): Padding | null {
  if (attention === null || total === null || total < 0 || total > attention.length) return null
  const isOfLength = attention.every((flag, i) => flag === (i < total ? 1 : 0))
  return isOfLength ? { left: 0, right: attention.length - total } : null
}

function withoutZeros(values: Float32Array | null, mask: Uint8Array | null): Float32Array | null {
  for (let i = 0; i < (values?.length ?? 0); i++) {
    if (mask?.[i] === 0 && values?.[i] === 0) (values as Float32Array)[i] = Number.NaN
  }
  return values
}

/** The element of a list of one, as a row that was split off a batch has it; else the value. */
function onlyOf(value: JsonValue): JsonValue {
  return Array.isArray(value) && value.length === 1 ? (value[0] as JsonValue) : value
}

function numberOf(value: JsonValue): number | null {
  const only = numbersOf(value)?.length === 1 ? (numbersOf(value)?.[0] ?? null) : value
  return typeof only === 'number' ? only : null
}

/** One number a row; NaN too, which a reward function that failed leaves. */
function rewardOf(value: JsonValue): number | null {
  return numberOf(value) ?? sumOf(value)
}
