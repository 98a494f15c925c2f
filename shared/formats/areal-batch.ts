import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { rowsOfBatch } from './batch-rows.ts'
import { BadRecord, Fields, isListOfLists, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { type Padding, paddingOf, withoutFiller } from './padded-row.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { NO_INTEGER, readIds, SequenceArrays } from './sequence.ts'

/** What every workflow returns, and `_dump_trajectory` asks for. */
const REQUIRED = ['input_ids', 'loss_mask', 'attention_mask']
/** Tensors with a number for each token. */
const PER_TOKEN = [
  'loss_mask',
  'attention_mask',
  'logprobs',
  'versions',
  'turn_ids',
  'mm_token_type_ids',
  'prox_logp',
  'ref_logp',
  'advantages',
  'returns',
  'values',
  'kl_rewards',
  'tot_rewards',
]
/** Fields of a row that no stream holds. */
const KEPT = ['values', 'returns', 'begin_of_trajectory']
/** Known, and nothing that a person could look at. */
const NOT_KEPT = ['turn_ids', 'mm_token_type_ids', 'multi_modal_input', 'routed_experts', 'kl_rewards', 'tot_rewards']

/**
 * Trajectories as AReaL's workflows return them and its trainer holds them: dicts of tensors, [1, S] for one rollout, [rollouts, S] for
 * several, padded on the right (`concat_padded_tensors`). No switch writes them; people dump the dict. `versions` say by which weights a token
 * was sampled, and -1 that none did: of the prompt, of what a tool or the environment said, and of earlier turns that a call has as context.
 *
 * `compute_advantages` moves `loss_mask` and `logprobs` by one, so that index i belongs to the prediction of token i + 1, and adds
 * `advantages` that are read so; `prox_logp` and `ref_logp`, which a forward pass gave, are so from the start.
 */
export const arealBatch: Format = {
  id: 'areal-batch',
  title: 'AReaL trajectories as tensors',
  writer: {
    project: 'areal-project/AReaL',
    file: 'areal/workflow/*.py, areal/experimental/openai/types.py, areal/utils/data.py, areal/trainer/ppo/actor.py',
    version: 'cbff54d6',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'sampled',
    'attention_mask',
    'logprobs.sampler',
    'logprobs.trainer',
    'logprobs.reference',
    'advantages',
    'rewards',
    'versions',
  ],
  numericKeys: ['input_ids', ...PER_TOKEN],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  // The rollouts of a task stand beside each other, whichever weights each was sampled with; no row names its task.
  groupsByOrder: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readRecord),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, REQUIRED)) return null
  const told = ['logprobs', 'versions', 'rewards', 'advantages'].filter((key) => Object.hasOwn(record, key))
  const seen = `keys ${[...REQUIRED, ...told].join(', ')}`
  if (REQUIRED.every((key) => isListOfLists(record[key]))) {
    return told.length < 2 ? null : { confidence: 0.95, seen: `${seen}, with a batch dimension` }
  }
  // One row without it: only the names that no other trainer puts beside these ids tell whose it is.
  const isRow = [...REQUIRED, 'logprobs', 'versions'].every((key) => numbersOf(record[key]) !== null)
  return isRow && told.length > 2 ? { confidence: 0.95, seen } : null
}

function readRecord(record: OneRecord): Trajectory[] {
  const rows = rowsOfBatch(record.object, 'input_ids', PER_TOKEN, { isWhole: true })
  return rows.map((row, part) => readRow(record, row, part))
}

function readRow(record: OneRecord, row: JsonObject, part: number): Trajectory {
  const fields = new Fields(row)
  for (const key of NOT_KEPT) fields.take(key)
  const stored = fields.take('input_ids')
  if (stored === null) throw new BadRecord('no-tokens', 'the trajectory has no input_ids')
  const ids = readIds('input_ids', stored, fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const attentionMask = arrays.integers('attention_mask', fields.take('attention_mask'))
  const isFiller = attentionMask !== null && ids.length > 0 && attentionMask.every((flag) => flag === 0)
  const padding = isFiller ? { left: 0, right: ids.length } : paddingOf(ids, attentionMask)
  const isMoved = fields.has('advantages')
  const read = arrays.mask('loss_mask', moved(fields.take('loss_mask'), isMoved, 'wrap'))
  const byPrediction = (key: string) =>
    withoutFiller(arrays.floats(key, moved(fields.take(key), true, 'none')), padding)
  const versions = sampledVersions(arrays.integers('versions', fields.take('versions')), padding)
  const isCopy = isMoved && sameNumbers(fields.peek('logprobs'), fields.peek('prox_logp'))
  if (isCopy) {
    fields.issue(
      'bad-value',
      'logprobs',
      'logprobs and prox_logp are the same numbers: the loss was given one for the other, and the row does not say whether the engine or the trainer gave them',
    )
  }
  const sampler = withoutFiller(arrays.floats('logprobs', moved(fields.take('logprobs'), isMoved, 'none')), padding)
  const trainer = byPrediction('prox_logp')
  const reference = byPrediction('ref_logp')
  // With the advantages the trainer has put zeros where there is no loss.
  for (let i = 0; isMoved && reference !== null && i < ids.length; i++)
    if (read?.mask[i] !== 1) reference[i] = Number.NaN
  const [given, original] = [fields.score('rewards'), fields.score('original_rewards')]
  const sampled = versions === null ? null : Uint8Array.from(versions, (version) => (version >= 0 ? 1 : 0))
  const trajectory: Trajectory = {
    ...record.blank(part),
    ids,
    promptLength: sampled === null || !sampled.includes(1) ? null : sampled.indexOf(1) - (padding?.left ?? 0),
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    excluded: isFiller,
    sampled,
    attentionMask,
    versions,
    logprobs: {
      sampler: isCopy || (versions === null && sampler?.every((value) => !(value < 0))) ? null : sampler,
      trainer: isCopy ? null : trainer,
      reference,
    },
    advantages: byPrediction('advantages'),
    // Where rewards are normalised within a group, that of the task stands beside them.
    reward: original ?? given,
    padding,
    arrays: arrays.arrays,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta: original === null ? meta : { ...meta, rewards: given } }
}

/**
 * What stands at the prediction of a token, at that token. `torch.roll` brings the first entry to the end, where it is found again (`wrap`);
 * a forward pass has nothing for the first token.
 */
function moved(value: JsonValue, isMoved: boolean, first: 'wrap' | 'none'): JsonValue {
  const numbers = isMoved ? numbersOf(value) : null
  if (numbers === null || numbers.length === 0) return value
  const at = new Float64Array(numbers.length)
  // A negative number times a mask of 0 is -0, which nobody means.
  for (let i = 1; i < at.length; i++) at[i] = (numbers[i - 1] as number) + 0
  at[0] = first === 'wrap' ? (numbers.at(-1) as number) : Number.NaN
  return at
}

/**
 * Null where no token has a version: the text came of no engine, but was encoded again (examples/scaffolding), and nothing tells who wrote what.
 * Padding is filled with 0, which is a version as well.
 */
function sampledVersions(versions: Int32Array | null, padding: Padding | null): Int32Array | null {
  if (versions === null) return null
  const own = Int32Array.from(versions)
  if (padding !== null) own.fill(NO_INTEGER, 0, padding.left).fill(NO_INTEGER, own.length - padding.right)
  return own.some((version) => version >= 0) ? own : null
}

function sameNumbers(one: JsonValue, other: JsonValue): boolean {
  const a = numbersOf(one)
  const b = numbersOf(other)
  return a !== null && b !== null && a.length === b.length && a.every((value, i) => Object.is(value, b[i]))
}
