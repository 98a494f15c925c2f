import type { JsonValue } from '../containers/container.ts'
import { firstAtLeast, flagsOf } from '../containers/kernel/numbers.ts'
import { writtenNaN } from '../containers/written-nan.ts'
import type { RecordIssue, StoredArray } from '../model/trajectory.ts'
import { BadRecord, kindOf, type Numbers, numbersOf } from './fields.ts'

/** Mask value of tokens that a shorter array does not reach. */
export const UNKNOWN = 255
/** Value of whole-number streams (positions, versions) where a shorter array does not reach. */
export const NO_INTEGER = -1
/** The label of a token that is not trained. */
export const IGNORED_LABEL = -100

/**
 * Token ids. Throws `BadRecord` where an entry cannot be an id at all; ids that no vocabulary has are kept, with one
 * issue. `strings` allows ids written as texts ("151644").
 */
export function readIds(name: string, value: JsonValue, issues: RecordIssue[], strings = false): Int32Array {
  const numbers = numbersOf(value) ?? (strings ? numbersFromTexts(value) : null)
  if (numbers === null) throw new BadRecord('bad-type', `${name} is ${kindOf(value)}, but not one of token ids only`)
  const { ids, outside } =
    numbers instanceof Int32Array ? { ids: numbers, outside: firstNegative(numbers) } : wholeNumbers(name, numbers)
  if (outside >= 0) {
    issues.push({
      code: 'id-out-of-range',
      field: name,
      message: `${name}[${outside}] is ${numbers[outside]}, which no vocabulary has`,
    })
  }
  return ids
}

/** -1 where there is none. */
function firstNegative(numbers: Int32Array): number {
  const first = firstAtLeast(numbers, 2 ** 31)
  return first === numbers.length ? -1 : first
}

/** -1 in place of what is no id; `outside` is the first such place, -1 where there is none. */
function wholeNumbers(name: string, numbers: Float64Array): { readonly ids: Int32Array; readonly outside: number } {
  const ids = new Int32Array(numbers.length)
  let outside = -1
  for (let i = 0; i < numbers.length; i++) {
    const id = numbers[i] as number
    if (!Number.isInteger(id)) {
      const written = Number.isNaN(id) ? 'null or NaN' : id
      throw new BadRecord('bad-type', `${name}[${i}] is ${written}, which is no token id`)
    }
    const fits = id >= 0 && id <= 0x7fffffff
    if (!fits && outside < 0) outside = i
    ids[i] = fits ? id : -1
  }
  return { ids, outside }
}

function numbersFromTexts(value: JsonValue): Float64Array | null {
  if (!Array.isArray(value)) return null
  const numbers = new Float64Array(value.length)
  for (let i = 0; i < value.length; i++) {
    const element = value[i]
    const digits = typeof element === 'string' && /^\d+$/.test(element)
    if (!digits && typeof element !== 'number') return null
    numbers[i] = Number(element)
  }
  return numbers
}

function flagOf(weight: number): number {
  return weight > 0 ? 1 : Number.isNaN(weight) ? UNKNOWN : 0
}

export interface MaskStream {
  readonly mask: Uint8Array
  /** Null where every weight is 0 or 1. */
  readonly weights: Float32Array | null
}

/**
 * Brings the per-token arrays of one sequence to its length S, and keeps the truth about their stored lengths.
 * `at` is the token that an array's first element belongs to (arrays over the response only); `end` the token after
 * its last.
 */
export class SequenceArrays {
  readonly arrays: StoredArray[] = []
  readonly length: number
  private readonly issues: RecordIssue[]

  constructor(length: number, issues: RecordIssue[]) {
    this.length = length
    this.issues = issues
  }

  /** NaN where nothing is stored. An empty list is an absent one: many writers put it where they have nothing. */
  floats(name: string, value: JsonValue, at = 0, end = this.length): Float32Array | null {
    if (value === null) return null
    const floats = new Float32Array(this.length)
    if (at > 0 || end < this.length) floats.fill(Number.NaN)
    return this.placeFloats(floats, name, value, at, end) ? floats : null
  }

  /** Writes one of several pieces of a stream to its place; false where there is none. */
  placeFloats(target: Float32Array, name: string, value: JsonValue, at: number, end: number): boolean {
    const numbers = this.numbers(name, value)
    if (numbers === null || numbers.length === 0) return false
    const nan = writtenNaN(value)?.map((place) => at + place)
    this.store(name, numbers.length, end - at, nan === undefined ? {} : { nan })
    const known = Math.min(numbers.length, end - at)
    for (let i = 0; i < known; i++) target[at + i] = numbers[i] as number
    target.fill(Number.NaN, at + known, end)
    return numbers.length > 0
  }

  /** As `placeFloats`, for flags: what is above 0 is 1, 255 where nothing is stored. */
  placeFlags(target: Uint8Array, name: string, value: JsonValue, at: number, end: number): boolean {
    const numbers = this.numbers(name, value)
    if (numbers === null) return false
    this.store(name, numbers.length, end - at)
    const known = Math.min(numbers.length, end - at)
    const odd = new OddValues()
    for (let i = 0; i < known; i++) {
      const flag = numbers[i] as number
      target[at + i] = flagOf(flag)
      if (flag !== 0 && flag !== 1) odd.add(flag, i)
    }
    for (const { code, message } of odd.described(name)) this.issue(code, name, message)
    target.fill(UNKNOWN, at + known, end)
    return numbers.length > 0 || end > at
  }

  /** `NO_INTEGER` where nothing is stored. */
  integers(name: string, value: JsonValue, at = 0, end = this.length): Int32Array | null {
    const numbers = this.numbers(name, value)
    if (numbers === null || (numbers.length === 0 && end > at)) return null
    this.store(name, numbers.length, end - at)
    if (numbers instanceof Int32Array && at === 0 && numbers.length === this.length) return numbers
    const integers = new Int32Array(this.length).fill(NO_INTEGER)
    const known = Math.min(numbers.length, end - at)
    for (let i = 0; i < known; i++) {
      const number = numbers[i] as number
      if (!Number.isNaN(number)) integers[at + i] = number
    }
    return integers
  }

  /** 0/1 flags that are no loss mask; 255 where nothing is stored. */
  flags(name: string, value: JsonValue, at = 0, end = this.length): Uint8Array | null {
    const numbers = this.numbers(name, value)
    if (numbers === null) return null
    this.store(name, numbers.length, end - at, { isBeside: true })
    return this.placed(numbers, at, end, UNKNOWN, null).mask
  }

  /**
   * Loss weights: 1 where a weight is above 0, 255 where nothing is stored. `before` is the value of tokens before `at`.
   * A list of S - 1 is no mismatch: it may be aligned with the predicted tokens, which is decided later.
   */
  mask(name: string, value: JsonValue, at = 0, end = this.length, before = UNKNOWN): MaskStream | null {
    const numbers = this.numbers(name, value)
    if (numbers === null) return null
    const odd = new OddValues()
    this.store(name, numbers.length, end - at, {}, numbers.length === this.length - 1)
    const read = this.placed(numbers, at, end, before, odd)
    for (const { code, message } of odd.described(name)) this.issue(code, name, message)
    return read
  }

  /** Brings weights to the length of the sequence. */
  private placed(numbers: Numbers, at: number, end: number, before: number, odd: OddValues | null): MaskStream {
    // What nearly every mask is made of is read by itself.
    const flags = numbers instanceof Int32Array ? flagsOf(numbers) : null
    if (flags !== null && at === 0 && flags.length === this.length && end === this.length) {
      return { mask: flags, weights: null }
    }
    const mask = new Uint8Array(this.length)
    mask.fill(before, 0, at)
    let weights: Float32Array | null = null
    const known = Math.min(numbers.length, end - at)
    if (flags !== null) mask.set(flags.subarray(0, known), at)
    for (let i = flags === null ? 0 : known; i < known; i++) {
      const weight = numbers[i] as number
      if (weight === 0 || weight === 1) {
        mask[at + i] = weight
        continue
      }
      mask[at + i] = flagOf(weight)
      odd?.add(weight, i)
      if (!Number.isNaN(weight)) weights ??= new Float32Array(this.length)
    }
    mask.fill(UNKNOWN, at + known)
    if (weights !== null) {
      for (let i = 0; i < known; i++) weights[at + i] = numbers[i] as number
      weights.fill(Number.NaN, at + known)
    }
    return { mask, weights }
  }

  /**
   * Labels: -100 is not trained, the id at the same place is trained; anything else is trained to say something else. Labels that all
   * name the next id were shifted already, as a target-aligned mask is, which is decided later.
   */
  labels(name: string, value: JsonValue, ids: Int32Array): Uint8Array | null {
    const numbers = this.numbers(name, value)
    if (numbers === null) return null
    const mask = new Uint8Array(this.length)
    let wrong = 0
    let first = -1
    let shifted = true
    const known = Math.min(numbers.length, this.length)
    for (let i = 0; i < known; i++) {
      const label = numbers[i] as number
      if (label === IGNORED_LABEL) continue
      mask[i] = 1
      if (label !== ids[i + 1]) shifted = false
      if (label === ids[i]) continue
      if (wrong++ === 0) first = i
    }
    mask.fill(UNKNOWN, known)
    const namesNext = wrong > 0 && shifted
    this.store(name, numbers.length, this.length, namesNext ? { namesNext } : {}, numbers.length === this.length - 1)
    if (wrong > 0 && !shifted) {
      this.issue(
        'label-mismatch',
        name,
        `${wrong} labels are neither ${IGNORED_LABEL} nor the id at their place; the first is ${name}[${first}] = ${numbers[first]}, where the id is ${ids[first]}`,
      )
    }
    return mask
  }

  private numbers(name: string, value: JsonValue): Numbers | null {
    if (value === null) return null
    const numbers = numbersOf(value)
    if (numbers === null) this.issue('bad-type', name, `${name} is ${kindOf(value)}, but not one of numbers only`)
    return numbers
  }

  private store(
    name: string,
    length: number,
    expected: number,
    more: Pick<StoredArray, 'namesNext' | 'isBeside' | 'nan'> = {},
    allowed = false,
  ): void {
    this.arrays.push({ name, length, expected, ...more })
    if (length === expected || allowed) return
    this.issue('length-mismatch', name, `${name} has ${length} entries, ${expected} were expected`)
  }

  private issue(code: string, field: string, message: string): void {
    this.issues.push({ code, field, message })
  }
}

/** Values of a mask that no loss weight has. */
class OddValues {
  private negative = 0
  private firstNegative = -1
  private labelled = 0
  private least = 0
  private unknown = 0
  private firstUnknown = -1

  add(value: number, index: number): void {
    if (value < 0) {
      if (this.negative++ === 0) this.firstNegative = index
      if (value === IGNORED_LABEL) this.labelled++
      this.least = Math.min(this.least, value)
    } else if (Number.isNaN(value)) {
      if (this.unknown++ === 0) this.firstUnknown = index
    }
  }

  *described(name: string): Generator<{ readonly code: string; readonly message: string }> {
    const { negative, unknown } = this
    if (negative > 0) {
      const what =
        this.labelled === negative
          ? `are ${IGNORED_LABEL}, which is how labels, and no masks, say that a token is not trained`
          : `are below 0, down to ${this.least}, which no loss weight is`
      yield {
        code: 'negative-weight',
        message: `${negative} of the values in ${name} ${what}; they are read as not trained (the first is ${name}[${this.firstNegative}])`,
      }
    }
    if (unknown > 0) {
      yield {
        code: 'unknown-weight',
        message: `${unknown} of the values in ${name} are NaN or null: whether these tokens are trained is not known (the first is ${name}[${this.firstUnknown}])`,
      }
    }
  }
}
