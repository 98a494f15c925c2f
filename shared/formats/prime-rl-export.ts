import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import {
  batchByTokens,
  byTokens,
  COMPONENTS,
  common,
  creditOf,
  earlierBranch,
  isFilled,
  ownFloats,
  trainedBy,
} from './prime-streams.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'

const VERSION = 1

/** Streams between trainer and sampler that no check reads; null from end to end where the loss has no ratio. */
const RATIOS = ['mismatch_kl', 'log_importance_ratio', 'importance_ratio', 'prob_delta']
/** Tokens that the trust region dropped, after the mask. */
const DROPPED = ['is_masked', 'is_masked_high', 'is_masked_low']
const KEPT = ['rank', 'micro_step', 'micro_sequence_idx', 'env_name', 'run_id', 'export_step', 'training_mode']

/** What the trainer saw of each sequence, after the forward pass: one line for each packed sequence that trains something. */
export const primeRlExport: Format = {
  id: 'prime-rl-export',
  title: 'prime-rl token exports',
  writer: {
    project: 'PrimeIntellect-ai/prime-rl',
    file: 'src/prime_rl/trainer/rl/token_export.py',
    version: '559b4477',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'sampled',
    'position_ids',
    'logprobs.sampler',
    'logprobs.trainer',
    'entropy',
    'advantages',
    'rewards',
    'step',
  ],
  numericKeys: [
    'token_ids',
    'position_ids',
    'loss_mask',
    'advantages',
    'rewards',
    'inference_logprobs',
    'trainer_logprobs',
    'entropy',
    ...RATIOS,
    ...DROPPED,
    ...Object.values(COMPONENTS),
  ],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  groupsByOrder: false,
  joins: [byTokens(true), batchByTokens(true)],
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  const own = ['export_sequence_idx', 'micro_step', 'inference_logprobs', 'trainer_logprobs']
  if (!hasAll(record, ['token_ids', 'loss_mask', ...own])) return null
  const version = record.schema_version
  return {
    confidence: 0.98,
    seen: `keys token_ids, loss_mask, ${own.join(', ')}`,
    ...(typeof version === 'number' ? { version: String(version) } : {}),
  }
}

function readRecord(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const version = fields.integer('schema_version')
  const ids = readIds('token_ids', fields.take('token_ids'), fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const stored = arrays.mask('loss_mask', fields.take('loss_mask'))
  const components = {
    rl: ownFloats(arrays, COMPONENTS.rl, fields.take(COMPONENTS.rl), Number.NaN),
    ce: ownFloats(arrays, COMPONENTS.ce, fields.take(COMPONENTS.ce), Number.NaN),
    refKl: ownFloats(arrays, COMPONENTS.refKl, fields.take(COMPONENTS.refKl), Number.NaN),
  }
  const trained = stored === null ? null : trainedBy(stored.mask, components)
  const sampler = arrays.floats('inference_logprobs', fields.take('inference_logprobs'))
  const step = fields.integer('step')
  const sequence = fields.integer('export_sequence_idx')
  const rank = record.object.rank
  const blank = record.blank(0)
  const extra = Object.fromEntries(
    [...RATIOS, ...DROPPED].map((name) => [name, fields.take(name)] as const).filter(([, value]) => !isAbsent(value)),
  )
  const weights = Object.fromEntries(
    Object.entries(COMPONENTS).flatMap(([key, name]) =>
      components[key as keyof typeof components] === null ? [] : [[name, record.object[name]] as const],
    ),
  )
  const trajectory: Trajectory = {
    ...blank,
    id: step === null || sequence === null ? blank.id : `${step}/${String(rank ?? 0)}/${sequence}`,
    step,
    ids,
    mayBeBranch: true,
    ...earlierBranch(ids, trained?.mask ?? null, sampler),
    mask: trained?.mask ?? null,
    weights: trained?.weights ?? null,
    positionIds: arrays.integers('position_ids', fields.take('position_ids')),
    logprobs: {
      sampler,
      trainer: withoutFirst(arrays.floats('trainer_logprobs', fields.take('trainer_logprobs'))),
      reference: null,
    },
    entropy: withoutFirst(arrays.floats('entropy', fields.take('entropy'))),
    ...creditOf(arrays.floats('advantages', fields.take('advantages')), stored?.mask ?? null, components),
    // Until 27 June 2026 the rollout's reward stands on each of its tokens.
    reward: common(numbersOf(fields.take('rewards'))),
    // The writer cuts right padding off.
    padding: { left: 0, right: 0 },
    arrays: arrays.arrays,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(version === null || version === VERSION ? unknown : [...unknown, `schema_version ${version}`])
  return { ...trajectory, meta: { ...meta, ...extra, ...weights } }
}

function isAbsent(value: JsonObject[string]): boolean {
  return value === null || numbersOf(value) === null || isFilled(value, Number.NaN)
}

/** The arrays were shifted right over the whole packed row: the first value is a filler, or of the sequence before. */
function withoutFirst(values: Float32Array | null): Float32Array | null {
  if (values !== null && values.length > 0) values[0] = Number.NaN
  return values
}
