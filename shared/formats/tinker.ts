import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields } from './fields.ts'
import type { Format } from './format.ts'
import { readMessages } from './messages.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { TEXT_ONLY } from './text-rows.ts'

const SUMMARY = ['split', 'iteration', 'group_idx', 'traj_idx', 'steps']
const KEPT = [
  'schema_version',
  'split',
  'tags',
  'sampling_client_step',
  'final_reward',
  'trajectory_metrics',
  'steps',
  'final_ob_len',
  'benchmark',
  'metrics',
  'logs',
  'error',
  'time_seconds',
]

/** Rollout summaries of tinker-cookbook, which count tokens and hold none, and the trajectories of its evaluations. */
export const tinker: Format = {
  id: 'tinker',
  title: 'tinker-cookbook rollout summaries and evaluation trajectories',
  writer: {
    project: 'thinking-machines-lab/tinker-cookbook',
    file: 'tinker_cookbook/rl/rollout_logging.py',
    version: '9dfcc3a2',
  },
  streams: ['messages', 'rewards', 'group', 'step'],
  ...TEXT_ONLY,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  if (hasAll(record, SUMMARY)) {
    const { schema_version: version } = record
    return {
      confidence: 0.97,
      seen: `keys ${SUMMARY.join(', ')}`,
      ...(typeof version === 'number' ? { version: String(version) } : {}),
    }
  }
  const evaluation = ['idx', 'benchmark', 'turns', 'reward']
  if (!hasAll(record, evaluation) || !Array.isArray(record.turns)) return null
  return { confidence: 0.95, seen: `keys ${evaluation.join(', ')}`, version: 'evaluation' }
}

function readRecord(record: OneRecord): Trajectory {
  return Object.hasOwn(record.object, 'turns') ? readEvaluation(record) : readSummary(record)
}

function readSummary(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const blank = record.blank(0)
  const step = fields.integer('iteration')
  const group = fields.text('group_idx')
  const index = fields.text('traj_idx')
  const trajectory: Trajectory = {
    ...blank,
    id: group === null || index === null ? blank.id : `${step ?? ''}/${group}.${index}`,
    // Counted anew in every iteration.
    group: group === null ? null : `${step ?? ''}/${group}`,
    step,
    reward: fields.score('total_reward'),
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta }
}

function readEvaluation(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const blank = record.blank(0)
  const trajectory: Trajectory = {
    ...blank,
    id: fields.text('idx') ?? blank.id,
    group: fields.text('example_id'),
    messages: readMessages(fields, 'turns'),
    reward: fields.score('reward'),
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta }
}
