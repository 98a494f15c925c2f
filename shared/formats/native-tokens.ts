import type { JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { type Fields, isObject, numbersOf } from './fields.ts'
import { type MaskStream, readIds, SequenceArrays } from './sequence.ts'

/** Names under which dumps keep the whole sequence. */
export const FULL_IDS = ['input_ids', 'token_ids', 'tokens']

/** Names of a prompt and the response to it; the sequence is the one after the other. */
export const ID_PAIRS = [
  { prompt: 'prompt_ids', response: 'completion_ids' },
  { prompt: 'prompt_ids', response: 'response_ids' },
  { prompt: 'prompt_token_ids', response: 'response_token_ids' },
]

/** Names of masks that some trainers keep for the whole sequence and others for the response only; their length tells. */
export const RESPONSE_MASKS = ['completion_mask', 'response_mask', 'action_mask', 'assistant_masks']

type TokenStreams = Pick<
  Trajectory,
  | 'ids'
  | 'promptLength'
  | 'mask'
  | 'weights'
  | 'sampled'
  | 'attentionMask'
  | 'positionIds'
  | 'sequenceIds'
  | 'versions'
  | 'logprobs'
  | 'entropy'
  | 'kl'
  | 'advantages'
  | 'arrays'
>

interface Ids {
  readonly ids: Int32Array
  readonly promptLength: number | null
  /** Tokens before the response in a prompt/response pair, null where the dump has one sequence. */
  readonly pairPrompt: number | null
}

/** Everything that a record says token by token; null where it has no ids. Throws `BadRecord` for ids that are none. */
export function readNativeTokens(fields: Fields): TokenStreams | null {
  const found = findIds(fields)
  if (found === null) return null
  const { ids, promptLength, pairPrompt } = found
  const arrays = new SequenceArrays(ids.length, fields.issues)
  /** Where an array begins: with the response, if it is as long as the response and the dump keeps pairs. */
  const start = (value: JsonValue): number => {
    const length = numbersOf(value)?.length
    return pairPrompt !== null && length !== ids.length ? pairPrompt : 0
  }
  const floats = (name: string, value = fields.take(name)) => arrays.floats(name, value, start(value))
  const integers = (name: string) => {
    const value = fields.take(name)
    return arrays.integers(name, value, start(value))
  }
  const { mask, weights } = readMask(fields, arrays, found)
  const sampled = fields.take('sampled')
  const logprobs = fields.objectAt('logprobs')
  const scored = (name: string) => (isObject(logprobs) ? floats(`logprobs.${name}`, logprobs[name] ?? null) : null)
  return {
    ids,
    promptLength,
    mask,
    weights,
    sampled: arrays.flags('sampled', sampled, start(sampled)),
    attentionMask: integers('attention_mask'),
    positionIds: integers('position_ids'),
    sequenceIds: integers('sequence_ids'),
    versions: integers('versions'),
    logprobs: { sampler: scored('sampler'), trainer: scored('trainer'), reference: scored('reference') },
    entropy: floats('entropy'),
    kl: floats('kl'),
    advantages: floats('advantages'),
    arrays: arrays.arrays,
  }
}

function findIds(fields: Fields): Ids | null {
  const declared = fields.integer('prompt_length')
  const full = fields.takeFirst(FULL_IDS)
  if (full !== null) {
    return { ids: readIds(full.key, full.value, fields.issues), promptLength: declared, pairPrompt: null }
  }
  const pair = ID_PAIRS.find(({ prompt, response }) => fields.has(prompt) && fields.has(response))
  if (pair === undefined) return null
  const prompt = readIds(pair.prompt, fields.take(pair.prompt), fields.issues)
  const response = readIds(pair.response, fields.take(pair.response), fields.issues)
  const ids = new Int32Array(prompt.length + response.length)
  ids.set(prompt)
  ids.set(response, prompt.length)
  return { ids, promptLength: declared ?? prompt.length, pairPrompt: prompt.length }
}

interface Masks {
  readonly mask: Uint8Array | null
  readonly weights: Float32Array | null
}

function readMask(fields: Fields, arrays: SequenceArrays, { ids, promptLength, pairPrompt }: Ids): Masks {
  const found = fields.takeFirst(['loss_mask', ...RESPONSE_MASKS])
  const promptMask = fields.take('prompt_mask')
  const labels = arrays.labels('labels', fields.take('labels'), ids)
  if (found === null) return { mask: labels, weights: null }
  const length = numbersOf(found.value)?.length ?? ids.length
  const prompt = pairPrompt ?? promptLength
  const overResponse =
    prompt !== null &&
    length !== ids.length &&
    (pairPrompt !== null || (found.key !== 'loss_mask' && length === ids.length - prompt))
  // A mask over the response says that nothing before the response is trained, unless the prompt has a mask of its own.
  const read = overResponse
    ? arrays.mask(found.key, found.value, prompt, ids.length, 0)
    : arrays.mask(found.key, found.value)
  if (read === null) return { mask: labels, weights: null }
  if (overResponse) addPromptMask(arrays, promptMask, prompt, read)
  if (labels !== null) compare(fields, found.key, read.mask, labels)
  return read
}

function addPromptMask(arrays: SequenceArrays, value: JsonValue, prompt: number, into: MaskStream): void {
  const before = arrays.mask('prompt_mask', value, 0, prompt)
  if (before === null) return
  into.mask.set(before.mask.subarray(0, prompt))
  if (before.weights !== null) into.weights?.set(before.weights.subarray(0, prompt))
}

function compare(fields: Fields, name: string, mask: Uint8Array, labels: Uint8Array): void {
  let different = 0
  for (let i = 0; i < mask.length; i++) if (mask[i] !== labels[i]) different++
  if (different === 0) return
  fields.issue('mask-conflict', 'labels', `labels and ${name} disagree on ${different} tokens; ${name} is read`)
}
