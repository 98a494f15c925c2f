/**
 * Sorting of very many rollouts. Numbers become keys of 64 bits that compare as the numbers do, and are sorted digit by digit, which
 * takes the same few passes for any order that they come in.
 */

const DIGITS = 1 << 16

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
  const { length } = indices
  const low = new Uint32Array(length)
  const high = new Uint32Array(length)
  const one = new Float64Array(1)
  const [oneLow, oneHigh] = wordsOf(one)
  for (let i = 0; i < length; i++) {
    // Plus zero: -0 and 0 are one number.
    one[0] = (values[indices[i] as number] as number) + 0
    let lowBits = oneLow()
    let highBits = oneHigh()
    // Negative numbers compare the other way round.
    if (highBits >>> 31 === 1) {
      lowBits = ~lowBits
      highBits = ~highBits
    } else highBits ^= 0x80000000
    low[i] = descending ? ~lowBits : lowBits
    high[i] = descending ? ~highBits : highBits
  }
  let from: Int32Array = Int32Array.from({ length }, (_, i) => i)
  let to: Int32Array = new Int32Array(length)
  for (const [keys, shift] of [
    [low, 0],
    [low, 16],
    [high, 0],
    [high, 16],
  ] as const) {
    if (pass(keys, shift, from, to)) [from, to] = [to, from]
  }
  for (let i = 0; i < length; i++) to[i] = indices[from[i] as number] as number
  return to
}

/** Readers of the two halves of a number's bits, whatever the byte order of the machine. */
function wordsOf(number: Float64Array): [() => number, () => number] {
  const words = new Uint32Array(number.buffer)
  number[0] = 1
  const isLittle = words[0] === 0
  const [low, high] = isLittle ? [0, 1] : [1, 0]
  return [() => words[low] as number, () => words[high] as number]
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
