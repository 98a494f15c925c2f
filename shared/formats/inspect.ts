import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject } from './fields.ts'
import type { Format, ReadContext, Recognition, Sample } from './format.ts'
import { messagesOf } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { TEXT_ONLY } from './text-rows.ts'

/** Texts that a score may be, as Inspect's own metrics take them (scorer/_metric.py, `value_to_float`). */
const GRADES: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0, yes: 1, true: 1, no: 0, false: 0 }
/** Limits that end a sample before it has said all. */
const CUTTING = ['context', 'token', 'message', 'time', 'working']
const KEPT = [
  'epoch',
  'input',
  'choices',
  'output',
  'metadata',
  'store',
  'events',
  'events_data',
  'message_pool',
  'attachments',
  'model_usage',
  'role_usage',
  'started_at',
  'completed_at',
  'total_time',
  'working_time',
  'turn_count',
  'uuid',
  'error',
  'error_retries',
  'limit',
  'files',
  'setup',
  'sandbox',
  'invalidation',
  'summary',
]
/** Of these no screen shows anything, and they repeat the conversation many times over. */
const LEFT = ['events', 'events_data', 'message_pool', 'attachments', 'store', 'output', 'input']

/** Logs of Inspect, the archive (`.eval`, a record a sample) and the JSON: conversations and scores, never token ids. */
export const inspect: Format = {
  id: 'inspect',
  title: 'Inspect evaluation logs',
  writer: { project: 'UKGovernmentBEIS/inspect_ai', file: 'src/inspect_ai/log/_log.py', version: '499e6152' },
  streams: ['messages', 'tools', 'answer', 'rewards', 'group', 'finish_reason'],
  ...TEXT_ONLY,
  recognise,
  read: (records, context) => readEach(records, context, (record) => readRecord(record, context)),
}

function recognise(sample: Sample): Recognition | null {
  const listed = isObject(sample.metadata?.eval)
  return recogniseBy(sample, (record) => look(record, listed))
}

function look(record: JsonObject, listed: boolean): Evidence | null {
  if (isSample(record)) {
    return {
      confidence: listed ? 0.98 : 0.9,
      seen: `samples with epoch, messages, scores${listed ? ' beside the header of an evaluation' : ''}`,
    }
  }
  if (!hasAll(record, ['version', 'status', 'eval']) || !isObject(record.eval)) return null
  const { version } = record
  return {
    confidence: 0.97,
    seen: 'keys version, status, eval',
    ...(typeof version === 'number' ? { version: String(version) } : {}),
  }
}

function isSample(record: JsonObject): boolean {
  return hasAll(record, ['id', 'epoch', 'target', 'messages', 'output']) && Array.isArray(record.messages)
}

function readRecord(record: OneRecord, context: ReadContext): Trajectory[] {
  const { object } = record
  if (isSample(object)) return [readSample(record, object, 0, context.metadata ?? null)]
  const { samples } = object
  if (!Array.isArray(samples))
    throw new BadRecord('no-tokens', 'the log has no samples: it was written without them, or its run failed before')
  return samples.filter(isObject).map((sample, part) => readSample(record, sample, part, object))
}

function readSample(record: OneRecord, object: JsonObject, part: number, log: JsonObject | null): Trajectory {
  const fields = new Fields(object)
  const blank = record.blank(part)
  const id = fields.text('id')
  const epoch = fields.text('epoch')
  const resolve = attachmentsOf(object)
  const output = isObject(object.output) ? object.output : {}
  const choices = Array.isArray(output.choices) ? output.choices : []
  const [choice] = choices
  const limit = isObject(object.limit) ? object.limit.type : null
  const scores = scoresOf(fields.objectAt('scores'))
  const values = Object.values(scores)
  const evaluation = isObject(log?.eval) ? log.eval : {}
  const config = isObject(evaluation.config) ? evaluation.config : {}
  const trajectory: Trajectory = {
    ...blank,
    id: id === null ? blank.id : `${id} (epoch ${epoch ?? '1'})`,
    group: id,
    groupSize: typeof config.epochs === 'number' ? config.epochs : null,
    model: typeof evaluation.model === 'string' ? evaluation.model : null,
    messages: messagesOf(resolve(fields.take('messages'))),
    tools: toolsOf(object, resolve),
    answer: targetOf(fields.take('target')),
    // Several scores are not told how they add up.
    reward: values.length === 1 ? (values[0] as number) : null,
    rewards: values.length > 1 ? scores : null,
    finishReason:
      typeof limit === 'string'
        ? limit
        : isObject(choice) && typeof choice.stop_reason === 'string'
          ? choice.stop_reason
          : null,
    isTruncated:
      typeof limit === 'string'
        ? CUTTING.includes(limit)
        : isObject(choice)
          ? choice.stop_reason === 'max_tokens' || choice.stop_reason === 'model_length'
          : null,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta: Object.fromEntries(Object.entries(meta).filter(([key]) => !LEFT.includes(key))) }
}

/** Scores that are numbers, or grades that Inspect takes for numbers. */
function scoresOf(scores: JsonObject | null): Record<string, number> {
  const found: [string, number][] = []
  for (const [name, score] of Object.entries(scores ?? {})) {
    const value = isObject(score) ? score.value : null
    const number =
      typeof value === 'boolean'
        ? Number(value)
        : typeof value === 'string'
          ? Object.hasOwn(GRADES, value)
            ? GRADES[value]
            : Number(value.trim() || Number.NaN)
          : value
    if (typeof number === 'number' && !Number.isNaN(number)) found.push([name, number])
  }
  return Object.fromEntries(found)
}

function targetOf(target: JsonValue): string | null {
  if (typeof target === 'string') return target
  return Array.isArray(target) && target.length === 1 && typeof target[0] === 'string' ? target[0] : null
}

/** The tools of the first call of the model. */
function toolsOf({ events }: JsonObject, resolve: (value: JsonValue) => JsonValue): JsonValue[] | null {
  if (!Array.isArray(events)) return null
  const call = events.find((event): event is JsonObject => isObject(event) && event.event === 'model')
  const tools = Array.isArray(call?.tools) ? (resolve(call.tools) as JsonValue[]) : []
  return tools.length === 0 ? null : tools
}

/** Puts long texts back where the log has `attachment://` and their hash. */
function attachmentsOf({ attachments }: JsonObject): (value: JsonValue) => JsonValue {
  const texts = isObject(attachments) ? attachments : {}
  const resolve = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      const hash = /^attachment:\/\/(\w+)$/.exec(value)?.[1]
      const text = hash !== undefined && Object.hasOwn(texts, hash) ? texts[hash] : null
      return typeof text === 'string' ? text : value
    }
    if (Array.isArray(value)) return value.map(resolve)
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]))
      : value
  }
  return resolve
}
