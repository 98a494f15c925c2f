import type { JsonObject, JsonValue } from '../containers/container.ts'
import { parseJson } from '../containers/json.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject } from './fields.ts'
import type { Format, Recognition, Sample } from './format.ts'
import { messageOf, messagesOf } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { TEXT_ONLY } from './text-rows.ts'

/** Trajectory groups of ART: a line a group, later Parquet with a row a trajectory. Messages, without ids. */
export const art: Format = {
  id: 'art',
  title: 'ART trajectories',
  writer: { project: 'OpenPipe/ART', file: 'src/art/utils/trajectory_logging.py', version: '319f6d7b' },
  streams: ['messages', 'tools', 'rewards', 'group', 'finish_reason'],
  ...TEXT_ONLY,
  recognise,
  read: (records, context) => readEach(records, context, readRecord),
}

function recognise(sample: Sample): Recognition | null {
  const version = sample.metadata?.['art.trajectory_parquet.version']
  return recogniseBy(sample, (record) => look(record, typeof version === 'string' ? version : null))
}

function look(record: JsonObject, version: string | null): Evidence | null {
  const { trajectories } = record
  if (Array.isArray(trajectories)) {
    const own =
      trajectories.length > 0 &&
      trajectories.every((each) => isObject(each) && Array.isArray(each.messages_and_choices))
    return own ? { confidence: 0.97, seen: 'trajectories with messages_and_choices', version: 'jsonl' } : null
  }
  if (typeof record.trajectory_json === 'string' && hasAll(record, ['group_index'])) {
    return { confidence: 0.98, seen: 'columns group_index, trajectory_json', version: version ?? '2' }
  }
  if (!hasAll(record, ['group_index', 'messages', 'reward'])) return null
  const trainable =
    Array.isArray(record.messages) && record.messages.some((each) => isObject(each) && Object.hasOwn(each, 'trainable'))
  return trainable ? { confidence: 0.97, seen: 'columns group_index, messages with trainable', version: '1' } : null
}

function readRecord(record: OneRecord): Trajectory[] {
  const { object } = record
  if (!Array.isArray(object.trajectories)) return readRow(record)
  const fields = new Fields(object)
  const group = String(record.blank(0).place.record)
  const members = fields.list('trajectories') ?? []
  record.drift(fields.rest(['metadata', 'metrics', 'logs', 'exceptions']).unknown)
  if (members.length === 0) throw new BadRecord('no-tokens', 'the group has no trajectories')
  const found: Trajectory[] = []
  for (const [index, member] of members.entries()) {
    if (!isObject(member)) {
      fields.issue('bad-type', `trajectories[${index}]`, `trajectories[${index}] is no object`)
      continue
    }
    for (const each of trajectoryOf(member, found.length === 0 ? fields.issues : [])) {
      const blank = record.blank(found.length)
      found.push({
        ...blank,
        ...each,
        id: `${group}.${index}${each.branch === null ? '' : `.${each.branch}`}`,
        group,
        groupSize: members.length,
      })
    }
  }
  return found
}

function readRow(record: OneRecord): Trajectory[] {
  const fields = new Fields(record.object)
  const group = fields.text('group_index')
  const whole = fields.text('trajectory_json')
  const index = fields.text('trajectory_index')
  const own = whole === null ? null : jsonOf(whole)
  const described = isObject(own) ? own : rowAsTrajectory(record.object)
  const kept = [
    'group_json',
    'format_version',
    'group_metadata',
    'group_metrics',
    'group_logs',
    ...Object.keys(described),
  ]
  record.drift(fields.rest([...kept, 'messages', 'metrics', 'metadata', 'tools', 'logs', 'reward']).unknown)
  return trajectoryOf(described, fields.issues).map((each, part) => {
    const blank = record.blank(part)
    const id = index === null ? blank.id : `${group ?? ''}.${index}${part === 0 ? '' : `.${part}`}`
    return { ...blank, ...each, id, group }
  })
}

/** Columns of the first version: JSON in texts, and messages that say whether they are trained. */
function rowAsTrajectory(row: JsonObject): JsonObject {
  const parsed = (key: string) => (typeof row[key] === 'string' ? jsonOf(row[key]) : (row[key] ?? null))
  return {
    reward: row.reward ?? null,
    metrics: parsed('metrics'),
    metadata: parsed('metadata'),
    tools: parsed('tools'),
    messages_and_choices: row.messages ?? null,
  }
}

/** The conversation, and each further history as a branch of it. */
function trajectoryOf(value: JsonObject, issues: Trajectory['issues'][number][]) {
  const fields = new Fields(value, issues)
  const conversation = messagesAndChoices(fields.list('messages_and_choices') ?? [])
  const tools = fields.list('tools')
  const histories = (fields.list('additional_histories') ?? []).filter(isObject)
  const shared = {
    reward: fields.score('reward'),
    tools: tools === null || tools.length === 0 ? null : tools,
    issues,
    meta: fields.rest().meta,
  }
  const branches = histories.map((history, index) => ({
    ...messagesAndChoices(Array.isArray(history.messages_and_choices) ? history.messages_and_choices : []),
    branch: String(index + 1),
    tools: Array.isArray(history.tools) && history.tools.length > 0 ? history.tools : shared.tools,
  }))
  const branch = branches.length === 0 ? null : '0'
  return [{ ...shared, ...conversation, branch }, ...branches.map((each) => ({ ...shared, ...each, issues: [] }))]
}

/** Plain messages are context; a choice (`finish_reason`, `message`) is what the model answered. */
function messagesAndChoices(list: readonly JsonValue[]): { messages: Message[] | null; finishReason: string | null } {
  const messages: Message[] = []
  let finishReason: string | null = null
  for (const item of list) {
    if (!isObject(item)) continue
    const choice = isObject(item.message) ? item.message : null
    const message = choice === null ? (messagesOf([item])?.[0] ?? null) : messageOf(choice)
    if (message !== null) messages.push(message)
    if (choice !== null && typeof item.finish_reason === 'string') finishReason = item.finish_reason
  }
  return { messages: messages.length === 0 ? null : messages, finishReason }
}

function jsonOf(text: string): JsonValue {
  const bytes = new TextEncoder().encode(text)
  try {
    return parseJson(bytes, 0, bytes.length)
  } catch {
    return text
  }
}
