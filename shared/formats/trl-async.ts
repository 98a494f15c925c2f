import type { JsonObject } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields } from './fields.ts'
import type { Format } from './format.ts'
import { messagesOf } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'
import { groupOfPrompt } from './text-rows.ts'

const OWN = ['input_ids', 'completion_mask', 'old_log_probs', 'model_version']
const COMPONENT = 'rewards/'

/**
 * What TRL's AsyncGRPO puts into its queue (`RolloutSample`), which people dump as it is. Arrays are over the whole sequence; `old_log_probs` are
 * those of the engine, 0.0 on the prompt and on what tools replied. All rollouts of a group have the version of the weights that it was
 * begun with, though the engine may get others meanwhile. Older ones have no key of a group.
 */
export const trlAsync: Format = {
  id: 'trl-async',
  title: 'TRL AsyncGRPO samples',
  writer: {
    project: 'huggingface/trl',
    file: 'trl/experimental/async_grpo/async_rollout_worker.py (RolloutSample)',
    version: '00c802b7',
  },
  streams: [
    'ids',
    'mask',
    'messages',
    'logprobs.sampler',
    'advantages',
    'rewards',
    'reward_components',
    'group',
    'step',
  ],
  numericKeys: ['input_ids', 'completion_mask', 'old_log_probs'],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readSample(record)]),
}

function look(record: JsonObject): Evidence | null {
  return hasAll(record, OWN) ? { confidence: 0.97, seen: `keys ${OWN.join(', ')}` } : null
}

function readSample(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const { issues } = fields
  const ids = readIds('input_ids', fields.take('input_ids'), issues)
  if (ids.length === 0) throw new BadRecord('no-tokens', 'input_ids is empty')
  const arrays = new SequenceArrays(ids.length, issues)
  const read = arrays.mask('completion_mask', fields.take('completion_mask'))
  const sampler = arrays.floats('old_log_probs', fields.take('old_log_probs'))
  const prompt = fields.peek('prompt')
  const messages = [...spoken(fields, 'prompt'), ...spoken(fields, 'completion')]
  const version = fields.integer('model_version')
  const group = fields.text('group_id')
  const metrics = fields.objectAt('metrics') ?? {}
  const reward = new Fields(metrics, issues).score('reward')
  const advantage = fields.number('advantage')
  const { meta, unknown } = fields.rest()
  record.drift(unknown)
  const { rewards, others } = parted(metrics)
  return {
    ...record.blank(0),
    ids,
    mask: read?.mask ?? null,
    weights: read?.weights ?? null,
    logprobs: { sampler, trainer: null, reference: null },
    messages: messages.length === 0 ? null : messages,
    group: group ?? (prompt === null ? null : groupOfPrompt(version, JSON.stringify(prompt))),
    step: version,
    advantage,
    reward,
    rewards,
    padding: { left: 0, right: 0 },
    arrays: arrays.arrays,
    issues,
    meta: { ...meta, ...others },
  }
}

function spoken(fields: Fields, name: string): readonly Message[] {
  const messages = messagesOf(fields.peek(name))
  if (messages === null && fields.has(name)) fields.issue('bad-type', name, `${name} is no list of messages`)
  fields.take(name)
  return messages ?? []
}

/** Of the metrics of a sample beside the reward, what each function gave, of which one may be silent (NaN), and all others. */
function parted(metrics: JsonObject): { readonly rewards: Record<string, number> | null; readonly others: JsonObject } {
  const of = Object.entries(metrics)
  const isComponent = (name: string) => name.startsWith(COMPONENT)
  const rewards = of
    .filter((entry): entry is [string, number] => isComponent(entry[0]) && typeof entry[1] === 'number')
    .filter(([, reward]) => !Number.isNaN(reward))
    .map(([name, reward]) => [name.slice(COMPONENT.length), reward] as const)
  return {
    rewards: rewards.length === 0 ? null : Object.fromEntries(rewards),
    others: Object.fromEntries(of.filter(([name]) => name !== 'reward' && !isComponent(name))),
  }
}
