import type { JsonObject } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readConversation } from './verifiers-messages.ts'
import { readSteps, sequencesOf } from './verifiers-steps.ts'

/** Known fields that no stream holds. Metrics may carry no weight in the reward: they are no reward components. */
const KEPT = [
  'timing',
  'metrics',
  'info',
  'is_completed',
  'error',
  'error_chain',
  'long_error_chain',
  'token_usage',
  'task',
]

/** Results of `vf-eval -s`, and the state's steps with their tokens where the `trajectory` column was saved. */
export const verifiersLegacy: Format = {
  id: 'verifiers-legacy',
  title: 'verifiers results.jsonl, 0.1.8 and later',
  writer: { project: 'PrimeIntellect-ai/verifiers', file: 'verifiers/legacy/utils/save_utils.py', version: 'a60a606e' },
  streams: [
    'ids',
    'mask',
    'sampled',
    'messages',
    'tools',
    'answer',
    'logprobs.sampler',
    'advantages',
    'rewards',
    'group',
    'finish_reason',
  ],
  numericKeys: [
    'prompt_ids',
    'prompt_mask',
    'completion_ids',
    'completion_mask',
    'completion_logprobs',
    'routed_experts',
  ],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 'nan',
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, lookAtResults),
  read: (records, context) => readEach(records, context, readResult),
}

/** What a record shows of a result. */
export function lookAtResults(record: JsonObject): Evidence | null {
  if (!hasAll(record, ['example_id', 'prompt', 'completion', 'reward'])) return null
  const own = ['timing', 'is_completed', 'is_truncated', 'stop_condition', 'metrics', 'trajectory'].filter((key) =>
    Object.hasOwn(record, key),
  )
  if (own.length < 2) return null
  return { confidence: 0.95, seen: `keys example_id, prompt, completion, reward, ${own.join(', ')}` }
}

/** The environment of a group of them by its name, `default` where there is one alone. */
export function taskOf({ task }: JsonObject): string | null {
  return typeof task === 'string' ? task : null
}

/** The sequences of one result, a single one without tokens where its steps were not saved. */
export function readResult(record: OneRecord): Trajectory[] {
  const fields = new Fields(record.object)
  const metrics = record.object.metrics
  const whole = readConversation(fields)
  const steps = readSteps(fields)
  const blank = record.blank(0)
  const shared = {
    group: fields.text('example_id'),
    reward: fields.score('reward'),
    advantage: fields.number('advantage'),
    tools: fields.list('tool_defs'),
    answer: fields.text('answer'),
    environment: taskOf(record.object),
    id: fields.text('trajectory_id') ?? blank.id,
  }
  const end = { finishReason: fields.text('stop_condition'), isTruncated: fields.boolean('is_truncated') }
  const { meta, unknown } = fields.rest(KEPT)
  // Each metric stands a second time at the top level.
  const repeated = (key: string) => isObject(metrics) && Object.hasOwn(metrics, key)
  record.drift(unknown.filter((key) => !repeated(key)))
  const kept = Object.fromEntries(Object.entries(meta).filter(([key]) => !repeated(key)))
  const sequences = steps === null ? [] : sequencesOf(steps)
  if (sequences.length === 0)
    return [{ ...blank, ...shared, ...end, messages: whole, issues: fields.issues, meta: kept }]
  return sequences.map((sequence, part): Trajectory => {
    const { messages, streams, advantage, advantages, trajectoryId, isTruncated, endsRollout, issues } = sequence
    const own: readonly Message[] | null = sequences.length === 1 ? whole : messages
    return {
      ...record.blank(part),
      ...shared,
      // How the rollout ended is how its last step did. A sequence that was left before went on elsewhere.
      ...(endsRollout ? end : { isTruncated }),
      ...streams,
      id: part === 0 ? shared.id : `${shared.id}.${part}`,
      rolloutId: trajectoryId ?? shared.id,
      branch: sequences.length === 1 ? null : String(part),
      messages: own,
      advantage: advantage ?? (advantages === null ? shared.advantage : null),
      advantages,
      issues: [...fields.issues, ...issues],
      meta: kept,
    }
  })
}
