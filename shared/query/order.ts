/**
 * Sorting of very many rollouts. Numbers become keys of 64 bits that compare as the numbers do, and are sorted digit by digit, which
 * takes the same few passes for any order that they come in.
 */

const DIGITS = 1 << 16
const SIGN = 0x80000000
/** Which half of a number's bits comes first in memory. */
const IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/**
 * `indices` in the order of their values, those of equal values in their own order and those without (NaN) last in both directions.
 * `values` has one entry a rollout.
 */
export function ordered(indices: Int32Array, values: Float64Array, descending: boolean): Int32Array {
  const { length } = indices
  const present = new Int32Array(length)
  const absent = new Int32Array(length)
  let [there, missing] = [0, 0]
  for (let i = 0; i < length; i++) {
    const index = indices[i] as number
    if (Number.isNaN(values[index])) absent[missing++] = index
    else present[there++] = index
  }
  const sorted = sortByKeys(present.subarray(0, there), values, descending)
  const result = new Int32Array(length)
  result.set(sorted)
  result.set(absent.subarray(0, missing), there)
  return result
}

function sortByKeys(indices: Int32Array, values: Float64Array, descending: boolean): Int32Array {
  const keys = wholeKeys(indices, values, descending) ?? numberKeys(indices, values, descending)
  const { length } = indices
  let from = new Int32Array(length)
  for (let i = 0; i < length; i++) from[i] = i
  let to = new Int32Array(length)
  for (const half of keys) {
    for (const shift of [0, 16]) if (pass(half, shift, from, to)) [from, to] = [to, from]
  }
  for (let i = 0; i < length; i++) to[i] = indices[from[i] as number] as number
  return to
}

/** Of whole numbers that lie near enough to each other, how far each is from the first in order; null for others. */
function wholeKeys(indices: Int32Array, values: Float64Array, descending: boolean): Uint32Array[] | null {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < indices.length; i++) {
    const value = values[indices[i] as number] as number
    if (value % 1 !== 0) return null
    if (value < least) least = value
    if (value > most) most = value
  }
  if (!(most - least < 2 ** 32)) return null
  const keys = new Uint32Array(indices.length)
  for (let i = 0; i < indices.length; i++) {
    const value = values[indices[i] as number] as number
    keys[i] = descending ? most - value : value - least
  }
  return [keys]
}

/** The lower and the upper half of the bits of each number, turned so that they compare as the numbers do. */
function numberKeys(indices: Int32Array, values: Float64Array, descending: boolean): Uint32Array[] {
  const { length } = indices
  const low = new Uint32Array(length)
  const high = new Uint32Array(length)
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  const [lowAt, highAt] = IS_LITTLE ? [0, 1] : [1, 0]
  for (let i = 0; i < length; i++) {
    const at = 2 * (indices[i] as number)
    let lowBits = words[at + lowAt] as number
    let highBits = words[at + highAt] as number
    if (highBits >>> 31 === 0) highBits ^= SIGN
    // Negative numbers compare the other way round; -0 and 0 are one number.
    else if (lowBits !== 0 || highBits !== SIGN) {
      lowBits = ~lowBits
      highBits = ~highBits
    }
    low[i] = descending ? ~lowBits : lowBits
    high[i] = descending ? ~highBits : highBits
  }
  return [low, high]
}

const counts = new Uint32Array(DIGITS)

/** Sorts by one digit, stably; false where all have the same one and nothing was moved. */
function pass(keys: Uint32Array, shift: number, from: Int32Array, to: Int32Array): boolean {
  const { length } = from
  if (length === 0) return false
  counts.fill(0)
  for (let i = 0; i < length; i++) {
    const digit = ((keys[i] as number) >>> shift) & (DIGITS - 1)
    counts[digit] = (counts[digit] as number) + 1
  }
  if (counts[((keys[0] as number) >>> shift) & (DIGITS - 1)] === length) return false
  let sum = 0
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit] as number
    counts[digit] = sum
    sum += count
  }
  for (let i = 0; i < length; i++) {
    const at = from[i] as number
    const digit = ((keys[at] as number) >>> shift) & (DIGITS - 1)
    to[counts[digit] as number] = at
    counts[digit] = (counts[digit] as number) + 1
  }
  return true
}

/** "q2" before "q10", whatever the machine's language. */
const collator = new Intl.Collator('en', { numeric: true })

/** Where each word stands among all of them in order; equal ones share a place. */
export function wordRanks(words: readonly string[]): Float64Array {
  const ranks = new Float64Array(words.length)
  const numbered = numberedWords(words)
  const order = Int32Array.from(words, (_, i) => i)
  const sorted =
    numbered === null
      ? order.sort((a, b) => collator.compare(words[a] as string, words[b] as string) || a - b)
      : ordered(order, numbered, false)
  const isSame = (a: number, b: number) =>
    numbered === null ? collator.compare(words[a] as string, words[b] as string) === 0 : numbered[a] === numbered[b]
  let rank = 0
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && !isSame(sorted[i - 1] as number, sorted[i] as number)) rank = i
    ranks[sorted[i] as number] = rank
  }
  return ranks
}

/** The numbers behind a common beginning, as most ids are written: `q17`, `rollout-000123`. Null where one is written otherwise. */
function numberedWords(words: readonly string[]): Float64Array | null {
  const [first] = words
  if (first === undefined) return null
  const prefix = /^\D*/.exec(first)?.[0] as string
  const numbers = new Float64Array(words.length)
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string
    const { length } = word
    if (!word.startsWith(prefix) || length === prefix.length || length > prefix.length + 15) return null
    let number = 0
    for (let at = prefix.length; at < length; at++) {
      const digit = word.charCodeAt(at) - 48
      if (digit < 0 || digit > 9) return null
      number = number * 10 + digit
    }
    numbers[i] = number
  }
  return numbers
}
