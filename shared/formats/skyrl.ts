import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { type Padding, paddingOf, saidOnce, sumOf, withoutFiller } from './padded-row.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'

/** Fields of a row that no stream holds. */
const KEPT = ['values', 'returns', 'is_last_step']

/** Known, and nothing that a person could look at; and what belongs to the batch. */
const NOT_KEPT = [
  '__class__',
  'batch_size',
  'device',
  'pixel_values',
  'image_grid_thw',
  'rollout_expert_indices',
  'rollout_inference_indices',
  'router_padding_mask',
]

/**
 * The batch that a step trains on. Arrays over the response stand over the last columns of `sequences`: since 2026-03-18 a row is one
 * block with its padding on the left; before, prompts were padded on the left and responses on the right. In both, column j of R
 * belongs to token S - R + j, so only the padding differs.
 */
export const skyrl: Format = {
  id: 'skyrl',
  title: 'SkyRL training input batches',
  writer: {
    project: 'NovaSky-AI/SkyRL',
    file: 'skyrl/backends/skyrl_train/training_batch.py, skyrl/train/dataset/preprocess.py',
    version: 'a9564572',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'attention_mask',
    'logprobs.sampler',
    'logprobs.trainer',
    'logprobs.reference',
    'kl',
    'advantages',
    'rewards',
    'group',
  ],
  numericKeys: [
    'sequences',
    'attention_mask',
    'loss_mask',
    'response_mask',
    'action_log_probs',
    'base_action_log_probs',
    'rollout_logprobs',
  ],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  groupsByOrder: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRow(record)]),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, ['sequences', 'loss_mask'])) return null
  if (numbersOf(record.sequences) === null || numbersOf(record.loss_mask) === null) return null
  const name = typeof record.__class__ === 'string' ? record.__class__ : ''
  if (/(^|\.)TrainingInputBatch$/.test(name)) {
    return { confidence: 0.99, seen: `class ${name}`, version: name.startsWith('skyrl_train.') ? '2025' : '2026' }
  }
  const others = ['response_mask', 'attention_mask', 'action_log_probs', 'advantages'].filter((key) =>
    Object.hasOwn(record, key),
  )
  if (others.length === 0) return null
  return { confidence: 0.9, seen: `keys sequences, loss_mask, ${others.join(', ')}` }
}

function readRow(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  for (const key of NOT_KEPT) fields.take(key)
  const sequences = fields.take('sequences')
  if (sequences === null) throw new BadRecord('no-tokens', 'the row has no sequences')
  const ids = readIds('sequences', sequences, fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const width = responseWidth(fields, record.object, ids.length)
  const start = ids.length - width
  const attentionMask = arrays.integers('attention_mask', fields.take('attention_mask'))
  const padding = paddingOf(ids, attentionMask)
  const responses = responseFlags(fields, arrays, start)
  const stored = (key: string) => arrays.floats(key, fields.take(key), start)
  const floats = (key: string) => withoutFiller(stored(key), padding, responses)
  const read = arrays.mask('loss_mask', fields.take('loss_mask'), start, ids.length, 0)
  const rewards = ['rewards', 'custom_rewards', 'rm_rewards'].map((key) => sumOf(fields.take(key)))
  const about = fields.objectAt('metadata') ?? {}
  const blank = record.blank(0)
  const sampler = floats('rollout_logprobs')
  const trainer = stored('action_log_probs')
  const reference = floats('base_action_log_probs')
  const kl = floats('kl')
  const advantages = stored('advantages')
  const filled = (values: Float32Array | null) => filledColumns(values, responses, read?.mask ?? null)
  const row: Trajectory = {
    ...blank,
    ...rowOfBatch(about, record.object.batch_size ?? null, blank),
    ids,
    promptLength: promptLength(responses, padding),
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    attentionMask,
    noneDue: { trainer: filled(trainer), advantages: filled(advantages) },
    logprobs: {
      sampler,
      trainer: withoutFiller(trainer, padding, responses),
      reference,
    },
    kl,
    advantages: withoutFiller(advantages, padding, responses),
    reward: rewards.find((reward) => reward !== null) ?? null,
    padding,
    arrays: arrays.arrays,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...row, meta: { ...meta, ...saidOnce('metadata', about) } }
}

/** What is response; null where it is not stored, or of another length: then nobody knows which tokens it marks, and the loss mask stands by itself. */
function responseFlags(fields: Fields, arrays: SequenceArrays, start: number): Uint8Array | null {
  const value = fields.take('response_mask')
  const flags = arrays.flags('response_mask', value, start)
  return numbersOf(value)?.length === arrays.length - start ? flags : null
}

/**
 * 1 where the batch has a number because it must have something, outside the response, and the mask trains the token all the same: no number is due
 * there, and none is missing. Null where there is nothing of the kind.
 */
function filledColumns(
  values: Float32Array | null,
  responses: Uint8Array | null,
  mask: Uint8Array | null,
): Uint8Array | null {
  let filled: Uint8Array | null = null
  for (let i = responses?.indexOf(0) ?? -1; i >= 0; i = responses?.indexOf(0, i + 1) ?? -1) {
    if (mask?.[i] !== 1 || Number.isNaN(values?.[i] ?? Number.NaN)) continue
    filled ??= new Uint8Array(mask.length)
    filled[i] = 1
  }
  return filled
}

/** R: columns of the arrays over the response, as most of them have it, else the first: one of another length is that one's fault. */
function responseWidth(fields: Fields, row: JsonObject, length: number): number {
  const stored = ['loss_mask', 'response_mask', 'action_log_probs', 'advantages'].flatMap((key) => {
    const width = numbersOf(row[key])?.length
    return width === undefined ? [] : [{ key, width }]
  })
  const agreeing = (width: number) => stored.filter((other) => other.width === width).length
  let { key, width } = stored[0] ?? { key: 'loss_mask', width: 0 }
  for (const other of stored) if (agreeing(other.width) > agreeing(width)) ({ key, width } = other)
  if (width <= length) return width
  fields.issue('length-mismatch', key, `${key} has ${width} entries for ${length} tokens of sequences`)
  return length
}

/** Tokens before the first of the response, padding not counted; null where one of the two is not known. */
function promptLength(responses: Uint8Array | null, padding: Padding | null): number | null {
  const first = responses?.indexOf(1) ?? -1
  return first < 0 || padding === null || first < padding.left ? null : first - padding.left
}

/** What the batch says of its rows by their number in it. */
function rowOfBatch(about: JsonObject, size: JsonValue, { place }: Trajectory): Partial<Trajectory> {
  const row = place.record
  if (typeof size !== 'number' || row >= size) return {}
  // Copies of the first row, so that every rank has as many.
  const padded = typeof about.pad_size === 'number' && row >= size - about.pad_size
  if (padded) return { excluded: true }
  const listed = (key: string) => {
    const list = about[key]
    return Array.isArray(list) && list.length === size && typeof list[row] === 'string' ? list[row] : null
  }
  const trajectory = listed('trajectory_ids')
  return {
    group: listed('uids') ?? promptOf(about.policy_prompt_boundaries ?? null, row),
    rolloutId: trajectory,
    // Step-wise training has a row for each step of a trajectory.
    branch: trajectory === null ? null : String(row),
  }
}

/** The prompt whose rows, from a start to an end, hold this one. */
function promptOf(boundaries: JsonValue, row: number): string | null {
  if (!Array.isArray(boundaries)) return null
  const prompt = boundaries.findIndex((boundary) => {
    const [start, end] = numbersOf(boundary) ?? []
    return start !== undefined && end !== undefined && start <= row && row < end
  })
  return prompt < 0 ? null : String(prompt)
}
