import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isList, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { messagesOf } from './messages.ts'
import { type ModelCall, mergeByPrefix, prefixBreak, streamsOfCalls } from './model-calls.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { NO_INTEGER, readIds } from './sequence.ts'

/** Episodes that `rllm eval` keeps, one JSON file each: every step with the ids of its call where the backend gave them. */
export const rllmEval: Format = {
  id: 'rllm-eval',
  title: 'rLLM evaluation episodes',
  writer: { project: 'rllm-org/rllm', file: 'rllm/eval/episode_store.py', version: '9beb6e0f' },
  streams: [
    'ids',
    'sampled',
    'messages',
    'logprobs.sampler',
    'advantages',
    'rewards',
    'group',
    'finish_reason',
    'versions',
  ],
  numericKeys: ['prompt_ids', 'response_ids', 'logprobs', 'advantage'],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 'nan',
  maskImplied: false,
  groupsByOrder: false,
  groupsSpanFiles: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readEpisode),
}

function look(record: JsonObject): Evidence | null {
  // The trainer's own log names its episodes otherwise.
  if (!hasAll(record, ['id', 'is_correct', 'trajectories']) || Object.hasOwn(record, 'training_step')) return null
  const { trajectories } = record
  if (!Array.isArray(trajectories) || !trajectories.every((each) => isObject(each) && Array.isArray(each.steps)))
    return null
  const indexed = Object.hasOwn(record, 'eval_idx')
  return {
    confidence: indexed ? 0.97 : 0.85,
    seen: `keys id, is_correct, trajectories with steps${indexed ? ', eval_idx' : ''}`,
  }
}

interface Call extends ModelCall {
  readonly step: JsonObject
}

function readEpisode(record: OneRecord): Trajectory[] {
  const episode = new Fields(record.object)
  const list = episode.list('trajectories')
  if (list === null) throw new BadRecord('bad-type', 'trajectories is no list')
  const id = episode.text('id') ?? record.blank(0).id
  const task = episode.take('task')
  const ended = episode.text('termination_reason')
  const shared = {
    rolloutId: id,
    answer: answerOf(task),
  }
  const end = { finishReason: ended, isTruncated: ended === null ? null : /length|max_turns/i.test(ended) }
  const { meta, unknown } = episode.rest([
    'is_correct',
    'artifacts',
    'metrics',
    'metadata',
    'info',
    'eval_idx',
    'session_id',
  ])
  record.drift(unknown)
  const found: Trajectory[] = []
  for (const [index, value] of list.entries()) {
    if (!isObject(value)) {
      episode.issue('bad-type', `trajectories[${index}]`, `trajectories[${index}] is no object`)
      continue
    }
    const fields = new Fields(value, index === 0 ? episode.issues : [])
    const name = fields.text('name')
    const group = taskOf(task, id)
    // The episode ended where its last trajectory did: how the others ended is not said.
    const sequences = sequencesOf(fields, `trajectories[${index}]`, index === list.length - 1 ? end : {})
    fields.take('task')
    const own = {
      ...shared,
      group: group === null || list.length === 1 ? group : `${group}:${name ?? index}`,
      reward: fields.score('reward'),
      meta: { ...meta, ...fields.rest().meta },
    }
    for (const sequence of sequences) {
      const blank = record.blank(found.length)
      found.push({ ...blank, ...own, ...sequence, id: found.length === 0 ? id : `${id}.${found.length}` })
    }
  }
  if (found.length === 0) throw new BadRecord('no-tokens', 'none of its trajectories has a step with ids or messages')
  // Several sequences of one episode are branches of it.
  return found.length === 1 ? found : found.map((each, branch) => ({ ...each, branch: String(branch) }))
}

/** @param end how the trajectory ended, which is how its last call did */
function sequencesOf(trajectory: Fields, name: string, end: Partial<Trajectory>): Partial<Trajectory>[] {
  const { issues } = trajectory
  const steps = (trajectory.list('steps') ?? []).filter(isObject)
  const calls = steps.flatMap((step, i) => callOf(step, `${name}.steps[${i}]`, trajectory))
  if (calls.length === 0) {
    const told = steps.map((step) => messagesOf(step.chat_completions ?? null)).filter((messages) => messages?.length)
    const messages = told.at(-1) ?? null
    return messages === null ? [] : [{ ...end, messages, issues }]
  }
  const sequences = mergeByPrefix(calls)
  return sequences.map((sequence, part) => {
    const own = part === 0 ? issues : []
    const broken = prefixBreak(sequences, part)
    if (broken !== null) own.push(broken)
    const { sampler, ...streams } = streamsOfCalls(sequence, own)
    const last = sequence.at(-1) as Call
    return {
      ...(last === calls.at(-1) ? end : {}),
      ...streams,
      versions: versionsOf(sequence),
      ...advantagesOf(sequence),
      logprobs: { sampler, trainer: null, reference: null },
      messages: messagesOf(last.step.chat_completions ?? null),
      padding: { left: 0, right: 0 },
      issues: own,
    }
  })
}

function callOf(step: JsonObject, name: string, { issues }: Fields): Call[] {
  const { prompt_ids: prompt, response_ids: response } = step
  if (!isList(prompt) || !isList(response) || prompt.length + response.length === 0) return []
  return [
    {
      step,
      name,
      prompt: readIds(`${name}.prompt_ids`, prompt, issues),
      generated: readIds(`${name}.response_ids`, response, issues),
      logprobs: { name: `${name}.logprobs`, value: step.logprobs ?? null },
    },
  ]
}

function versionsOf(calls: readonly Call[]): Int32Array | null {
  if (!calls.some(({ step }) => typeof step.weight_version === 'number')) return null
  const { prompt, generated } = calls.at(-1) as Call
  const versions = new Int32Array(prompt.length + generated.length).fill(NO_INTEGER)
  for (const { step, prompt: before, generated: own } of calls) {
    const version = step.weight_version
    if (typeof version === 'number') versions.fill(version, before.length, before.length + own.length)
  }
  return versions
}

/** One number for a step, or one for each of its tokens. */
function advantagesOf(calls: readonly Call[]): Pick<Trajectory, 'advantage' | 'advantages'> {
  const stored = calls.map(({ step }) => step.advantage ?? null)
  if (stored.every((value) => value === null)) return { advantage: null, advantages: null }
  const [first] = stored
  if (typeof first === 'number' && stored.every((value) => value === first))
    return { advantage: first, advantages: null }
  const { prompt, generated } = calls.at(-1) as Call
  const advantages = new Float32Array(prompt.length + generated.length).fill(Number.NaN)
  for (const [i, value] of stored.entries()) {
    const { prompt: before, generated: own } = calls[i] as Call
    if (typeof value === 'number') advantages.fill(value, before.length, before.length + own.length)
    else if (isList(value)) {
      for (let at = 0; at < Math.min(own.length, value.length); at++) advantages[before.length + at] = Number(value[at])
    }
  }
  return { advantage: null, advantages }
}

/** Rollouts of one task: its own id, or what stands before the rollout's number in the episode's. */
function taskOf(task: JsonValue, id: string): string | null {
  if (isObject(task) && (typeof task.id === 'string' || typeof task.id === 'number')) return String(task.id)
  const colon = id.lastIndexOf(':')
  return colon > 0 ? id.slice(0, colon) : null
}

function answerOf(task: JsonValue): string | null {
  if (!isObject(task)) return null
  const metadata = isObject(task.metadata) ? task.metadata : {}
  for (const value of [task.answer, task.ground_truth, metadata.answer, metadata.ground_truth]) {
    if (typeof value === 'string') return value
  }
  return null
}
