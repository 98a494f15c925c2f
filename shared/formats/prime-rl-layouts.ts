import type { JsonObject, JsonValue } from '../containers/container.ts'
import { isList, isObject, numbersOf } from './fields.ts'

/**
 * What stands at a position of a struct that msgspec writes as a list. `row` has a number for each token, `lengths` adds up
 * to them.
 */
type Kind = 'ids' | 'row' | 'lengths' | 'texts' | 'number' | 'text' | 'any'

type Field = readonly [name: string, kind: Kind]

/** One era of a struct: fields by position. Trailing fields that have their default are not written. */
export interface Layout {
  /** Day of the commit that brought it. */
  readonly since: string
  readonly fields: readonly Field[]
  /** How many of them have no default. */
  readonly required: number
}

const TOKENS: readonly Field[] = [
  ['input_ids', 'ids'],
  ['loss_mask', 'row'],
  ['advantages', 'row'],
  ['inference_logprobs', 'row'],
  ['position_ids', 'row'],
]
const TEACHER: readonly Field[] = [
  ['teacher_logprobs', 'row'],
  ['lora_num_tokens', 'any'],
]
const IMAGES: readonly Field[] = [
  ['routed_experts', 'any'],
  ['mm_kwargs', 'any'],
  ['mm_token_type_ids', 'any'],
]
const PIXELS: readonly Field[] = [
  ['routed_experts', 'any'],
  ['pixel_values', 'any'],
  ['pixel_values_shape', 'any'],
  ['image_grid_thw', 'any'],
  ['mm_token_type_ids', 'any'],
  ['training_mode', 'any'],
]
const MODE: readonly Field[] = [
  ['training_mode', 'text'],
  ['rewards', 'row'],
]
const WEIGHTS: readonly Field[] = [
  ['rl_weights', 'row'],
  ['ce_weights', 'row'],
  ['ref_kl_weights', 'row'],
]
const RUN: readonly Field[] = [
  ['run_id', 'text'],
  ['run_step', 'number'],
]
const temperatures: Field = ['temperatures', 'row']
const environments: Field = ['env_names', 'texts']
const sequences: Field = ['sequence_lengths', 'lengths']
const lengths: Field = ['seq_lens', 'lengths']
const reference: Field = ['ref_logprobs', 'row']
const lora: Field = ['lora_num_tokens', 'any']

/** `MicroBatch` in src/prime_rl/transport/types.py, later src/prime_rl/transports/rollouts/types.py; the newest first. */
export const MICRO_BATCHES: readonly Layout[] = [
  layout('2026-08-08', [...TOKENS, sequences, temperatures, environments, lengths], [reference, ...IMAGES, ...WEIGHTS]),
  layout(
    '2026-07-17',
    [...TOKENS, sequences, temperatures, environments, lengths],
    [reference, lora, ...IMAGES, ...WEIGHTS, ...RUN],
  ),
  layout(
    '2026-06-27',
    [...TOKENS, sequences, temperatures, environments],
    [reference, lora, ...IMAGES, ...WEIGHTS, ...RUN],
  ),
  layout('2026-06-23', [...TOKENS, sequences, temperatures, environments], [...TEACHER, ...IMAGES, ...MODE, ...RUN]),
  layout('2026-06-15', [...TOKENS, temperatures, environments, sequences], [...TEACHER, ...IMAGES, ...MODE, ...RUN]),
  layout('2026-05-20', [...TOKENS, temperatures, environments], [...TEACHER, ...IMAGES, ...MODE, ...RUN]),
  layout('2026-05-18', [...TOKENS, temperatures, environments], [...TEACHER, ...PIXELS]),
  layout('2026-01-27', [...TOKENS, temperatures], [...TEACHER, ...PIXELS]),
  layout('2025-12-31', [...TOKENS, ['temperature', 'number']], TEACHER),
  layout('2025-12-29', TOKENS, [lora, ['temperature', 'number']]),
  layout('2025-12-15', TOKENS, [['temperature', 'number']]),
]

const SPLIT: readonly Field[] = [
  ['prompt_ids', 'ids'],
  ['prompt_mask', 'row'],
  ['completion_ids', 'ids'],
  ['completion_mask', 'row'],
  ['completion_logprobs', 'row'],
]
const FLAT: readonly Field[] = [
  ['token_ids', 'ids'],
  ['mask', 'row'],
  ['logprobs', 'row'],
  ['temperatures', 'row'],
  ['env_name', 'text'],
]
const SCORES: readonly Field[] = [
  ['teacher_logprobs', 'row'],
  ['advantage', 'number'],
  ['reward', 'number'],
]
const completionTemperatures: Field = ['completion_temperatures', 'row']
const environment: Field = ['env_name', 'text']

/** `TrainingSample`, in the same files. */
export const TRAINING_SAMPLES: readonly Layout[] = [
  layout('2026-06-27', FLAT, [
    reference,
    ['mm_kwargs', 'any'],
    ['routed_experts', 'any'],
    ['mm_token_type_ids', 'any'],
    ...WEIGHTS,
    ['advantages', 'row'],
  ]),
  layout('2026-06-23', FLAT, [
    ...SCORES,
    ['mm_kwargs', 'any'],
    ['routed_experts', 'any'],
    ['mm_token_type_ids', 'any'],
    ['training_mode', 'text'],
  ]),
  layout(
    '2026-05-20',
    [...SPLIT, completionTemperatures, environment],
    [
      ...SCORES,
      ['mm_kwargs', 'any'],
      ['routed_experts', 'any'],
      ['mm_token_type_ids', 'any'],
      ['training_mode', 'text'],
    ],
  ),
  layout(
    '2026-05-18',
    [...SPLIT, completionTemperatures, environment],
    [
      ...SCORES,
      ['pixel_values', 'any'],
      ['pixel_values_shape', 'any'],
      ['image_grid_thw', 'any'],
      ['routed_experts', 'any'],
      ['mm_token_type_ids', 'any'],
      ['training_mode', 'any'],
    ],
  ),
  layout(
    '2026-01-27',
    [...SPLIT, completionTemperatures],
    [
      ...SCORES,
      ['pixel_values', 'any'],
      ['pixel_values_shape', 'any'],
      ['image_grid_thw', 'any'],
      ['routed_experts', 'any'],
      ['mm_token_type_ids', 'any'],
      ['sft_loss', 'any'],
    ],
  ),
  layout('2025-12-31', SPLIT, SCORES),
  layout('2025-12-15', SPLIT, [['advantage', 'number']]),
]

function layout(since: string, required: readonly Field[], optional: readonly Field[]): Layout {
  return { since, fields: [...required, ...optional], required: required.length }
}

/** The values of a struct that was written by position (`decodeMsgpack` numbers them); null for any other record. */
export function positional(record: JsonObject): JsonValue[] | null {
  const count = Object.keys(record).length
  if (count === 0) return null
  const values: JsonValue[] = []
  for (let i = 0; i < count; i++) {
    if (!Object.hasOwn(record, String(i))) return null
    values.push(record[String(i)] as JsonValue)
  }
  return values
}

/** The layout whose types all fit, that with the most lengths that fit, the newest of those; null where none does. */
export function fittingLayout(values: readonly JsonValue[], layouts: readonly Layout[]): Layout | null {
  let best: Layout | null = null
  let most = -1
  for (const each of layouts) {
    const fit = fitOf(values, each)
    if (fit > most) {
      best = each
      most = fit
    }
  }
  return best
}

/** How many arrays have the length that is due, -1 where a type does not fit. */
function fitOf(values: readonly JsonValue[], { fields, required }: Layout): number {
  if (values.length < required || values.length > fields.length) return -1
  const tokens = fields.reduce((sum, [, kind], i) => sum + (kind === 'ids' ? countOf(values[i]) : 0), 0)
  let fit = 0
  for (const [i, value] of values.entries()) {
    const kind = fields[i]?.[1] as Kind
    if (value === null && i >= required) continue
    if (!isOf(value, kind)) return -1
    if (kind === 'row' && countOf(value) === tokens) fit++
    if (kind === 'lengths' && totalOf(value) === tokens) fit++
  }
  return fit
}

function isOf(value: JsonValue, kind: Kind): boolean {
  switch (kind) {
    case 'any':
      return true
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'texts':
      return Array.isArray(value) && value.every((text) => typeof text === 'string')
    case 'ids':
      return numbersOf(value)?.every((id) => Number.isInteger(id)) ?? false
    default:
      return numbersOf(value) !== null
  }
}

function countOf(value: JsonValue | undefined): number {
  return isList(value) && !isObject(value) ? value.length : 0
}

export function totalOf(value: JsonValue): number {
  let sum = 0
  for (const length of numbersOf(value) ?? []) sum += length
  return sum
}

/** The struct with its fields by name; what is beyond the layout keeps its number. */
export function named(values: readonly JsonValue[], { fields }: Layout): JsonObject {
  return Object.fromEntries(values.map((value, i) => [fields[i]?.[0] ?? `field ${i}`, value]))
}
