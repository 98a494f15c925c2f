import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'

/**
 * What a training loop on tinker sends to the loss (`Datum.model_dump()`), one datum a record. `model_input` has all tokens but the last,
 * `target_tokens` all but the first, and each array beside those is aligned with the targets.
 */
export const tinkerDatum: Format = {
  id: 'tinker-datum',
  title: 'tinker training data (Datum)',
  writer: {
    project: 'thinking-machines-lab/tinker-cookbook',
    file: 'tinker_cookbook/rl/data_processing.py (trajectory_to_data)',
    version: '9dfcc3a2',
  },
  streams: ['ids', 'mask', 'loss_weights', 'logprobs.sampler', 'advantages'],
  numericKeys: ['tokens', 'data'],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readDatum(record)]),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, ['model_input', 'loss_fn_inputs'])) return null
  const { model_input: input, loss_fn_inputs: beside } = record
  if (!isObject(input) || !Array.isArray(input.chunks) || !isObject(beside) || !isObject(beside.target_tokens))
    return null
  return { confidence: 0.97, seen: 'keys model_input.chunks, loss_fn_inputs.target_tokens' }
}

function readDatum(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const { issues } = fields
  const input = inputIds(fields.objectAt('model_input')?.chunks ?? null, fields)
  const beside = fields.objectAt('loss_fn_inputs') ?? {}
  const targets = readIds('target_tokens', dataOf(beside, 'target_tokens'), issues)
  if (targets.length === 0) throw new BadRecord('no-tokens', 'target_tokens is empty')
  const ids = new Int32Array(targets.length + 1)
  ids.set(input.subarray(0, 1))
  ids.set(targets, 1)
  if (input.length !== targets.length || input.subarray(1).some((id, at) => id !== targets[at]))
    fields.issue(
      'ids-conflict',
      'target_tokens',
      'target_tokens are not the tokens of model_input, one further; they are read',
    )
  const arrays = new SequenceArrays(ids.length, issues)
  const floats = (name: string) => arrays.floats(name, dataOf(beside, name), 1)
  // Supervised data has `weights`, which may be normalised to a sum of 1 for each example.
  const trained = beside.mask === undefined ? 'weights' : 'mask'
  const read = arrays.mask(trained, dataOf(beside, trained), 1, ids.length, 0)
  const { meta, unknown } = fields.rest()
  record.drift([...unknown, ...Object.keys(beside).filter((name) => !KNOWN.includes(name))])
  return {
    ...record.blank(0),
    ids,
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    logprobs: { sampler: floats('logprobs'), trainer: null, reference: null },
    advantages: floats('advantages'),
    padding: { left: 0, right: 0 },
    arrays: arrays.arrays,
    issues,
    meta,
  }
}

const KNOWN = ['target_tokens', 'mask', 'weights', 'logprobs', 'advantages']

/** Chunks of text, one after the other. An image has no ids, and what stands behind it no place. */
function inputIds(chunks: JsonValue, { issues }: Fields): Int32Array {
  if (!Array.isArray(chunks) || chunks.length === 0)
    throw new BadRecord('bad-type', 'model_input.chunks is no list of chunks')
  const parts = chunks.map((chunk, at) => {
    const tokens = isObject(chunk) ? chunk.tokens : undefined
    if (tokens === undefined) throw new BadRecord('no-tokens', `model_input.chunks[${at}] holds no tokens`)
    return readIds(`model_input.chunks[${at}].tokens`, tokens, issues)
  })
  const ids = new Int32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    ids.set(part, at)
    at += part.length
  }
  if (at === 0) throw new BadRecord('no-tokens', 'model_input holds no tokens')
  return ids
}

function dataOf(beside: JsonObject, name: string): JsonValue {
  const tensor = beside[name] ?? null
  return isObject(tensor) ? (tensor.data ?? null) : tensor
}
