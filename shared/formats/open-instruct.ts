import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, isList } from './fields.ts'
import type { Format } from './format.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'

const OWN = ['prompt_tokens', 'response_tokens', 'prompt_idx', 'sample_idx', 'finish_reason', 'advantage']

/** Rollouts of GRPO with `--save_traces`: prompt and response as ids. The mask of tool output is made, and not saved. */
export const openInstruct: Format = {
  id: 'open-instruct',
  title: 'open-instruct rollout traces',
  writer: { project: 'allenai/open-instruct', file: 'open_instruct/rl_utils.py', version: 'e6c3044a' },
  streams: ['ids', 'sampled', 'answer', 'logprobs.sampler', 'advantages', 'rewards', 'group', 'finish_reason', 'step'],
  numericKeys: ['prompt_tokens', 'response_tokens', 'logprobs'],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: null,
  // `mask_tool_use` is a switch of the run, which the file does not tell.
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => [readRecord(record)]),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, OWN) || !isList(record.prompt_tokens) || !isList(record.response_tokens)) return null
  return { confidence: 0.97, seen: `keys ${OWN.join(', ')}` }
}

function readRecord(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const prompt = readIds('prompt_tokens', fields.take('prompt_tokens'), fields.issues)
  const response = readIds('response_tokens', fields.take('response_tokens'), fields.issues)
  const ids = new Int32Array(prompt.length + response.length)
  ids.set(prompt)
  ids.set(response, prompt.length)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const request = new Fields(fields.objectAt('request_info') ?? {}, fields.issues)
  const calledTools = request.boolean('tool_calleds')
  const step = fields.integer('step')
  const prompted = fields.integer('prompt_idx')
  const index = fields.integer('sample_idx')
  const blank = record.blank(0)
  const trajectory: Trajectory = {
    ...blank,
    id: step === null || index === null ? blank.id : `${step}/${index}`,
    // Counted anew in every step.
    group: prompted === null ? null : `${step ?? ''}/${prompted}`,
    step,
    ids,
    promptLength: prompt.length,
    promptApart: true,
    // What a tool returned stands among the response; where none was called the model wrote all of it.
    sampled: calledTools === false ? new Uint8Array(ids.length).fill(1, prompt.length) : null,
    logprobs: {
      sampler: arrays.floats('logprobs', fields.take('logprobs'), prompt.length),
      trainer: null,
      reference: null,
    },
    advantage: fields.number('advantage'),
    reward: fields.score('reward'),
    answer: answerOf(record.object.ground_truth),
    finishReason: fields.text('finish_reason'),
    padding: { left: 0, right: 0 },
    arrays: arrays.arrays,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(['ground_truth', 'dataset', 'request_info'])
  record.drift(unknown)
  return { ...trajectory, meta }
}

/** Texts as they are; in some tasks the ground truth is ids, constraints or test cases, which are no answer to look for. */
function answerOf(value: unknown): string | null {
  const single = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value
  return typeof single === 'string' ? single : null
}
