import type { JsonValue } from '../containers/container.ts'
import type { RecordIssue, Trajectory } from '../model/trajectory.ts'
import { SequenceArrays, UNKNOWN } from './sequence.ts'

/** One request to the model: the whole prompt it was given and what it wrote. */
export interface ModelCall {
  /** Prefix of the names of its arrays, for people: `output[3]`, `trajectory[1].tokens`. */
  readonly name: string
  readonly prompt: Int32Array
  readonly generated: Int32Array
  /** As stored, over `generated`; null where the dump has none. */
  readonly logprobs: { readonly name: string; readonly value: JsonValue }
  /** Loss masks as stored, over `prompt` and `generated`. */
  readonly masks?: { readonly prompt: JsonValue; readonly generated: JsonValue }
}

/**
 * Puts calls whose prompt begins with all that an earlier sequence holds onto that sequence, the latest first; other
 * calls begin a sequence of their own. The ids of a sequence are the prompt and the generation of its last call.
 */
export function mergeByPrefix<T extends ModelCall>(calls: readonly T[]): T[][] {
  const sequences: T[][] = []
  for (const call of calls) {
    let grown = sequences.length - 1
    while (grown >= 0 && !extendsCall(call, sequences[grown]?.at(-1) as T)) grown--
    if (grown >= 0) sequences[grown]?.push(call)
    else sequences.push([call])
  }
  return sequences
}

/** Code of the issue on a sequence that began anew where a prompt should have gone on from the calls before it. */
export const PREFIX_BROKEN = 'prefix-broken'

/**
 * Where the first prompt of a sequence leaves what the calls of the sequence before it hold, for people; null for the first one, and for
 * one that shares no beginning with it.
 */
export function prefixBreak(sequences: readonly (readonly ModelCall[])[], index: number): RecordIssue | null {
  const before = sequences[index - 1]?.at(-1)
  const call = sequences[index]?.[0]
  if (before === undefined || call === undefined) return null
  const length = before.prompt.length + before.generated.length
  const ids = new Int32Array(length)
  ids.set(before.prompt)
  ids.set(before.generated, before.prompt.length)
  let at = 0
  while (at < length && at < call.prompt.length && call.prompt[at] === ids[at]) at++
  if (at === 0) return null
  const here = at < call.prompt.length ? `has id ${call.prompt[at]}` : 'ends'
  return {
    code: PREFIX_BROKEN,
    field: call.name,
    message: `the prompt of ${call.name} goes with ${before.name} up to token ${at}, where it ${here} and the calls before it have id ${ids[at]}: a sequence of its own`,
    leaves: { at, ids: ids.slice(at) },
  }
}

function extendsCall(call: ModelCall, before: ModelCall): boolean {
  const { prompt, generated } = before
  if (call.prompt.length < prompt.length + generated.length) return false
  for (let i = 0; i < prompt.length; i++) if (call.prompt[i] !== prompt[i]) return false
  for (let i = 0; i < generated.length; i++) if (call.prompt[prompt.length + i] !== generated[i]) return false
  return true
}

type MergedStreams = Pick<Trajectory, 'ids' | 'promptLength' | 'sampled' | 'mask' | 'arrays'> & {
  readonly sampler: Float32Array | null
}

/** The token streams of one sequence of `mergeByPrefix`. Sampler logprobs are NaN on what was not generated. */
export function streamsOfCalls(calls: readonly ModelCall[], issues: RecordIssue[]): MergedStreams {
  const last = calls.at(-1) as ModelCall
  const length = last.prompt.length + last.generated.length
  const ids = new Int32Array(length)
  ids.set(last.prompt)
  ids.set(last.generated, last.prompt.length)
  const arrays = new SequenceArrays(length, issues)
  const sampled = new Uint8Array(length)
  const sampler = new Float32Array(length).fill(Number.NaN)
  const mask = new Uint8Array(length).fill(UNKNOWN)
  let scored = false
  let masked = false
  let known = 0
  for (const call of calls) {
    const at = call.prompt.length
    const end = at + call.generated.length
    sampled.fill(1, at, end)
    scored = arrays.placeFloats(sampler, call.logprobs.name, call.logprobs.value, at, end) || scored
    if (call.masks !== undefined) {
      const { prompt, generated } = call.masks
      // What earlier calls said of the tokens that this prompt repeats stays: they were generated there.
      const before = mask.slice(0, known)
      masked = arrays.placeFlags(mask, `${call.name}.prompt_mask`, prompt, 0, at) || masked
      mask.set(before)
      masked = arrays.placeFlags(mask, `${call.name}.completion_mask`, generated, at, end) || masked
    }
    known = end
  }
  return {
    ids,
    promptLength: (calls[0] as ModelCall).prompt.length,
    sampled,
    mask: masked ? mask : null,
    sampler: scored ? sampler : null,
    arrays: arrays.arrays,
  }
}
