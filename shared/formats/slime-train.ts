import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isList, isObject, numbersOf } from './fields.ts'
import type { OneRecord } from './read-each.ts'
import { type ContextShare, readSamples, SampleTokens } from './slime-sample.ts'

/** Fields of a training sample that no stream holds. `rewards` are normalised by group already where the run does so. */
const KEPT = [
  'rewards',
  'returns',
  'values',
  'teacher_log_probs',
  'opd_reverse_kl',
  'rollout_mask_sums',
  'round_number',
  'source_names',
  'prompt',
  'metadata',
  'data_parallel_rank',
  'weight_versions',
  'adapter_slots',
  'seq_witness_ids',
]

/** How a rank schedules its samples, and settings of the step: nothing of one sample. */
const LAYOUT = [
  'micro_batch_indices',
  'num_microbatches',
  'global_batch_sizes',
  'dynamic_global_batch_size',
  'num_rollouts',
  'step_slots',
  'step_adapter_names',
  'step_adapter_batch_sizes',
  'prompt_group_sizes',
  'n_adapters',
  'raw_reward',
  'rollout_id',
]

/** What a rank has for each of its samples. */
const COLUMNS = [
  ...KEPT,
  'tokens',
  'response_lengths',
  'total_lengths',
  'loss_masks',
  'truncated',
  'sample_indices',
  'rollout_ids',
  'rollout_log_probs',
  'log_probs',
  'ref_log_probs',
  'kl',
  'entropy',
  'advantages',
]

/** Columns of a rank that its samples have under another name. */
const RENAMED = new Map([
  ['sample_indices', 'sample_index'],
  ['partition', 'rollout_position'],
])

/** What a rank writes of one file for all ranks (`format_version` 2): samples in the order of the rollout. */
export function readTrainDump(record: OneRecord, samples: readonly JsonValue[]): Trajectory[] {
  const dump = new Fields(record.object)
  const step = dump.integer('rollout_id')
  for (const key of ['format_version', 'rank', 'samples', 'dp_shards']) dump.take(key)
  const rewards = numbersOf(dump.take('raw_reward'))
  record.drift(dump.rest().unknown)
  return readSamples(record, samples, (sample, blank) => {
    const at = sample.rollout_position
    const reward = typeof at === 'number' ? (rewards?.[at] ?? null) : null
    return readTrainSample(record, sample, { ...blank, step, reward }, { dump, share: 'whole' })
  })
}

/** The columns of the samples of one rank, null where a record has none. Before 2025-07-23 they were the dump itself. */
export function rankDataOf(record: JsonObject): JsonObject | null {
  const data = isObject(record.rollout_data) ? record.rollout_data : record
  const columns = [data.tokens, data.response_lengths, data.loss_masks]
  return columns.every(isList) && Array.isArray(data.tokens) && data.tokens.every(isList) ? data : null
}

/** What each rank writes for itself: a list over its samples for every field (slime before 2026-08-12, miles). */
export function readRankDump(record: OneRecord): Trajectory[] {
  const dump = new Fields(record.object)
  const data = rankDataOf(record.object)
  if (data === null) throw new BadRecord('no-samples', 'rollout_data has no lists of tokens')
  const step = dump.integer('rollout_id')
  const share = shareOfRank(dump)
  if (data !== record.object) {
    for (const key of ['rollout_data', 'rank']) dump.take(key)
    record.drift(dump.rest().unknown)
  }
  const count = lengthOf(data.response_lengths) ?? 0
  const columns = columnsOf(record, data, count, dump)
  const rewards = numbersOf(data.raw_reward)
  // They are those of the whole step: known where the rank has all of them, in the order of the step unless its samples were dealt out.
  const dealt = ['micro_batch_indices', 'partition'].some((key) => Object.hasOwn(data, key))
  return readSamples(
    record,
    Array.from({ length: count }, (_, i) => rowOf(columns, i)),
    (sample, blank) => {
      const reward = dealt || rewards?.length !== count ? null : (rewards[blank.place.part] ?? null)
      return readTrainSample(record, sample, { ...blank, step, reward }, { dump, share })
    },
  )
}

/** Miles says it since 2026-08-17; in the layout `bshd` chunks are as long as the longest row of the batch, which is not in the dump. */
function shareOfRank(dump: Fields): ContextShare | null {
  const rank = dump.integer('cp_rank')
  const size = dump.integer('cp_size')
  const layout = dump.text('qkv_format')
  return rank === null || size === null || size < 2 || rank < 0 || rank >= size || layout !== 'thd'
    ? null
    : { rank, size }
}

/** The fields of the samples. A field that is no list over them is none of theirs, and an issue where it should be. */
function columnsOf(record: OneRecord, data: JsonObject, count: number, dump: Fields): [string, ArrayLike<JsonValue>][] {
  const columns: [string, ArrayLike<JsonValue>][] = []
  for (const [key, value] of Object.entries(data)) {
    if (LAYOUT.includes(key) || value === null) continue
    const length = lengthOf(value)
    if (length === count) columns.push([RENAMED.get(key) ?? key, value as ArrayLike<JsonValue>])
    else if (!COLUMNS.includes(key)) record.drift([key])
    else {
      const has = length === null ? 'is no list' : `has ${length} ${length === 1 ? 'entry' : 'entries'}`
      dump.issue('length-mismatch', key, `${key} ${has}, not one for each sample; it is left out`)
    }
  }
  return columns
}

function rowOf(columns: readonly [string, ArrayLike<JsonValue>][], index: number): JsonObject {
  return Object.fromEntries(columns.map(([key, column]) => [key, column[index] as JsonValue]))
}

function lengthOf(value: JsonValue | undefined): number | null {
  return isList(value) ? value.length : null
}

function readTrainSample(
  record: OneRecord,
  sample: JsonObject,
  blank: Trajectory,
  { dump, share }: { readonly dump: Fields; readonly share: ContextShare | null | 'whole' },
): Trajectory {
  const fields = new Fields(sample, [...dump.issues])
  const tokens = new SampleTokens(fields, 'response_lengths', 'loss_masks')
  const total = fields.integer('total_lengths')
  if (total !== null && total !== tokens.ids.length) {
    fields.issue(
      'length-mismatch',
      'total_lengths',
      `total_lengths is ${total}, but there are ${tokens.ids.length} tokens`,
    )
  }
  const read = tokens.mask('loss_masks')
  const floats = (key: string) => (share === 'whole' ? tokens.floats(key) : tokens.shareOf(key, share))
  const trainer = floats('log_probs')
  const reference = floats('ref_log_probs')
  const raw = fields.number('local_raw_reward')
  fields.take('rollout_position')
  const trajectory: Trajectory = {
    ...blank,
    id: fields.text('sample_index') ?? blank.id,
    rolloutId: fields.text('rollout_ids'),
    ...tokens.streams,
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    versions: tokens.versions(sample.weight_versions ?? null, read?.mask ?? null),
    logprobs: { sampler: floats('rollout_log_probs'), trainer, reference },
    entropy: floats('entropy'),
    kl: computedKl(floats('kl'), trainer, reference),
    advantages: floats('advantages'),
    reward: raw ?? blank.reward,
    isTruncated: fields.boolean('truncated'),
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta: { ...meta, ...tokens.grids } }
}

/**
 * The KL as it was computed. Without a KL coefficient the trainer writes zeros (slime/backends/megatron_utils/loss.py,
 * compute_advantages_and_returns): those are none, unless two policies that agree on every token say the same.
 */
function computedKl(
  kl: Float32Array | null,
  trainer: Float32Array | null,
  reference: Float32Array | null,
): Float32Array | null {
  if (kl === null || kl.some((value) => value !== 0 && !Number.isNaN(value))) return kl
  const agree = trainer !== null && reference !== null && trainer.every((value, i) => Object.is(value, reference[i]))
  return agree ? kl : null
}
