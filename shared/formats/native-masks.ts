import type { JsonValue } from '../containers/container.ts'
import type { DeclaredPadding } from '../model/trajectory.ts'
import { type Fields, numbersOf } from './fields.ts'
import type { NativeIds } from './native-tokens.ts'
import { paddingOf } from './padded-row.ts'
import { type MaskStream, type SequenceArrays, UNKNOWN } from './sequence.ts'
import { TRL_LOGPROBS } from './trl-logprobs.ts'

/** Names of masks that some trainers keep for the whole sequence and others for the response only; their length tells. */
export const RESPONSE_MASKS = ['completion_mask', 'response_mask', 'action_mask', 'assistant_masks']

/** Names of a mask of the loss; the first that a row has is read. */
const MASKS = ['loss_mask', ...RESPONSE_MASKS]

/** What only TRL's batches have beside a pair. */
const TRL_NAMES = ['tool_mask', ...TRL_LOGPROBS]

interface Masks {
  readonly mask: Uint8Array | null
  readonly weights: Float32Array | null
  /** Where the row says it: what is left out of the prompt at its start, by an id that also ends turns. Null leaves it to the ids. */
  readonly padding: DeclaredPadding | null
}

/** Whether an array is as long as the sequence is behind a prompt of a stated length. */
export function isOverResponse({ ids, promptLength }: NativeIds, length: number): boolean {
  return promptLength !== null && promptLength > 0 && length > 0 && length === ids.length - promptLength
}

/**
 * The loss mask of a record, under whichever name; its weights where they are not all 0 or 1.
 *
 * @param attendsPrompts that `prompt_mask` is no mask of the loss, as other records show: of a batch that is padded the longest prompt is not
 */
export function readMask(
  fields: Fields,
  arrays: SequenceArrays,
  { ids, promptLength, pairPrompt }: NativeIds,
  attendsPrompts: boolean,
): Masks {
  const found = fields.takeFirst(MASKS)
  const isTrl = pairPrompt !== null && isTrlRow(fields)
  const promptMask = fields.take('prompt_mask')
  const labels = arrays.labels('labels', fields.take('labels'), ids)
  if (found === null) return { mask: labels, weights: null, padding: null }
  const length = numbersOf(found.value)?.length ?? ids.length
  const prompt = pairPrompt ?? promptLength
  // One entry less than there are ids has a mask of the predicted tokens as well.
  const isSurely = found.key !== 'loss_mask' || length < ids.length - 1
  const overResponse =
    prompt !== null &&
    (pairPrompt !== null
      ? length !== ids.length
      : isSurely && isOverResponse({ ids, promptLength, pairPrompt }, length))
  // A mask over the response says that nothing before the response is trained, unless the prompt has a mask of its own.
  const read = overResponse
    ? arrays.mask(found.key, found.value, prompt, ids.length, 0)
    : arrays.mask(found.key, found.value)
  if (read === null) return { mask: labels, weights: null, padding: null }
  const isAttended = isTrl || (attendsPrompts && isOfOnes(promptMask)) || isPaddingMask(promptMask, ids)
  if (overResponse && !isAttended) addPromptMask(arrays, promptMask, prompt, read)
  if (isTrl) leaveOut(arrays.mask('tool_mask', fields.take('tool_mask'), pairPrompt, ids.length, 0), read, pairPrompt)
  tellOthers(fields, found.key)
  if (labels !== null) compare(fields, found.key, read.mask, labels)
  const padding = isAttended && pairPrompt !== null ? paddingByEnd(ids, promptMask, pairPrompt) : null
  return { mask: read.mask, weights: read.weights, padding }
}

/**
 * TRL's `prompt_mask` and `completion_mask` are what is attended (`_generate_and_score_completions` in trl/trainer/grpo_trainer.py), and
 * `tool_mask` leaves the replies of tools out of the loss. Its advantage is one number for the row.
 */
export function isTrlRow(fields: Fields): boolean {
  return TRL_NAMES.some((name) => fields.has(name)) || typeof fields.peek('advantages') === 'number'
}

function isOfOnes(value: JsonValue): boolean {
  return numbersOf(value)?.every((flag) => flag === 1) === true
}

/** The prompt is padded on the left, and just that is 0. */
export function isPaddingMask(value: JsonValue, ids: Int32Array): boolean {
  return leftPadding(ids, value) > 0
}

/** Tokens at the start of the prompt that have one id and are all that its mask leaves out; 0 where there are none, or others. */
function leftPadding(ids: Int32Array, value: JsonValue): number {
  const flags = numbersOf(value)
  if (flags === null) return 0
  const padding = paddingOf(ids.subarray(0, flags.length), Int32Array.from(flags))
  return padding === null || flags.includes(0, padding.left) ? 0 : padding.left
}

/**
 * Padding by an id that is also in the prompt, as the end of its turns: one alone at the start is then no rest of a turn, which only the
 * prompt's mask tells. The first of those at the end is the end token of the response, unless it was cut. Null where the ids tell by themselves.
 */
function paddingByEnd(ids: Int32Array, promptMask: JsonValue, prompt: number): DeclaredPadding | null {
  const left = leftPadding(ids, promptMask)
  const pad = ids[0] as number
  if (left === 0 || !ids.subarray(left, prompt).includes(pad)) return null
  let end = ids.length
  while (end > prompt && ids[end - 1] === pad) end--
  return { left, right: Math.max(0, ids.length - end - 1), leavesEnd: true }
}

function addPromptMask(arrays: SequenceArrays, value: JsonValue, prompt: number, into: MaskStream): void {
  const before = arrays.mask('prompt_mask', value, 0, prompt)
  if (before === null) return
  into.mask.set(before.mask.subarray(0, prompt))
  if (before.weights !== null) into.weights?.set(before.weights.subarray(0, prompt))
}

/** What one mask leaves out is not trained, whatever the other says. */
function leaveOut(by: MaskStream | null, from: MaskStream, start: number): void {
  for (let i = start; i < (by?.mask.length ?? 0); i++) {
    const flag = by?.mask[i] as number
    if (flag === 0 || (flag === UNKNOWN && from.mask[i] === 1)) from.mask[i] = flag
  }
}

function compare(fields: Fields, name: string, mask: Uint8Array, labels: Uint8Array): void {
  let different = 0
  for (let i = 0; i < mask.length; i++) if (mask[i] !== labels[i]) different++
  if (different === 0) return
  fields.issue('mask-conflict', 'labels', `labels and ${name} disagree on ${different} tokens; ${name} is read`)
}

/**
 * Names the masks that are not read though they say something else. They may well be meant for another purpose (what is attended, what the
 * model wrote), so that it is no conflict.
 */
function tellOthers(fields: Fields, read: string): void {
  const own = numbersOf(fields.peek(read))
  for (const name of MASKS) {
    const other = name === read || !fields.has(name) ? null : numbersOf(fields.peek(name))
    if (own === null || other === null || sameAtEnd(own, other)) continue
    fields.issue(
      'bad-value',
      name,
      `${read} is read as the mask of the loss, and ${name}, which differs from it, is not`,
    )
  }
}

/** A mask over the response and one over all tokens end together; what the longer one has before that must not be trained. */
function sameAtEnd(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  for (let back = 1; back <= Math.max(one.length, other.length); back++) {
    if (!Object.is(one[one.length - back] ?? 0, other[other.length - back] ?? 0)) return false
  }
  return true
}
