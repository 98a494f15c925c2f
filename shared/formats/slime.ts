import type { JsonObject, JsonValue } from '../containers/container.ts'
import { isObject } from './fields.ts'
import type { Format } from './format.ts'
import { readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { conversationKeys, isConversation, readConversation } from './slime-conversations.ts'
import { readRolloutDump } from './slime-rollout.ts'
import { rankDataOf, readRankDump, readTrainDump } from './slime-train.ts'

/**
 * What slime and its fork miles save for debugging: the samples of a rollout as they were generated, and the data of a training step as
 * the loss saw it, in one file (version 2) or one for each rank.
 */
export const slime: Format = {
  id: 'slime',
  title: 'slime and miles rollout and train dumps',
  writer: {
    project: 'THUDM/slime',
    file: 'slime/observability/rollout_data_utils.py, train_data_utils.py; slime/utils/types.py (Sample)',
    version: '624b824a',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'messages',
    'tools',
    'answer',
    'logprobs.sampler',
    'logprobs.trainer',
    'logprobs.reference',
    'entropy',
    'kl',
    'advantages',
    'rewards',
    'group',
    'finish_reason',
    'versions',
    'step',
  ],
  // Of dumps written as JSON; in a pickle every list of numbers is typed.
  numericKeys: [
    'tokens',
    'loss_mask',
    'loss_masks',
    'rollout_log_probs',
    'teacher_log_probs',
    'log_probs',
    'ref_log_probs',
    'opd_reverse_kl',
  ],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  // A mask of None is filled by the reader: the trainer makes ones of it (slime/ray/rollout.py, _convert_samples_to_train_data).
  maskImplied: false,
  groupsByOrder: true,
  joins: [
    {
      kind: 'rollouts',
      on: 'sample index',
      adds: ({ version }) => version === COLUMNS || (version?.startsWith('train') ?? false),
      key: ({ id }) => id,
    },
    {
      kind: 'records',
      on: 'sample, group, prompt and status',
      adds: ({ version }) => version === CONVERSATIONS,
      keys: conversationKeys,
    },
  ],
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) =>
    readEach(records, context, (record) => {
      const { object } = record
      const joined = context.joined ?? null
      const samples = Array.isArray(object.samples) ? object.samples : null
      if (samples !== null) {
        return samples.some(isTrainSample) ? readTrainDump(record, samples) : readRolloutDump(record, samples, joined)
      }
      if (isConversation(object)) return [readConversation(record)]
      return rankDataOf(object) === null ? readRolloutDump(record, [object], joined) : readRankDump(record)
    }),
}

/** Versions of what miles writes beside its rollout dumps. */
const COLUMNS = 'columns (miles)'
const CONVERSATIONS = 'conversations (miles)'

function look(record: JsonObject): Evidence | null {
  const samples = Array.isArray(record.samples) ? record.samples.filter(isObject) : []
  if (samples.some(isTrainSample)) {
    const version = record.format_version === undefined ? '' : `format_version ${String(record.format_version)}, `
    return {
      confidence: 0.98,
      seen: `${version}samples with tokens, response_lengths, loss_masks (a train dump)`,
      version: 'train 2',
    }
  }
  if (samples.some(isRolloutSample)) {
    const fork = isMiles(record, samples)
    return {
      confidence: 0.98,
      seen: `samples with tokens, response_length, loss_mask, status${fork ? ', and fields of miles' : ''} (a rollout dump)`,
      version: fork ? 'rollout (miles)' : 'rollout',
    }
  }
  if (rankDataOf(record) !== null) {
    const fork = Object.hasOwn(record, 'qkv_format')
    return {
      confidence: 0.97,
      seen: `rollout_data with tokens, response_lengths, loss_masks (the train dump of ${fork ? 'a miles rank' : 'one rank'})`,
      version: fork ? 'train by rank (miles)' : 'train by rank',
    }
  }
  if (isRolloutSample(record) || isColumnsRow(record)) {
    const keys = ['tokens', 'response_length', 'loss_mask', 'rollout_log_probs', 'status', 'reward']
    const seen = `keys ${keys.filter((key) => Object.hasOwn(record, key)).join(', ')} (samples one by one)`
    return { confidence: 0.92, seen, version: isColumnsRow(record) ? COLUMNS : 'samples' }
  }
  if (isConversation(record)) {
    const seen = 'keys sample_index, group_index, status, prompt, messages (conversations beside a rollout dump)'
    return { confidence: 0.9, seen, version: CONVERSATIONS }
  }
  return null
}

function isRolloutSample(value: JsonObject): boolean {
  return hasAll(value, ['tokens', 'response_length', 'loss_mask']) && hasAny(value, ['status', 'weight_versions'])
}

/** A row of the columns that miles writes beside its rollout dumps (miles/ray/rollout/debug_data.py, save_dashboard_columns). */
function isColumnsRow(record: JsonObject): boolean {
  return hasAll(record, ['sample_index', 'tokens', 'response_length', 'loss_mask', 'rollout_log_probs'])
}

function isTrainSample(value: JsonValue): boolean {
  return isObject(value) && hasAll(value, ['tokens', 'response_lengths', 'loss_masks'])
}

function isMiles(record: JsonObject, samples: readonly JsonObject[]): boolean {
  return isObject(record.metadata) || samples.some((sample) => hasAny(sample, ['routing_key', 'rollout_indexer_topk']))
}

function hasAny(record: JsonObject, keys: readonly string[]): boolean {
  return keys.some((key) => Object.hasOwn(record, key))
}
