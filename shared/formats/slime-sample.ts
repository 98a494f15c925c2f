import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, type Fields, isObject, kindOf, numbersOf } from './fields.ts'
import { imageGrids } from './image-grids.ts'
import type { OneRecord } from './read-each.ts'
import { type MaskStream, NO_INTEGER, readIds, SequenceArrays } from './sequence.ts'

/** Known, and nothing that a person could look at: pixels, routes of experts, kept nuclei. */
const BULK = [
  'multimodal_inputs',
  'rollout_routed_experts',
  'rollout_indexer_topk',
  'rollout_top_p_token_ids',
  'rollout_top_p_token_offsets',
]

/** The ids of one sample, prompt and response without padding, and the arrays over its response. */
export class SampleTokens {
  readonly ids: Int32Array
  /** Tokens before the response; null where nothing says how long it is. */
  readonly promptLength: number | null
  readonly arrays: SequenceArrays
  /** Grids of the images, under their name; empty where there are none. */
  readonly grids: Record<string, unknown>
  private readonly fields: Fields

  /** Throws `BadRecord` where there are no ids. */
  constructor(fields: Fields, lengthKey: string, maskKey: string) {
    const tokens = fields.take('tokens')
    if (tokens === null) throw new BadRecord('no-tokens', 'the sample has no tokens')
    this.fields = fields
    this.ids = readIds('tokens', tokens, fields.issues)
    this.arrays = new SequenceArrays(this.ids.length, fields.issues)
    for (const key of BULK) fields.take(key)
    this.grids = imageGrids(fields.take('multimodal_train_inputs'))
    const response = this.responseLength(lengthKey, maskKey)
    this.promptLength = response === null ? null : this.ids.length - response
  }

  private responseLength(key: string, maskKey: string): number | null {
    const { fields, ids } = this
    const declared = fields.integer(key)
    if (declared !== null && declared >= 0 && declared <= ids.length) return declared
    const masked = numbersOf(fields.take(maskKey))?.length ?? null
    const instead = masked === null || masked > ids.length ? null : masked
    const what = declared === null ? `${key} is missing` : `${key} is ${declared}, but there are ${ids.length} tokens`
    fields.issue(
      declared === null ? 'missing-field' : 'length-mismatch',
      key,
      instead === null
        ? `${what}, so nothing says where the response begins`
        : `${what}; the ${instead} entries of ${maskKey} are taken for the response`,
    )
    return instead
  }

  /** Null where it is absent, or where nothing says which tokens it is of. */
  floats(key: string): Float32Array | null {
    const value = this.fields.take(key)
    return this.promptLength === null ? null : this.arrays.floats(key, value, this.promptLength)
  }

  /**
   * As `floats`, of a rank that may have computed a part of the context only: that part, NaN elsewhere. Null where the rank does not say
   * which part is its own: at the front, where a short array is put else, it would score other tokens than it was computed for.
   */
  shareOf(key: string, share: ContextShare | null): Float32Array | null {
    const value = this.fields.take(key)
    if (this.promptLength === null) return null
    const length = numbersOf(value)?.length ?? 0
    const response = this.ids.length - this.promptLength
    if (length === 0 || length >= response) return this.arrays.floats(key, value, this.promptLength)
    const own = share === null ? [] : spansOf(share, this.ids.length, this.promptLength)
    if (own.reduce((sum, { start, end }) => sum + end - start, 0) === length) return this.spread(key, value, own)
    this.fields.issue(
      'part-of-context',
      key,
      `${key} has ${length} entries for a response of ${response}, as a rank of a context-parallel group writes its share; it is left out`,
    )
    return null
  }

  private spread(key: string, value: JsonValue, spans: readonly Span[]): Float32Array {
    const floats = new Float32Array(this.ids.length).fill(Number.NaN)
    const numbers = numbersOf(value) ?? new Float64Array(0)
    let from = 0
    for (const { start, end } of spans) {
      const part = numbers.subarray(from, from + end - start)
      this.arrays.placeFloats(floats, key, part, start, end)
      from += end - start
    }
    return floats
  }

  mask(key: string): MaskStream | null {
    const value = this.fields.take(key)
    return this.promptLength === null || value === null
      ? null
      : this.arrays.mask(key, value, this.promptLength, this.ids.length, 0)
  }

  /** The trainer makes ones over the response of a mask that is None (slime/ray/rollout.py, _convert_samples_to_train_data). */
  wholeResponse(): Uint8Array | null {
    return this.promptLength === null ? null : new Uint8Array(this.ids.length).fill(1, this.promptLength)
  }

  /**
   * The version of the policy for each token that is trained. The engine reports one for each call: where all of them agree they are
   * known for every token, and where there are as many calls as runs of trained tokens, for each run. Else null: then nothing
   * says where one call ends and the next begins. So it is where the response begins without loss: what the first call wrote was left out
   * (--mask-offpolicy-in-partial-rollout), and the runs are not those of all calls.
   */
  versions(value: JsonValue, mask: Uint8Array | null): Int32Array | null {
    if (!Array.isArray(value) && numbersOf(value) === null) return null
    const calls = Array.from(value as ArrayLike<JsonValue>, wholeNumber)
    if (calls.length === 0 || calls.includes(null) || mask === null) return null
    const runs = runsOf(mask)
    const same = calls.every((version) => version === calls[0])
    if (!same && (runs.length !== calls.length || runs[0]?.start !== this.promptLength)) return null
    const versions = new Int32Array(mask.length).fill(NO_INTEGER)
    for (const [run, { start, end }] of runs.entries()) versions.fill(calls[same ? 0 : run] as number, start, end)
    return versions
  }

  get streams(): Pick<Trajectory, 'ids' | 'promptLength' | 'padding' | 'arrays'> {
    return {
      ids: this.ids,
      promptLength: this.promptLength,
      padding: { left: 0, right: 0 },
      arrays: this.arrays.arrays,
    }
  }
}

/** The part of the context that a rank computes, of `size` ranks that share it. */
export interface ContextShare {
  readonly rank: number
  readonly size: number
}

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The tokens of the response that a rank scores: those predicted in its two chunks, one from the front and one from the back, so that all
 * ranks have as much to attend to (miles/backends/training_utils/cp_utils.py, get_logits_and_tokens_offset_with_cp, layout `thd`).
 */
function spansOf({ rank, size }: ContextShare, length: number, promptLength: number): Span[] {
  const chunk = Math.ceil(length / (2 * size))
  return [rank, 2 * size - rank - 1].flatMap((at) => {
    const start = Math.max(at * chunk, promptLength - 1) + 1
    const end = Math.min((at + 1) * chunk, length - 1) + 1
    return start < end ? [{ start, end }] : []
  })
}

function runsOf(mask: Uint8Array): Span[] {
  const runs: { start: number; end: number }[] = []
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] !== 1) continue
    const last = runs.at(-1)
    if (last?.end === i) last.end++
    else runs.push({ start: i, end: i + 1 })
  }
  return runs
}

function wholeNumber(value: JsonValue): number | null {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 0x7fffffff ? number : null
}

/** Reads the samples of a record, each a part of it. Of several, one that cannot be read stays as an empty trajectory that says why. */
export function readSamples(
  record: OneRecord,
  samples: readonly JsonValue[],
  read: (sample: JsonObject, blank: Trajectory) => Trajectory,
): Trajectory[] {
  if (samples.length === 0) throw new BadRecord('no-samples', 'the dump has no samples')
  return samples.map((sample, part) => {
    const blank = record.blank(part)
    try {
      if (!isObject(sample)) throw new BadRecord('bad-type', `it is ${kindOf(sample)}, a sample was expected`)
      return read(sample, blank)
    } catch (error) {
      if (!(error instanceof BadRecord) || samples.length === 1) throw error
      const message = `sample ${part} cannot be read: ${error.message}`
      return { ...blank, issues: [{ code: error.code, field: 'samples', message }] }
    }
  })
}
