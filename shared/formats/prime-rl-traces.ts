import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { Format, ReadContext } from './format.ts'
import { firstText } from './messages.ts'
import { isAnnotation, isDelta, isIndexRow } from './prime-annotations.ts'
import { byTokens } from './prime-streams.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, recogniseBy } from './recognise.ts'
import { lookAtResults, readResult, verifiersLegacy } from './verifiers-legacy.ts'
import { contextOf, lookAtTraces, numberOf, objectOf, readTraces, TRACE_STREAMS } from './verifiers-v1.ts'
import { NODE_NUMBERS, type TraceContext, versionsOf } from './verifiers-v1-trace.ts'

/** What the orchestrator writes into a trace's `info`; nobody else does. */
const STAMPS = ['kind', 'dispatch', 'arrival', 'ship', 'effective', 'policy_version', 'group_id', 'env_name']
/** What it adds to a result of verifiers before version 1. */
const RESULT_FIELDS = [
  'env_name',
  'sampling_args',
  'is_filtered',
  'filters',
  // From June 2026.
  'group_id',
  'rollout_id',
  'policy_version',
  'off_policy_steps',
  'eval_step',
]

/** Versions of files that hold no rollouts, but are about those of others. */
const ANNOTATIONS = 'Annotations'
const INDEX = 'Index'
const LIVE = 'Live'

/**
 * Rollouts as prime-rl's orchestrator keeps them, of all its eras: results of verifiers (`train_rollouts.jsonl`, from April 2026), traces
 * that stand alone (from June), episodes (from August), episodes in one stream (from September).
 */
export const primeRlTraces: Format = {
  id: 'prime-rl-traces',
  title: 'prime-rl rollouts: traces, episodes and results',
  writer: { project: 'PrimeIntellect-ai/prime-rl', file: 'src/prime_rl/monitors/file.py', version: '559b4477' },
  streams: TRACE_STREAMS,
  numericKeys: [...NODE_NUMBERS, ...verifiersLegacy.numericKeys],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 'nan',
  maskImplied: false,
  groupsByOrder: false,
  joins: [
    {
      kind: 'records',
      on: 'trace id',
      adds: ({ version }) => version === ANNOTATIONS,
      keys: traceIds,
    },
    {
      kind: 'rollouts',
      on: 'trace id',
      // Of the folders `all` and `effective` the latter holds what was trained once more, from 21 August 2026 with its credit.
      adds: (_, name) => /(^|[/\\])effective[/\\][^/\\]+$/.test(name),
      key: ({ rolloutId }) => rolloutId,
    },
    byTokens(false),
  ],
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => readRecord(record, context.joined ?? null)),
}

function look(record: JsonObject): Evidence | null {
  if (isIndexRow(record))
    return { confidence: 0.96, seen: 'rows with chunk, offset and what stands there', version: INDEX }
  if (isAnnotation(record)) return { confidence: 0.96, seen: 'keys trace_id, info, branches', version: ANNOTATIONS }
  if (isDelta(record)) return { confidence: 0.96, seen: 'what a trace in flight gained, line by line', version: LIVE }
  const result = resultStamps(record)
  if (result.length > 0 && lookAtResults(record) !== null) {
    return { confidence: 0.97, seen: `a result of verifiers with ${result.join(', ')}`, version: 'Result' }
  }
  const found = lookAtTraces(record)
  const stamped = found === null ? [] : traceStamps(record)
  if (found === null || stamped.length === 0) return null
  return { ...found, confidence: 0.97, seen: `${found.seen}, with ${stamped.join(', ')}` }
}

/** The traces that a record holds, or is a note on. */
function traceIds(record: JsonObject): readonly string[] {
  if (isIndexRow(record)) return []
  if (isAnnotation(record)) return [record.trace_id as string]
  const traces = Array.isArray(record.traces) ? record.traces.map(objectOf) : [record]
  return traces.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
}

function resultStamps(record: JsonObject): string[] {
  const own = RESULT_FIELDS.filter((key) => Object.hasOwn(record, key))
  // One of them alone may be a column that somebody asked verifiers to save.
  return own.length > 1 ? own : []
}

function traceStamps(record: JsonObject): string[] {
  const traces = Array.isArray(record.traces) ? record.traces.map(objectOf) : [record]
  const info = objectOf(traces[0]?.info)
  const stamps = STAMPS.filter((key) => Object.hasOwn(info, key)).map((key) => `info.${key}`)
  const run = objectOf(record.run)
  return [...(run.type === 'train' ? ['run.type train'] : []), ...(stamps.length > 1 ? stamps : [])]
}

/** @param joined annotations by the id of their trace */
function readRecord(record: OneRecord, joined: ReadContext['joined']): Trajectory[] {
  if (isIndexRow(record.object) || isAnnotation(record.object) || isDelta(record.object)) return []
  return Object.hasOwn(record.object, 'traces') || Object.hasOwn(record.object, 'nodes')
    ? readTraces(record, trainedContext, joined)
    : readStampedResult(record)
}

function readStampedResult(record: OneRecord): Trajectory[] {
  const { object } = record
  const own = Object.fromEntries(Object.entries(object).filter(([key]) => !RESULT_FIELDS.includes(key)))
  const stamped = Object.fromEntries(RESULT_FIELDS.filter((key) => key in object).map((key) => [key, object[key]]))
  const environment = firstText(object, ['env_name'])
  const rollout = firstText(object, ['rollout_id'])
  const version = numberOf(object.policy_version)
  return readResult({ ...record, object: own }).map((trajectory) => ({
    ...trajectory,
    id:
      rollout === null ? trajectory.id : trajectory.place.part === 0 ? rollout : `${rollout}.${trajectory.place.part}`,
    rolloutId: rollout ?? trajectory.rolloutId,
    group: firstText(object, ['group_id']) ?? exampleOf(trajectory.group, environment),
    step: trajectory.step ?? numberOf(object.eval_step),
    versions: versionsOf(trajectory.sampled, version === null ? null : { start: version, end: version }),
    temperature: trajectory.temperature ?? numberOf(objectOf(object.sampling_args).temperature),
    excluded: trajectory.excluded || object.is_filtered === true || numberOf(object.eval_step) !== null,
    meta: { ...trajectory.meta, ...stamped },
  }))
}

/** Examples are numbered in each environment. */
function exampleOf(example: string | null, environment: string | null): string | null {
  return example === null || environment === null ? example : `${environment}/${example}`
}

/**
 * What the orchestrator says of a trace: on its episode, or from July to August 2026 in its `info`.
 */
function trainedContext(trace: JsonObject, episode: JsonObject | null): TraceContext {
  const own = contextOf(trace, episode)
  const info = objectOf(trace.info)
  const run = objectOf(episode?.run ?? trace.run)
  const kind = firstText(info, ['kind']) ?? firstText(objectOf(run.work), ['type']) ?? firstText(run, ['type'])
  const version = numberOf(info.policy_version)
  // Traces that failed are not trained (`TrainEpisodes.effective`), nor is what evaluates the run.
  const failed =
    trace.ok === false || (trace.ok === undefined && Array.isArray(trace.errors) && trace.errors.length > 0)
  return {
    ...own,
    group: firstText(info, ['group_id']) ?? own.group,
    step: own.step ?? numberOf(objectOf(info.dispatch).step),
    policy: own.policy ?? (version === null ? null : { start: version, end: version }),
    excluded: own.excluded || failed || kind === 'eval' || info.effective === false,
    meta: { ...own.meta, ...(kind === null ? {} : { kind }) },
  }
}
