import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { TEXT_ONLY, textMessages } from './text-rows.ts'

const OWN = ['task_id', 'sample_idx', 'seqlen', 'prompt_len', 'head_version']
const KEPT = ['seqlen', 'prompt_len', 'head_version', 'tail_version']

/**
 * Trajectories that AReaL dumps: texts with their special tokens. `prompt_len` is the number of tokens without loss, so that texts of several
 * turns are parted at a wrong place: both are shown as they stand.
 */
export const areal: Format = {
  id: 'areal',
  title: 'AReaL trajectory dumps',
  writer: { project: 'inclusionAI/AReaL', file: 'areal/infra/workflow_executor.py', version: '4aef98d8' },
  streams: ['messages', 'rewards', 'group', 'step'],
  ...TEXT_ONLY,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  return hasAll(record, OWN) ? { confidence: 0.97, seen: `keys ${OWN.join(', ')}` } : null
}

function readRecord(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const blank = record.blank(0)
  const task = fields.text('task_id')
  const sample = fields.text('sample_idx')
  const trajectory: Trajectory = {
    ...blank,
    id: task === null ? blank.id : `${task}:${sample ?? '0'}`,
    group: task,
    // The weights that the last token was sampled with; the folder of the dump is named by them.
    step: fields.integer('tail_version'),
    messages: textMessages(fields.text('prompt'), fields.text('completion')),
    reward: fields.score('reward'),
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta }
}
