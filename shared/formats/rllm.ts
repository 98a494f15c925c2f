import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { messagesOf } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { TEXT_ONLY } from './text-rows.ts'

const KEPT = ['epoch', 'session_id', 'task', 'is_correct', 'metrics', 'metadata', 'timing']

/** Episodes that rLLM's trainers log, one JSON file each: conversations by step, without ids. */
export const rllm: Format = {
  id: 'rllm',
  title: 'rLLM episode logs',
  writer: { project: 'rllm-org/rllm', file: 'rllm/utils/episode_logger.py', version: '9beb6e0f' },
  streams: ['messages', 'rewards', 'group', 'finish_reason', 'step'],
  ...TEXT_ONLY,
  groupsSpanFiles: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readEpisode),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, ['training_step', 'episode_id', 'trajectories']) || !Array.isArray(record.trajectories))
    return null
  return { confidence: 0.97, seen: 'keys training_step, episode_id, trajectories' }
}

function readEpisode(record: OneRecord): Trajectory[] {
  const episode = new Fields(record.object)
  const list = episode.list('trajectories') ?? []
  const id = episode.text('episode_id') ?? record.blank(0).id
  const task = episode.text('task_hash')
  const shared = {
    step: episode.integer('training_step'),
    rolloutId: id,
    finishReason: episode.text('termination_reason'),
  }
  const { meta, unknown } = episode.rest(KEPT)
  record.drift(unknown)
  const found: Trajectory[] = []
  for (const [index, value] of list.entries()) {
    if (!isObject(value)) {
      episode.issue('bad-type', `trajectories[${index}]`, `trajectories[${index}] is no object`)
      continue
    }
    const fields = new Fields(value, found.length === 0 ? episode.issues : [])
    const name = fields.text('name')
    const reward = fields.score('reward')
    const conversations = conversationsOf(fields.list('steps') ?? [])
    const own = fields.rest().meta
    for (const messages of conversations) {
      found.push({
        ...record.blank(found.length),
        ...shared,
        id: found.length === 0 ? id : `${id}.${found.length}`,
        group: task === null || list.length === 1 ? task : `${task}:${name ?? index}`,
        reward,
        messages,
        issues: fields.issues,
        meta: { ...meta, ...own },
      })
    }
  }
  if (found.length === 0) throw new BadRecord('no-tokens', 'none of its trajectories has a step with messages')
  return found.length === 1 ? found : found.map((each, branch) => ({ ...each, branch: String(branch) }))
}

/** A step holds the whole conversation so far; one that does not go on from the step before it begins another sequence. */
function conversationsOf(steps: readonly JsonValue[]): Message[][] {
  const found: Message[][] = []
  for (const step of steps) {
    const messages = isObject(step) ? messagesOf(step.chat_completions ?? null) : null
    if (messages === null || messages.length === 0) continue
    const before = found.at(-1)
    const goesOn = before?.every((message, i) => JSON.stringify(message) === JSON.stringify(messages[i]))
    if (goesOn) found[found.length - 1] = messages
    else found.push(messages)
  }
  return found
}
