import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, numbersOf } from './fields.ts'
import {
  COMPONENTS,
  common,
  creditOf,
  earlierBranch,
  type LossComponents,
  ownFloats,
  trainedBy,
} from './prime-streams.ts'
import type { OneRecord } from './read-each.ts'
import { readIds, SequenceArrays, UNKNOWN } from './sequence.ts'

/** Fields that the layouts name and no stream holds. */
const KEPT = [
  'env_name',
  'routed_experts',
  'mm_kwargs',
  'mm_token_type_ids',
  'pixel_values',
  'pixel_values_shape',
  'image_grid_thw',
  'training_mode',
  'sft_loss',
]

export interface BatchScalars {
  readonly step: number | null
  readonly temperature: number | null
  readonly run: number | null
}

/** One `TrainingSample`: prompt and completion apart, or (from 23 June 2026) one row. */
export function readTrainingSample(
  record: OneRecord,
  part: number,
  object: JsonObject,
  { step, temperature, run }: BatchScalars,
): Trajectory {
  const fields = new Fields(object)
  const tokens = Object.hasOwn(object, 'token_ids') ? readFlat(fields) : readSplit(fields)
  const reference = fields.takeFirst(['ref_logprobs', 'teacher_logprobs'])
  const components: LossComponents = {
    rl: tokens.arrays.floats(COMPONENTS.rl, fields.take(COMPONENTS.rl)),
    ce: tokens.arrays.floats(COMPONENTS.ce, fields.take(COMPONENTS.ce)),
    refKl: tokens.arrays.floats(COMPONENTS.refKl, fields.take(COMPONENTS.refKl)),
  }
  const trained = tokens.mask === null ? null : trainedBy(tokens.mask, components)
  const trajectory: Trajectory = {
    ...record.blank(part),
    step,
    ids: tokens.ids,
    promptLength: tokens.promptLength,
    mayBeBranch: true,
    ...(tokens.promptLength === null ? earlierBranch(tokens.ids, trained?.mask ?? null, tokens.sampler) : null),
    mask: trained?.mask ?? null,
    weights: trained?.weights ?? null,
    logprobs: {
      sampler: tokens.sampler,
      trainer: null,
      reference: reference === null ? null : ownFloats(tokens.arrays, reference.key, reference.value, 0),
    },
    temperature: tokens.temperature ?? temperature,
    advantage: fields.number('advantage'),
    ...creditOf(tokens.arrays.floats('advantages', fields.take('advantages')), tokens.mask, components),
    reward: fields.score('reward'),
    padding: { left: 0, right: 0 },
    arrays: tokens.arrays.arrays,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta: run === null ? meta : { ...meta, run_idx: run } }
}

interface SampleTokens {
  readonly ids: Int32Array
  readonly promptLength: number | null
  readonly arrays: SequenceArrays
  readonly mask: Uint8Array | null
  readonly sampler: Float32Array | null
  readonly temperature: number | null
}

function readFlat(fields: Fields): SampleTokens {
  const ids = readIds('token_ids', fields.take('token_ids'), fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const mask = arrays.mask('mask', fields.take('mask'))?.mask ?? null
  return {
    ids,
    promptLength: null,
    arrays,
    mask,
    sampler: arrays.floats('inference_logprobs', fields.take('logprobs')),
    temperature: commonWhere(fields.take('temperatures'), mask),
  }
}

function readSplit(fields: Fields): SampleTokens {
  const prompt = readIds('prompt_ids', fields.take('prompt_ids'), fields.issues)
  const completion = readIds('completion_ids', fields.take('completion_ids'), fields.issues)
  const at = prompt.length
  const end = at + completion.length
  const ids = new Int32Array(end)
  ids.set(prompt)
  ids.set(completion, at)
  const arrays = new SequenceArrays(end, fields.issues)
  const mask = new Uint8Array(end).fill(UNKNOWN)
  const masked = [
    arrays.placeFlags(mask, 'prompt_mask', fields.take('prompt_mask'), 0, at),
    arrays.placeFlags(mask, 'completion_mask', fields.take('completion_mask'), at, end),
  ]
  const sampler = arrays.floats('inference_logprobs', fields.take('completion_logprobs'), at)
  return {
    ids,
    promptLength: at,
    arrays,
    mask: masked.includes(true) ? mask : null,
    sampler,
    temperature: commonWhere(fields.take('completion_temperatures'), mask.subarray(at)),
  }
}

/** The temperature of the tokens that count; what the writer puts on the others says nothing. */
export function commonWhere(value: JsonValue, mask: Uint8Array | null): number | null {
  return common(numbersOf(value)?.filter((_, i) => mask === null || mask[i] === 1) ?? null)
}
