import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { TEXT_ONLY } from './text-rows.ts'
import { taskOf } from './verifiers-legacy.ts'
import { readConversation } from './verifiers-messages.ts'

const KEPT = ['task', 'generation_ms', 'scoring_ms', 'total_ms', 'info']

/** The older text-only results of `vf-eval -s`. */
export const verifiersResults: Format = {
  id: 'verifiers-results',
  title: 'verifiers results.jsonl, before 0.1.8',
  writer: { project: 'PrimeIntellect-ai/verifiers', file: 'verifiers/scripts/eval.py', version: 'ee30ea11' },
  streams: ['messages', 'tools', 'answer', 'rewards', 'group'],
  ...TEXT_ONLY,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readRecord),
}

function look(record: JsonObject): Evidence | null {
  const key = ['example_id', 'id'].find((name) => Object.hasOwn(record, name))
  if (key === undefined || !hasAll(record, ['prompt', 'completion', 'reward', 'generation_ms'])) return null
  return { confidence: 0.95, seen: `keys ${key}, prompt, completion, reward, generation_ms` }
}

function readRecord(record: OneRecord): Trajectory[] {
  const fields = new Fields(record.object)
  const blank = record.blank(0)
  // Both are the example's number: several rollouts of one example share it.
  const example = fields.text('example_id') ?? fields.text('id')
  fields.take('id')
  const trajectory: Trajectory = {
    ...blank,
    group: example,
    reward: fields.score('reward'),
    messages: readConversation(fields),
    tools: toolsOf(record.object.info ?? null),
    answer: fields.text('answer'),
    environment: taskOf(record.object),
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  // Every reward function and metric has a column of its own; without their weights none is known to be a component.
  record.drift(unknown.filter((key) => typeof record.object[key] !== 'number' && record.object[key] !== null))
  return [{ ...trajectory, meta }]
}

function toolsOf(info: JsonValue): JsonValue[] | null {
  const tools = isObject(info) ? info.oai_tools : null
  return Array.isArray(tools) && tools.length > 0 ? tools : null
}
