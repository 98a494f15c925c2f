import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { RecordIssue, Trajectory } from '../model/trajectory.ts'
import { Fields, type Numbers, numbersOf } from './fields.ts'
import { totalOf } from './prime-rl-layouts.ts'
import { commonWhere } from './prime-rl-sample.ts'
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
import { readIds, SequenceArrays } from './sequence.ts'

/** The id that fills up a micro batch (`pad_micro_batch` in src/prime_rl/trainer/batch.py). */
const PAD = 1
/** Fields of the whole row that no stream holds. */
const KEPT = [
  'lora_num_tokens',
  'routed_experts',
  'mm_kwargs',
  'pixel_values',
  'pixel_values_shape',
  'image_grid_thw',
  'training_mode',
  'run_id',
]

/** The sequences of one packed `MicroBatch`, each a part, numbered from `firstPart` on; padding stays with the last. */
export function readMicroBatch(record: OneRecord, object: JsonObject, firstPart = 0): Trajectory[] {
  const row = new Fields(object)
  const ids = readIds('input_ids', row.take('input_ids'), row.issues)
  const rows = new Rows(row, ids.length)
  const step = row.integer('run_step')
  const temperature = row.number('temperature')
  const names = row.list('env_names')
  const starts = startsOf(rows, row, ids)
  const parts = starts.map((start, i) => [start, starts[i + 1] ?? ids.length] as const)
  const parting = partingOf(rows, numbersOf(row.take('seq_lens')), ids)
  const teacher = Object.hasOwn(object, 'teacher_logprobs') ? 'teacher_logprobs' : 'ref_logprobs'
  const trajectories = parts.map(([start, end], part): Trajectory => {
    const issues: RecordIssue[] = part === 0 ? row.issues : []
    const arrays = new SequenceArrays(end - start, issues)
    const slice = (name: string) => rows.slice(name, start, end)
    const stored = arrays.mask('loss_mask', slice('loss_mask'))
    const components: LossComponents = {
      rl: arrays.floats(COMPONENTS.rl, slice(COMPONENTS.rl)),
      ce: arrays.floats(COMPONENTS.ce, slice(COMPONENTS.ce)),
      refKl: arrays.floats(COMPONENTS.refKl, slice(COMPONENTS.refKl)),
    }
    const trained = stored === null ? null : trainedBy(stored.mask, components)
    const sampler = arrays.floats('inference_logprobs', slice('inference_logprobs'))
    const own = ids.slice(start, end)
    const positionIds = arrays.integers('position_ids', slice('position_ids'))
    const environments = names?.slice(start, end) ?? null
    const padding = paddingOf(own, stored?.mask ?? null, positionIds, environments)
    const environment = environments?.find((name) => typeof name === 'string' && name !== '')
    const kinds = slice('mm_token_type_ids')
    return {
      ...record.blank(firstPart + part),
      step,
      ids: own,
      mayBeBranch: true,
      ...earlierBranch(own, trained?.mask ?? null, sampler),
      mask: trained?.mask ?? null,
      weights: trained?.weights ?? null,
      positionIds,
      ...(part === 0 ? {} : { parted: parting(start) }),
      logprobs: { sampler, trainer: null, reference: ownFloats(arrays, teacher, slice(teacher), 0) },
      temperature: commonWhere(slice('temperatures'), trained?.mask ?? null) ?? temperature,
      ...creditOf(arrays.floats('advantages', slice('advantages')), stored?.mask ?? null, components),
      reward: common(numbersOf(slice('rewards'))),
      padding: { left: 0, right: padding },
      arrays: arrays.arrays,
      issues,
      meta: {
        ...(environment === undefined ? {} : { env_name: environment }),
        ...(kinds === null ? {} : { mm_token_type_ids: kinds }),
      },
    }
  })
  const { meta, unknown } = row.rest(KEPT)
  record.drift(unknown)
  // A copy of another row that gives every rank as many micro batches: nothing of it is trained.
  const filler = trajectories.every(({ mask, advantages }) => mask !== null && isZero(mask) && isZero(advantages))
  return trajectories.map((trajectory) => ({
    ...trajectory,
    excluded: filler,
    meta: { ...trajectory.meta, ...meta, ...(filler ? { filler: true } : {}) },
  }))
}

/** The arrays of a row, cut at its sequences. */
class Rows {
  private readonly length: number
  private readonly fields: Fields
  private readonly taken = new Map<string, Numbers | JsonValue>()

  constructor(fields: Fields, length: number) {
    this.fields = fields
    this.length = length
  }

  whole(name: string): Numbers | null {
    return numbersOf(this.take(name))
  }

  /** What is stored for `start` to `end`; what a too long array has beyond the row belongs to the last sequence. */
  slice(name: string, start: number, end: number): JsonValue {
    const value = this.take(name)
    const numbers = numbersOf(value)
    return numbers === null ? value : numbers.subarray(start, end === this.length ? undefined : end)
  }

  private take(name: string): JsonValue {
    const known = this.taken.get(name)
    if (known !== undefined) return known
    const value = this.fields.take(name)
    // Booleans and null between numbers are made numbers once, not for every sequence.
    const numbers = numbersOf(value) ?? value
    this.taken.set(name, numbers)
    return numbers
  }
}

/** Where the sequences of a row begin: by their lengths, before 15 June 2026 where the positions start again. */
function startsOf(rows: Rows, row: Fields, ids: Int32Array): number[] {
  const lengths = rows.whole('sequence_lengths')
  const total = totalOf(lengths)
  if (lengths !== null && total === ids.length && lengths.every((length) => Number.isInteger(length) && length > 0)) {
    const starts: number[] = []
    let at = 0
    for (const length of lengths) {
      starts.push(at)
      at += length
    }
    return starts
  }
  if (lengths !== null && lengths.length > 0) {
    row.issue(
      'length-mismatch',
      'sequence_lengths',
      `sequence_lengths add up to ${total}, input_ids has ${ids.length}; the row is cut where its position ids start again`,
    )
  }
  const positions = rows.whole('position_ids')
  const end = ids.length - stillPositions(positions, rows.whole('loss_mask'), ids.length)
  const starts = [0]
  for (let i = 1; i < Math.min(end, positions?.length ?? 0); i++) if (positions?.[i] === 0) starts.push(i)
  const last = starts.at(-1) as number
  // Before there were lengths, padding looks like one more sequence.
  if (starts.length > 1 && isPadding(rows, ids, last)) starts.pop()
  return starts
}

/**
 * What parts the sequence that begins at a token from the one before. Since 17 July 2026 the trainer's own models go by `seq_lens`, and those of
 * Hugging Face are given the positions alone, as all were before (`forward` in src/prime_rl/trainer/model.py): a sequence begins at position 0.
 */
function partingOf(rows: Rows, lengths: Numbers | null, ids: Int32Array): (start: number) => Trajectory['parted'] {
  const positions = rows.whole('position_ids')
  const begins = lengths === null || totalOf(lengths) !== ids.length ? null : new Set<number>()
  let at = 0
  for (const length of begins === null ? [] : (lengths ?? [])) {
    begins?.add(at)
    at += length
  }
  return (start) => {
    const byPositions = positions?.[start] === 0
    const byLengths = begins?.has(start) ?? byPositions
    if (byPositions !== byLengths) return 'by-model'
    return byPositions ? 'always' : 'never'
  }
}

/** Before October 2025 rows that were not packed are filled up with tokens that all have position 0. */
function stillPositions(positions: Numbers | null, mask: ArrayLike<number> | null, length: number): number {
  if (positions?.length !== length) return 0
  let end = length
  while (end > 1 && positions[end - 1] === 0 && mask?.[end - 1] === 0) end--
  return length - end > 1 ? length - end : 0
}

function isPadding(rows: Rows, ids: Int32Array, from: number): boolean {
  for (let i = from; i < ids.length; i++) if (ids[i] !== PAD) return false
  return ['loss_mask', 'advantages', 'inference_logprobs'].every((name) =>
    isZero(rows.whole(name)?.subarray(from) ?? null),
  )
}

/** Tokens at the end that belong to no environment; where none is named, pads whose positions start again. */
function paddingOf(
  ids: Int32Array,
  mask: Uint8Array | null,
  positions: Int32Array | null,
  environments: readonly JsonValue[] | null,
): number {
  const still = environments === null ? stillPositions(positions, mask, ids.length) : 0
  if (still > 0) return still
  let end = ids.length
  while (
    end > 0 &&
    mask?.[end - 1] !== 1 &&
    (environments === null ? ids[end - 1] === PAD : environments[end - 1] === '')
  ) {
    end--
  }
  return environments !== null || positions?.[end] === 0 ? ids.length - end : 0
}

function isZero(values: ArrayLike<number> | null): boolean {
  for (let i = 0; i < (values?.length ?? 0); i++) if (values?.[i] !== 0) return false
  return true
}
