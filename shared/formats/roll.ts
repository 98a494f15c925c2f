import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isList, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { messagesOf } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { groupOfPrompt, TEXT_ONLY } from './text-rows.ts'

/**
 * What ROLL keeps with `rollout_dump_dir`: a file for each step with one record, whose columns have an entry for each rollout. Pipelines of
 * verifiable rewards have a text and a score (special tokens are decoded away), agentic ones what their environment manager tells of it.
 */
export const roll: Format = {
  id: 'roll',
  title: 'ROLL rollout dumps',
  writer: {
    project: 'alibaba/ROLL',
    file: 'roll/pipeline/rlvr/utils.py, roll/pipeline/agentic/utils.py, roll/pipeline/agentic/env_manager/agent_native_env_manager.py',
    version: '8eb27cc2',
  },
  streams: ['messages', 'tools', 'answer', 'rewards', 'group', 'finish_reason', 'limits', 'step'],
  ...TEXT_ONLY,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readStep),
}

function look(record: JsonObject): Evidence | null {
  const isAgentic = hasAll(record, AGENTIC)
  const needed = isAgentic ? AGENTIC : VERIFIABLE
  if (!needed.every((key) => isList(record[key]))) return null
  return { confidence: 0.96, seen: `columns ${needed.join(', ')}` }
}

const AGENTIC = ['trajectory_data', 'messages', 'global_step']
const VERIFIABLE = ['responses', 'scores', 'sampling_params', 'global_step']

function readStep(record: OneRecord): Trajectory[] {
  const columns = Object.entries(record.object).filter(([, column]) => isList(column)) as [
    string,
    ArrayLike<JsonValue>,
  ][]
  const isAgentic = Object.hasOwn(record.object, 'trajectory_data')
  const rows = Math.max(0, ...columns.map(([, { length }]) => length))
  if (rows === 0) throw new BadRecord('no-rows', 'none of its columns has an entry')
  const uneven = columns.filter(([, { length }]) => length !== rows)
  record.drift(Object.keys(record.object).filter((key) => !isList(record.object[key])))
  return Array.from({ length: rows }, (_, row) => {
    const fields = new Fields(Object.fromEntries(columns.map(([key, column]) => [key, column[row] ?? null])))
    for (const [key, { length }] of uneven) {
      if (row >= length)
        fields.issue('length-mismatch', key, `${key} has ${length} entries, other columns have ${rows}`)
    }
    const trajectory = (isAgentic ? readAgentic : readVerifiable)(record.blank(row), fields)
    const { meta, unknown } = fields.rest(KEPT)
    record.drift(unknown)
    return { ...trajectory, issues: fields.issues, meta: { ...trajectory.meta, ...meta } }
  })
}

/** Columns that no stream holds. */
const KEPT = ['id', 'source', 'difficulty', 'case_type', 'test_case_function', 'test_cases', 'tag', 'exp_name']

function readVerifiable(blank: Trajectory, fields: Fields): Trajectory {
  const step = fields.integer('global_step')
  const prompt = fields.text('prompt')
  const asked = fields.json('messages')
  const conversation = messagesOf(asked)
  const response = fields.text('responses')
  const run = fields.json('sampling_params')
  const sampling = isObject(run) && isObject(run.generation_config) ? new Fields(run.generation_config) : null
  const longest = sampling?.integer('max_new_tokens') ?? null
  return {
    ...blank,
    step,
    // Its generations of one prompt are as many rows, which nothing but the prompt holds together.
    group: groupOfPrompt(step, prompt ?? (asked === null ? null : JSON.stringify(asked))),
    // By which a reward worker is chosen.
    environment: fields.text('domain'),
    messages: withReply(conversation, prompt, response),
    answer: fields.text('ground_truth'),
    reward: fields.score('scores'),
    temperature: sampling?.number('temperature') ?? null,
    limits: longest === null ? null : { max_completion_length: longest },
  }
}

/** One generation, so one turn. Where the messages of a prompt are not kept its text is all there is of them. */
function withReply(
  conversation: readonly Message[] | null,
  prompt: string | null,
  response: string | null,
): Message[] | null {
  const asked: readonly Message[] =
    conversation ?? (prompt === null ? [] : [{ role: 'user', content: prompt, flattened: true }])
  const reply: readonly Message[] = response === null ? [] : [{ role: 'assistant', content: response }]
  return asked.length + reply.length === 0 ? null : [...asked, ...reply]
}

function readAgentic(blank: Trajectory, fields: Fields): Trajectory {
  const step = fields.integer('global_step')
  const told = fields.json('trajectory_data')
  const about = new Fields(isObject(told) ? told : {}, fields.issues)
  const part = (key: string) => new Fields(about.objectAt(key) ?? {}, fields.issues)
  const id = about.text('trajectory_id')
  const place = part('env_info')
  const ended = part('failure_info').text('stop_reason') ?? about.text('finish_reason')
  const tools = fields.json('tools')
  // The conversation, which stands in a column of its own as well.
  about.take('messages')
  const { rolloutId, group } = keysIn(id, about.text('timestamp'))
  const branches = about.integer('num_branches_or_steps') ?? 1
  const branch = about.integer('branch_or_step_idx')
  return {
    ...blank,
    id: id ?? blank.id,
    step,
    group: groupOf(place) ?? group,
    rolloutId: branches > 1 ? rolloutId : null,
    branch: branches > 1 && branch !== null ? String(branch) : null,
    environment: place.text('tag'),
    messages: conversationOf(fields.json('messages')),
    tools: Array.isArray(tools) && tools.length > 0 ? tools : null,
    reward: part('reward_info').score('episode_reward'),
    isTruncated: part('length_info').boolean('truncated'),
    finishReason: ended,
    meta: about.rest().meta,
  }
}

/** The key that the trainer makes its groups of (`traj_group_id`): environment, its group, episode and seed; null where one of them is missing. */
function groupOf(place: Fields): string | null {
  const key = ['tag', 'group_id', 'episode_id', 'seed'].map((name) => place.peek(name))
  return key.every((value) => typeof value === 'string' || typeof value === 'number') ? key.join('_') : null
}

/**
 * What the identity of a rollout behind a proxy is made of: `{traj_group_id}_{env_id}_{timestamp}`, and `_b{index}` where it has several sequences.
 *
 * @param timestamp as the record has it by itself; without it nothing is taken from the identity
 */
function keysIn(id: string | null, timestamp: string | null): { rolloutId: string | null; group: string | null } {
  const rolloutId = id?.replace(/_b\d+$/, '') ?? null
  if (rolloutId === null || timestamp === null || !rolloutId.endsWith(`_${timestamp}`))
    return { rolloutId, group: null }
  const named = rolloutId.slice(0, -timestamp.length - 1)
  return { rolloutId, group: /^(.+)_[^_]+$/s.exec(named)?.[1] ?? null }
}

/** A list of messages, or a list of such lists, of which managers so far keep one: that of the last call, without what it gave. */
function conversationOf(value: JsonValue): Message[] | null {
  const isNested = Array.isArray(value) && value.length === 1 && Array.isArray(value[0])
  const messages = messagesOf(isNested ? (value[0] as JsonValue) : value)
  return messages === null || messages.length === 0 ? null : messages
}
