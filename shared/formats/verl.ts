import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { groupOfPrompt, TEXT_ONLY, textMessages } from './text-rows.ts'
import { rowKeyOf } from './verl-keys.ts'

/** Rollouts as verl decodes them: special tokens are gone, so that turns and tool replies stand inline. No ids, no mask. */
export const verl: Format = {
  id: 'verl',
  title: 'verl rollout and validation dumps',
  writer: {
    project: 'volcengine/verl',
    file: 'verl/trainer/ppo/ray_trainer.py, verl/trainer/ppo/v1/trainer_base.py',
    version: '1dda039b',
  },
  streams: ['messages', 'answer', 'rewards', 'group', 'step'],
  ...TEXT_ONLY,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, ['input', 'output', 'score', 'step'])) return null
  const { input, output, score } = record
  if (typeof input !== 'string' || typeof output !== 'string' || typeof score !== 'number') return null
  const since = Object.hasOwn(record, 'gts') ? ', gts' : ''
  return { confidence: 0.95, seen: `keys input, output, score, step${since}` }
}

function readRecord(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const blank = record.blank(0)
  const step = fields.integer('step')
  const input = fields.text('input')
  const request = fields.text('request_id')
  const uid = fields.text('uid')
  const key = rowKeyOf(uid)
  const trajectory: Trajectory = {
    ...blank,
    id: request ?? uid ?? blank.id,
    rolloutId: key?.rollout ?? null,
    branch: key?.branch ?? null,
    step,
    // Trainers before June 2026 write no key of the prompt, and rows of one prompt need not be neighbours.
    group: key?.group ?? groupOfPrompt(step, input),
    messages: textMessages(input, fields.text('output')),
    answer: answerOf(fields.take('gts')),
    reward: fields.score('score'),
    issues: fields.issues,
  }
  // Whatever a reward function returns beside its score has a column of its own: kept, and no drift.
  const { meta } = fields.rest(['gts'])
  return { ...trajectory, meta }
}

function answerOf(truth: JsonValue): string | null {
  if (typeof truth === 'string') return truth
  if (Array.isArray(truth) && truth.length === 1) return answerOf(truth[0] as JsonValue)
  if (!isObject(truth)) return null
  return answerOf(truth.target ?? truth.answer ?? truth.ground_truth ?? null)
}
