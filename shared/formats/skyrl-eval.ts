import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import type { Format } from './format.ts'
import { sumOf } from './padded-row.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { groupOfPrompt, TEXT_ONLY, textMessages } from './text-rows.ts'

const OWN = ['input_prompt', 'output_response', 'score', 'env_class']
const KEPT = ['env_class', 'env_extras', 'data_source']

/** Evaluations of SkyRL, a file for each data set: texts with their special tokens, and the score of an answer or of each of its tokens. */
export const skyrlEval: Format = {
  id: 'skyrl-eval',
  title: 'SkyRL evaluation dumps',
  writer: {
    project: 'NovaSky-AI/SkyRL',
    file: 'skyrl/train/utils/trainer_utils.py (dump_per_dataset_eval_results)',
    version: 'a9564572',
  },
  streams: ['messages', 'rewards', 'group', 'answer', 'finish_reason'],
  ...TEXT_ONLY,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  return hasAll(record, OWN) ? { confidence: 0.97, seen: `keys ${OWN.join(', ')}` } : null
}

function readRecord(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const prompt = fields.text('input_prompt')
  const ofTokens = sumOf(record.object.score ?? null)
  const reward = ofTokens ?? fields.score('score')
  fields.take('score')
  const extras = isObject(record.object.env_extras) ? record.object.env_extras : {}
  const truth = isObject(extras.reward_spec) ? extras.reward_spec.ground_truth : null
  const trajectory: Trajectory = {
    ...record.blank(0),
    // The step stands in the name of the folder; the same prompt is asked again in each.
    group: groupOfPrompt(null, prompt),
    messages: textMessages(prompt, fields.text('output_response')),
    answer: typeof truth === 'string' || typeof truth === 'number' ? String(truth) : null,
    reward,
    finishReason: fields.text('stop_reason'),
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(KEPT)
  record.drift(unknown)
  return { ...trajectory, meta }
}
