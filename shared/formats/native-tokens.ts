import type { JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { type Fields, isList, isObject, numbersOf } from './fields.ts'
import { isOverResponse, readMask } from './native-masks.ts'
import { readIds, SequenceArrays } from './sequence.ts'
import { readTrlLogprobs } from './trl-logprobs.ts'

/** Names under which dumps keep the whole sequence. */
export const FULL_IDS = ['input_ids', 'token_ids', 'tokens']

/** Names of a prompt and the response to it; the sequence is the one after the other. */
export const ID_PAIRS = [
  { prompt: 'prompt_ids', response: 'completion_ids' },
  { prompt: 'prompt_ids', response: 'response_ids' },
  { prompt: 'prompt_token_ids', response: 'response_token_ids' },
]

type TokenStreams = Pick<
  Trajectory,
  | 'ids'
  | 'promptLength'
  | 'promptApart'
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
  | 'padding'
  | 'arrays'
>

export interface NativeIds {
  readonly ids: Int32Array
  readonly promptLength: number | null
  /** Tokens before the response in a prompt/response pair, null where the dump has one sequence. */
  readonly pairPrompt: number | null
}

/**
 * Everything that a record says token by token; null where it has no ids. Throws `BadRecord` for ids that are none.
 *
 * @param attendsPrompts see `readMask`
 */
export function readNativeTokens(fields: Fields, attendsPrompts: boolean): TokenStreams | null {
  const found = findIds(fields)
  if (found === null) return null
  const { ids, promptLength, pairPrompt } = found
  const arrays = new SequenceArrays(ids.length, fields.issues)
  /** Where an array begins: with the response, if the dump keeps pairs, or says how long the prompt is and the array is as long as the rest. */
  const start = (value: JsonValue): number => {
    const length = numbersOf(value)?.length ?? 0
    if (pairPrompt !== null) return length === ids.length ? 0 : pairPrompt
    return isOverResponse(found, length) ? (promptLength as number) : 0
  }
  const floats = (name: string, value = fields.take(name)) => arrays.floats(name, value, scoredFrom(value))
  const integers = (name: string) => {
    const value = fields.take(name)
    return arrays.integers(name, value, start(value))
  }
  const { mask, weights, padding } = readMask(fields, arrays, found, attendsPrompts)
  const targets = pairPrompt === null && isOfTargets(arrays)
  /** Beside a mask over the predicted tokens, numbers for as many are of those: there is none for the first token (OpenRLHF, tinker). */
  const scoredFrom = (value: JsonValue): number =>
    targets && numbersOf(value)?.length === ids.length - 1 ? 1 : start(value)
  const sampled = fields.take('sampled')
  // A bare list does not say whose logprobs it holds: it stays a field that is not known.
  const logprobs = isList(fields.peek('logprobs')) ? null : fields.objectAt('logprobs')
  const scored = (name: string) => (isObject(logprobs) ? floats(`logprobs.${name}`, logprobs[name] ?? null) : null)
  return {
    ids,
    promptLength,
    ...(pairPrompt !== null && pairPrompt === promptLength ? { promptApart: true as const } : {}),
    mask,
    weights,
    sampled: arrays.flags('sampled', sampled, start(sampled)),
    attentionMask: integers('attention_mask'),
    positionIds: integers('position_ids'),
    sequenceIds: integers('sequence_ids'),
    versions: integers('versions'),
    logprobs: readTrlLogprobs(fields, arrays, pairPrompt, mask) ?? {
      sampler: scored('sampler'),
      trainer: scored('trainer'),
      reference: scored('reference'),
    },
    entropy: floats('entropy'),
    kl: floats('kl'),
    // A number is the advantage of the row.
    advantages: typeof fields.peek('advantages') === 'number' ? null : floats('advantages'),
    padding,
    arrays: arrays.arrays,
  }
}

/** The mask was stored with one entry less than there are ids. */
function isOfTargets({ arrays, length }: SequenceArrays): boolean {
  return arrays.some((stored) => stored.length === length - 1 && stored.expected === length)
}

function findIds(fields: Fields): NativeIds | null {
  const declared = fields.integer('prompt_length')
  const full = fields.takeFirst(FULL_IDS)
  if (full !== null) {
    const ids = readIds(full.key, full.value, fields.issues)
    return { ids, promptLength: within(ids, declared, fields), pairPrompt: null }
  }
  const pair = ID_PAIRS.find(({ prompt, response }) => fields.has(prompt) && fields.has(response))
  if (pair === undefined) return null
  const prompt = readIds(pair.prompt, fields.take(pair.prompt), fields.issues)
  const response = readIds(pair.response, fields.take(pair.response), fields.issues)
  const ids = new Int32Array(prompt.length + response.length)
  ids.set(prompt)
  ids.set(response, prompt.length)
  return { ids, promptLength: within(ids, declared, fields) ?? prompt.length, pairPrompt: prompt.length }
}

/** A length of the prompt that the ids can have. */
function within({ length }: Int32Array, declared: number | null, fields: Fields): number | null {
  if (declared === null || (declared >= 0 && declared <= length)) return declared
  fields.issue('bad-value', 'prompt_length', 'prompt_length is not between 0 and the number of ids')
  return null
}
