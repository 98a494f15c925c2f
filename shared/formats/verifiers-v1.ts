import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Stream } from '../model/streams.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject } from './fields.ts'
import type { Format, ReadContext } from './format.ts'
import { firstText } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { NODE_NUMBERS, readTrace, type TraceContext, taskData } from './verifiers-v1-trace.ts'

const EPISODE_FIELDS = ['ok', 'errors', 'num_input_tokens', 'num_output_tokens']

export const TRACE_STREAMS: readonly Stream[] = [
  'ids',
  'mask',
  'loss_weights',
  'sampled',
  'messages',
  'tools',
  'answer',
  'logprobs.sampler',
  'logprobs.trainer',
  'logprobs.reference',
  'entropy',
  'advantages',
  'rewards',
  'reward_components',
  'group',
  'finish_reason',
  'limits',
  'versions',
  'step',
]

/** Episodes and traces: each a graph of messages with their tokens, each branch of it a sequence. */
export const verifiersV1: Format = {
  id: 'verifiers-v1',
  title: 'verifiers v1 episodes and traces',
  writer: {
    project: 'PrimeIntellect-ai/verifiers',
    file: 'verifiers/v1/{episode,trace,graph}.py',
    version: 'a60a606e',
  },
  streams: TRACE_STREAMS,
  numericKeys: NODE_NUMBERS,
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 'nan',
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, lookAtTraces),
  read: (records, context) => readEach(records, context, (record) => readTraces(record, contextOf)),
}

/** What a record shows of an episode, or of a trace that stands alone. */
export function lookAtTraces(record: JsonObject): Evidence | null {
  if (hasAll(record, ['task', 'traces']) && Array.isArray(record.traces)) {
    if (!record.traces.every((trace) => isObject(trace) && isTrace(trace))) return null
    // A failed episode may have no trace, and says so.
    if (record.traces.length === 0 && !hasAll(record, ['env', 'ok'])) return null
    return { confidence: 0.95, seen: 'keys task, traces with nodes and rewards', version: 'Episode' }
  }
  if (!isTrace(record)) return null
  const { version } = record
  return {
    confidence: 0.95,
    seen: 'keys task, nodes with message, rewards, is_completed',
    version: typeof version === 'number' ? `Trace ${version}` : 'Trace',
  }
}

function isTrace(value: JsonObject): boolean {
  const { nodes } = value
  return (
    hasAll(value, ['task', 'rewards', 'is_completed']) &&
    Array.isArray(nodes) &&
    nodes.every((node) => isObject(node) && isObject(node.message))
  )
}

/** What the holder of a trace says of it: the episode (null for a trace alone). */
export type ContextOf = (trace: JsonObject, episode: JsonObject | null) => TraceContext

/** All branches of all traces of a record, with what is joined to them by the trace's id. */
export function readTraces(record: OneRecord, context: ContextOf, joined: ReadContext['joined'] = null): Trajectory[] {
  const { object } = record
  if (!Object.hasOwn(object, 'traces')) {
    if (!Array.isArray(object.nodes)) throw new BadRecord('bad-type', 'the record has neither traces nor nodes')
    return readTrace(record, object, 0, (trace) => context(trace, null), updatesOf(object, joined))
  }
  const fields = new Fields(object)
  const traces = fields.list('traces') ?? []
  for (const key of ['id', 'env', 'task', 'group', 'run', ...EPISODE_FIELDS]) fields.take(key)
  const trajectories: Trajectory[] = []
  for (const [index, trace] of traces.entries()) {
    if (!isObject(trace)) {
      fields.issue('bad-type', `traces[${index}]`, `traces[${index}] is no trace`)
      continue
    }
    const read = readTrace(record, trace, trajectories.length, (own) => context(own, object), updatesOf(trace, joined))
    for (const each of read) trajectories.push(each)
  }
  if (trajectories.length === 0) {
    const why = fields.issues.length > 0 ? fields.issues.map(({ message }) => message).join('; ') : failureOf(object)
    throw new BadRecord('no-traces', why)
  }
  const { meta, unknown } = fields.rest()
  record.drift(unknown)
  return trajectories.map((trajectory, part) => ({
    ...trajectory,
    issues: part === 0 ? [...fields.issues, ...trajectory.issues] : trajectory.issues,
    meta: { ...trajectory.meta, ...meta },
  }))
}

function updatesOf({ id }: JsonObject, joined: ReadContext['joined']): readonly JsonObject[] {
  return typeof id === 'string' ? (joined?.get(id) ?? []) : []
}

/** Episodes that failed before they made a trace are kept by their writer. */
function failureOf({ errors }: JsonObject): string {
  const last = Array.isArray(errors) ? objectOf(errors.at(-1)) : {}
  const said = [firstText(last, ['type']), firstText(last, ['message'])].filter((text) => text !== null).join(': ')
  return said === '' ? 'the episode has no traces' : `the episode has no traces, it failed with ${said}`
}

export function contextOf(trace: JsonObject, episode: JsonObject | null): TraceContext {
  const run = objectOf(episode?.run ?? trace.run)
  const work = objectOf(run.work)
  const policy = objectOf(work.policy)
  const agent = objectOf(trace.agent)
  return {
    group: groupOf(trace, episode),
    step: numberOf(work.step) ?? numberOf(run.step),
    policy:
      numberOf(policy.start) === null || numberOf(policy.end) === null
        ? null
        : { start: policy.start as number, end: policy.end as number },
    advantage: numberOf(objectOf(trace.info).advantage),
    excluded: agent.trainable === false,
    meta: {
      ...named('episode', episode?.id),
      ...named('env', episode?.env),
      ...(Object.keys(run).length === 0 ? {} : { run }),
      ...named('task', trace.task ?? episode?.task),
    },
  }
}

/** The group of the episode, else the task: its key, its hash, or its index in the data set. */
function groupOf(trace: JsonObject, episode: JsonObject | null): string | null {
  const group = firstText(objectOf(episode?.group), ['id']) ?? taskName(trace, episode)
  if (group === null || episode === null) return group
  const names = new Set((episode.traces as JsonValue[]).map((each) => objectOf(objectOf(each).agent).name ?? 'agent'))
  // A solver is compared with solvers, a judge with judges.
  return names.size > 1 ? `${group}/${String(objectOf(trace.agent).name ?? 'agent')}` : group
}

function taskName(trace: JsonObject, episode: JsonObject | null): string | null {
  const task = isObject(trace.task) ? trace.task : objectOf(episode?.task)
  const index = taskData(task)?.idx
  return firstText(task, ['key', 'hash']) ?? (typeof index === 'number' ? String(index) : null)
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}

export function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? value : null
}

function named(key: string, value: JsonValue | undefined): Record<string, JsonValue> {
  return value === undefined || value === null ? {} : { [key]: value }
}
