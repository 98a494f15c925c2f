import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { REPLY_TAG, TEXT_ONLY, textMessages } from './text-rows.ts'

const OWN = ['task_id', 'sample_idx', 'seqlen', 'prompt_len', 'head_version']
const KEPT = ['seqlen', 'prompt_len', 'head_version', 'tail_version', 'version_rle']

/**
 * Trajectories that AReaL dumps: texts with their special tokens. Before June 2026 `prompt_len` was the number of tokens without loss, so that
 * texts of several turns were parted at a wrong place: both are shown as they stand. Since then `segments` tell the turns of such a row, and
 * versions are those of the row, not of its task: rollouts of one group are of several steps.
 */
export const areal: Format = {
  id: 'areal',
  title: 'AReaL trajectory dumps',
  writer: { project: 'areal-project/AReaL', file: 'areal/infra/workflow_executor.py', version: 'cbff54d6' },
  streams: ['messages', 'rewards', 'group', 'step'],
  ...TEXT_ONLY,
  groupsSpanSteps: true,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, OWN)) return null
  const seen = `keys ${OWN.join(', ')}`
  return { confidence: 0.97, seen, ...(Object.hasOwn(record, 'version_rle') ? { version: '2026-06' } : {}) }
}

function readRecord(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const blank = record.blank(0)
  const task = fields.text('task_id')
  const sample = fields.text('sample_idx')
  const [prompt, completion] = [fields.text('prompt'), fields.text('completion')]
  // Where rewards are normalised within a group before they are stored, that of the task stands beside them.
  const [stored, original] = [fields.score('reward'), fields.score('original_reward')]
  const trajectory: Trajectory = {
    ...blank,
    id: task === null ? blank.id : `${task}:${sample ?? '0'}`,
    group: task,
    // The last weights that the row was sampled with; the folder is named by the last of its task.
    step: fields.integer('tail_version'),
    messages: segmentMessages(fields.take('segments')) ?? textMessages(prompt, completion),
    reward: original ?? stored,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta: original === null ? meta : { ...meta, reward: stored } }
}

/** Runs of tokens with loss and without it: each that has it is one reply. Null where the row has none, or none that can be read. */
function segmentMessages(segments: JsonValue): Message[] | null {
  if (!Array.isArray(segments) || segments.length === 0) return null
  const messages: Message[] = []
  for (const segment of segments) {
    if (!isObject(segment)) return null
    const { role, text } = segment
    if (typeof text !== 'string' || !(role === 'prompt' || role === 'gen' || role === 'context')) return null
    if (role === 'gen') messages.push({ role: 'assistant', content: text })
    else
      messages.push({
        role: role === 'context' && REPLY_TAG.test(text) ? 'tool' : 'user',
        content: text,
        flattened: true,
      })
  }
  return messages
}
