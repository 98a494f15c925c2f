import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isList, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { type ModelCall, mergeByPrefix, prefixBreak, streamsOfCalls } from './model-calls.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { conversationOf } from './responses.ts'
import { readIds } from './sequence.ts'

/** Rollouts as OpenAI Responses, with the token ids of each model call where the model server returned them. */
export const nemoGym: Format = {
  id: 'nemo-gym',
  title: 'NeMo-Gym rollouts (Responses API)',
  writer: { project: 'NVIDIA-NeMo/Gym', file: 'nemo_gym/rollout_collection.py', version: '07d6b0d0' },
  streams: [
    'ids',
    'sampled',
    'messages',
    'tools',
    'answer',
    'logprobs.sampler',
    'rewards',
    'group',
    'finish_reason',
    'limits',
  ],
  numericKeys: ['prompt_token_ids', 'generation_token_ids', 'generation_log_probs', 'routed_experts'],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 'nan',
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readRecord),
}

function look(record: JsonObject): Evidence | null {
  if (hasAll(record, ['responses_create_params', 'response']) && isResponse(record.response)) {
    return { confidence: 0.97, seen: 'keys responses_create_params, response with output' }
  }
  if (record.object === 'response' && isResponse(record)) return { confidence: 0.9, seen: 'a Responses object' }
  if (wrappedResponse(record) !== null) return { confidence: 0.8, seen: 'a Responses object under input' }
  return null
}

function isResponse(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && Array.isArray(value.output)
}

function wrappedResponse(record: JsonObject): JsonObject | null {
  const { input } = record
  return isObject(input) && input.object === 'response' && isResponse(input) ? input : null
}

interface Call extends ModelCall {
  /** Index of the output item that carries the tokens. */
  readonly item: number
}

function readRecord(record: OneRecord): Trajectory[] {
  const row = new Fields(record.object)
  const bare = record.object.object === 'response' && isResponse(record.object)
  const wrapped = bare ? null : wrappedResponse(record.object)
  if (wrapped !== null) row.take('input')
  const response = bare ? record.object : (wrapped ?? row.objectAt('response'))
  if (!isResponse(response)) throw new BadRecord('bad-type', 'response.output is no list of items')
  const output = response.output as JsonValue[]
  const request = row.objectAt('responses_create_params') ?? {}
  const calls = readCalls(output, row)
  const withTokens = new Set(calls.map(({ item }) => output[item]))
  const asked = promptMessages(request)
  const { messages, lengths } = conversationOf(output, (item) => withTokens.has(item))

  const asker = new Fields(request, row.issues)
  const answered = new Fields(response, row.issues)
  const tools = asker.list('tools') ?? answered.list('tools')
  const incomplete = answered.objectAt('incomplete_details')
  const status = answered.text('status')
  const task = row.text('_ng_task_index')
  const rollout = row.text('_ng_rollout_index')
  const blank = record.blank(0)
  const id = answered.text('id') ?? blank.id
  const limit = asker.number('max_output_tokens') ?? answered.number('max_output_tokens')
  const shared = {
    group: task,
    rolloutId: rollout === null ? id : `${task ?? ''}:${rollout}`,
    model: answered.text('model') || null,
    temperature: asker.number('temperature') ?? answered.number('temperature'),
    reward: row.score('reward'),
    excluded: row.boolean('mask_sample') === true,
    answer: bare ? null : expectedAnswer(row),
    tools: tools === null || tools.length === 0 ? null : tools,
    // The limit is one call's. It is the rollout's where there was one call.
    limits: limit !== null && calls.length === 1 ? { max_completion_length: limit } : null,
    // Whatever else an environment returns stands in the row by design: kept, and no drift.
    meta: bare ? {} : row.rest().meta,
  }
  const end = {
    finishReason: incomplete === null ? null : new Fields(incomplete).text('reason'),
    isTruncated: status === 'incomplete' ? true : status === 'completed' ? false : null,
  }
  const conversation = (count: number) => (count === 0 ? null : [...asked, ...messages.slice(0, count)])
  const sequences = mergeByPrefix(calls)
  if (sequences.length === 0) {
    return [{ ...blank, ...shared, ...end, id, messages: conversation(messages.length), issues: row.issues }]
  }
  return sequences.map((sequence, part): Trajectory => {
    const issues = part === 0 ? row.issues : []
    const broken = prefixBreak(sequences, part)
    if (broken !== null) issues.push(broken)
    const { sampler, ...streams } = streamsOfCalls(sequence, issues)
    return {
      ...record.blank(part),
      ...shared,
      // How the rollout ended is how its last call did. A sequence that was left before went on elsewhere.
      ...(sequence.at(-1) === calls.at(-1) ? end : {}),
      ...streams,
      id: part === 0 ? id : `${id}.${part}`,
      branch: sequences.length === 1 ? null : String(part),
      logprobs: { sampler, trainer: null, reference: null },
      // A response without its request begins in the middle of the conversation: beside the whole ids that would mislead.
      messages: asked.length === 0 ? null : conversation(lengths[(sequence.at(-1) as Call).item] as number),
      issues,
    }
  })
}

/** What the environments of tasks with one answer are given beside the request, and return; others keep what they will under the name. */
function expectedAnswer(row: Fields): string | null {
  const value = row.peek('expected_answer')
  return typeof value === 'string' || typeof value === 'number' ? row.text('expected_answer') : null
}

/** Output items that carry tokens; empty lists mean that a relay did not pass them on. */
function readCalls(output: readonly JsonValue[], row: Fields): Call[] {
  const calls: Call[] = []
  for (const [item, value] of output.entries()) {
    if (!isObject(value)) continue
    const prompt = value.prompt_token_ids
    const generated = value.generation_token_ids
    if (!isList(prompt) || !isList(generated) || prompt.length + generated.length === 0) continue
    const name = `output[${item}]`
    calls.push({
      item,
      name,
      prompt: readIds(`${name}.prompt_token_ids`, prompt, row.issues, true),
      generated: readIds(`${name}.generation_token_ids`, generated, row.issues, true),
      logprobs: { name: `${name}.generation_log_probs`, value: value.generation_log_probs ?? null },
    })
  }
  return calls
}

function promptMessages(request: JsonObject): readonly Message[] {
  const messages: Message[] = []
  if (typeof request.instructions === 'string' && request.instructions !== '') {
    messages.push({ role: 'system', content: request.instructions })
  }
  const { input } = request
  if (typeof input === 'string') messages.push({ role: 'user', content: input })
  if (!Array.isArray(input)) return messages
  return [...messages, ...conversationOf(input, () => false).messages]
}
