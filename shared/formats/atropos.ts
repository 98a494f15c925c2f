import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isList, isListOfLists, isObject, kindOf, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { messagesOf } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, recogniseBy } from './recognise.ts'
import { IGNORED_LABEL, readIds, SequenceArrays } from './sequence.ts'

/** ManagedServer writes this on tokens that it did not sample. No logprob is above 0. */
const UNSAMPLED = 1

/** Fields of a group that stay with every member as they are. */
const KEPT = ['generation_params', 'group_overrides', 'overrides', 'images', 'env_id']

/** Groups of scored rollouts, one group a line, with label-style masks. */
export const atropos: Format = {
  id: 'atropos',
  title: 'Atropos scored groups',
  writer: {
    project: 'NousResearch/atropos',
    file: 'atroposlib/envs/base.py (data_path_to_save_groups)',
    version: '296a0bc5',
  },
  streams: ['ids', 'mask', 'messages', 'logprobs.sampler', 'logprobs.reference', 'advantages', 'rewards', 'group'],
  numericKeys: [
    'tokens',
    'masks',
    'scores',
    'advantages',
    'ref_logprobs',
    'inference_logprobs',
    'distill_token_ids',
    'distill_logprobs',
    'token_scores',
    'token_weights',
  ],
  policy: {
    id: 'last-turn',
    evidence:
      'atroposlib/utils/tokenize_for_trainer.py trains the last turn unless train_on_all_assistant_turns is set',
  },
  maskAlignment: 'token',
  unsampledLogprob: 'nan',
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readGroup),
}

function look(record: JsonObject): Evidence | null {
  const { tokens, masks, scores } = record
  if (!isListOfLists(tokens) || !isListOfLists(masks) || !isList(scores)) return null
  const labels = masks.every((mask, i) => areLabels(numbersOf(mask), numbersOf(tokens[i] as JsonValue)))
  return {
    confidence: labels ? 0.98 : 0.85,
    seen: `keys tokens, masks, scores as lists over a group${labels ? `; masks hold ${IGNORED_LABEL} or the token id` : ''}`,
  }
}

function areLabels(mask: ArrayLike<number> | null, ids: ArrayLike<number> | null): boolean {
  if (mask === null || ids === null || mask.length !== ids.length) return false
  for (let i = 0; i < mask.length; i++) if (mask[i] !== IGNORED_LABEL && mask[i] !== ids[i]) return false
  return true
}

function readGroup(record: OneRecord): Trajectory[] {
  const group = new Fields(record.object)
  const tokens = group.take('tokens')
  if (!Array.isArray(tokens))
    throw new BadRecord('bad-type', `tokens is ${kindOf(tokens)}, a list of lists was expected`)
  const size = tokens.length
  const member = (key: string) => {
    const value = group.take(key)
    if (value === null) return () => null
    if (!isList(value)) {
      group.issue('bad-type', key, `${key} is ${kindOf(value)}, a list over the group was expected`)
      return () => null
    }
    if (value.length !== size)
      group.issue('length-mismatch', key, `${key} has ${value.length} entries for ${size} rollouts`)
    return (i: number): JsonValue => value[i] ?? null
  }
  const masks = member('masks')
  const scores = member('scores')
  const advantages = member('advantages')
  const reference = member('ref_logprobs')
  const sampler = member('inference_logprobs')
  const messages = member('messages')
  const distilled = ['distill_token_ids', 'distill_logprobs'].map((key) => [key, member(key)] as const)
  const { meta, unknown } = group.rest(KEPT)
  record.drift(unknown)
  return tokens.map((ids, part): Trajectory => {
    const own = new Fields({ advantage: advantages(part), score: scores(part) }, [...group.issues])
    const stored = readIds(`tokens[${part}]`, ids, own.issues)
    const arrays = new SequenceArrays(stored.length, own.issues)
    const perToken = isList(advantages(part))
    const talk = messages(part)
    const blank = record.blank(part)
    return {
      ...blank,
      id: `${blank.place.record}.${part}`,
      group: String(blank.place.record),
      groupSize: size,
      ids: stored,
      mask: arrays.labels('masks', masks(part), stored),
      logprobs: {
        sampler: withoutSentinel(arrays.floats('inference_logprobs', sampler(part))),
        trainer: null,
        reference: arrays.floats('ref_logprobs', reference(part)),
      },
      advantage: perToken ? null : own.number('advantage'),
      advantages: perToken ? arrays.floats('advantages', advantages(part)) : null,
      reward: own.score('score'),
      messages: talk === null ? null : messagesOf(talk),
      arrays: arrays.arrays.map((each) =>
        each.name === 'inference_logprobs' ? { ...each, unsampled: UNSAMPLED } : each,
      ),
      issues: own.issues,
      meta: {
        ...ofMember(meta, part, size),
        ...Object.fromEntries(distilled.map(([key, at]) => [key, at(part)]).filter(([, value]) => value !== null)),
      },
    }
  })
}

function withoutSentinel(logprobs: Float32Array | null): Float32Array | null {
  if (logprobs !== null)
    for (let i = 0; i < logprobs.length; i++) if (logprobs[i] === UNSAMPLED) logprobs[i] = Number.NaN
  return logprobs
}

/** Lists as long as the group hold one entry for each member; everything else belongs to all of them. */
function ofMember(meta: Record<string, unknown>, part: number, size: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta).map(([key, value]) => {
      const list = value as JsonValue
      return [key, isList(list) && !isObject(list) && list.length === size ? list[part] : value]
    }),
  )
}
