import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { groupOfPrompt, TEXT_ONLY, textMessages } from './text-rows.ts'

const COMMON = ['step', 'prompt', 'completion', 'advantage']

/** Completions of TRL's GRPO and RLOO (`log_completions=True`): texts without special tokens, a column for each reward function. */
export const trl: Format = {
  id: 'trl',
  title: 'TRL logged completions',
  writer: { project: 'huggingface/trl', file: 'trl/trainer/grpo_trainer.py', version: 'f2cd5771' },
  streams: ['messages', 'advantages', 'rewards', 'reward_components', 'group', 'step'],
  ...TEXT_ONLY,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, COMMON)) return null
  const { prompt, completion } = record
  if (typeof prompt !== 'string' || typeof completion !== 'string') return null
  return { confidence: 0.95, seen: 'columns step, prompt, completion, advantage' }
}

function readRecord(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const step = fields.integer('step')
  const prompt = fields.text('prompt')
  const completion = fields.text('completion')
  const advantage = fields.number('advantage')
  const { meta } = fields.rest()
  const scores = Object.entries(record.object).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && !COMMON.includes(entry[0]),
  )
  const known = scores.filter(([, score]) => !Number.isNaN(score))
  const columns = Object.keys(record.object).filter((name) => !COMMON.includes(name))
  const [only] = scores
  return {
    ...record.blank(0),
    step,
    group: groupOfPrompt(step, prompt),
    messages: textMessages(prompt, completion),
    advantage,
    // The weights of several functions are not in the file; one alone is the reward, up to its weight. A function may be silent on a row.
    reward: columns.length === 1 && only !== undefined ? only[1] : null,
    rewards: known.length === 0 ? null : Object.fromEntries(known),
    issues: fields.issues,
    meta: Object.fromEntries(Object.entries(meta).filter(([name]) => !scores.some(([score]) => score === name))),
  }
}
