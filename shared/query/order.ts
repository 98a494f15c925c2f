/**
 * Sorting of very many rollouts. Numbers become keys of 64 bits that compare as the numbers do, and are sorted digit by digit, which
 * takes the same few passes for any order that they come in.
 */

const DIGITS = 1 << 16
const SIGN = 0x80000000
/** Which half of a number's bits comes first in memory. */
const IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** As many different numbers are told apart by a table, so that one pass sorts them: rewards and shares mostly have few. */
const FEW = 1 << 12

/**
 * The rollouts in the order of their values, those of equal values in their own order and those without (NaN) last in both
 * directions. `values` has one entry a rollout.
 */
export function ordered(values: Float64Array, descending: boolean): Int32Array {
  const shape = shapeOf(values)
  if (shape.missing === 0 && (descending ? shape.falls : shape.rises))
    return new Int32Array(values.length).map((_, i) => i)
  const present = new Int32Array(values.length)
  const absent = new Int32Array(shape.missing)
  let [there, missing] = [0, 0]
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) absent[missing++] = i
    else present[there++] = i
  }
  const sorted = sortByKeys(present.subarray(0, there), values, descending, shape)
  present.set(sorted)
  present.set(absent, there)
  return present
}

/** Of the values that are numbers: whether each is at least the one before, or at most; whether all are whole; their bounds. */
interface Shape {
  readonly missing: number
  readonly rises: boolean
  readonly falls: boolean
  readonly areWhole: boolean
  readonly least: number
  readonly most: number
}

function shapeOf(values: Float64Array): Shape {
  let missing = 0
  let rising = 0
  let falling = 0
  let whole = 0
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let before = values[0] as number
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (Number.isNaN(value)) {
      missing++
      continue
    }
    if (value > before) rising++
    else if (value < before) falling++
    if (Math.floor(value) === value) whole++
    if (value < least) least = value
    if (value > most) most = value
    before = value
  }
  const there = values.length - missing
  return { missing, rises: falling === 0, falls: rising === 0, areWhole: whole === there, least, most }
}

/** Rollouts with the keys that they are sorted by: 32 bits, or 64 in two halves. */
interface Keyed {
  readonly indices: Int32Array
  readonly low: Uint32Array
  readonly high: Uint32Array | null
}

function sortByKeys(indices: Int32Array, values: Float64Array, descending: boolean, shape: Shape): Int32Array {
  let keyed =
    wholeKeys(indices, values, descending, shape) ??
    fewKeys(indices, values, descending) ??
    numberKeys(indices, values, descending)
  const { length } = indices
  // Keys are moved with what they belong to, so that each pass reads them one after the other.
  let moved: Keyed = {
    indices: new Int32Array(length),
    low: new Uint32Array(length),
    high: keyed.high === null ? null : new Uint32Array(length),
  }
  for (const half of keyed.high === null ? (['low'] as const) : (['low', 'high'] as const)) {
    for (const shift of [0, 16]) if (pass(keyed, moved, half, shift)) [keyed, moved] = [moved, keyed]
  }
  return keyed.indices
}

/** Of whole numbers that lie near enough to each other, how far each is from the first in order; null for others. */
function wholeKeys(
  indices: Int32Array,
  values: Float64Array,
  descending: boolean,
  { areWhole, least, most }: Shape,
): Keyed | null {
  if (!areWhole || !(most - least < 2 ** 32)) return null
  const low = new Uint32Array(indices.length)
  for (let i = 0; i < indices.length; i++) {
    const value = values[indices[i] as number] as number
    low[i] = descending ? most - value : value - least
  }
  return { indices, low, high: null }
}

/** Of numbers among which few are different, the place of each among these; null for others. */
function fewKeys(indices: Int32Array, values: Float64Array, descending: boolean): Keyed | null {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  const distinct: number[] = []
  // Which of the distinct values stands there, plus one.
  const table = new Uint16Array(4 * FEW)
  const low = new Uint32Array(indices.length)
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i] as number
    const value = values[index] as number
    let at = Math.imul((words[2 * index] as number) ^ Math.imul(words[2 * index + 1] as number, 31), 0x9e3779b1) >>> 18
    while (table[at] !== 0 && distinct[(table[at] as number) - 1] !== value) at = (at + 1) % table.length
    if (table[at] === 0) {
      if (distinct.length === FEW) return null
      table[at] = distinct.push(value)
    }
    low[i] = (table[at] as number) - 1
  }
  const sorted = [...distinct].sort((a, b) => (descending ? b - a : a - b))
  // -0 and 0 hash differently and are one number.
  const places = new Map(sorted.map((value, place) => [value, place]))
  const placeOf = Uint32Array.from(distinct, (value) => places.get(value) as number)
  for (let i = 0; i < low.length; i++) low[i] = placeOf[low[i] as number] as number
  return { indices, low, high: null }
}

/** The lower and the upper half of the bits of each number, turned so that they compare as the numbers do. */
function numberKeys(indices: Int32Array, values: Float64Array, descending: boolean): Keyed {
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
  return { indices, low, high }
}

const counts = new Uint32Array(DIGITS)

/** Sorts by one digit, stably; false where all have the same one and nothing was moved. */
function pass(from: Keyed, to: Keyed, half: 'low' | 'high', shift: number): boolean {
  const keys = from[half] as Uint32Array
  const { length } = keys
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
  const [other, otherTo] = half === 'low' ? [from.high, to.high] : [null, null]
  const keysTo = to[half] as Uint32Array
  for (let i = 0; i < length; i++) {
    const key = keys[i] as number
    const digit = (key >>> shift) & (DIGITS - 1)
    const place = counts[digit] as number
    counts[digit] = place + 1
    keysTo[place] = key
    to.indices[place] = from.indices[i] as number
    if (other !== null && otherTo !== null) otherTo[place] = other[i] as number
  }
  return true
}

/** "q2" before "q10", whatever the machine's language. */
const collator = new Intl.Collator('en', { numeric: true })

/** Numbers that compare as the words do; those of words that are equal in order are equal. */
export function wordRanks(words: readonly string[]): Float64Array {
  const numbered = numberedWords(words)
  if (numbered !== null) return numbered
  const ranks = new Float64Array(words.length)
  const sorted = Int32Array.from(words, (_, i) => i).sort((a, b) =>
    collator.compare(words[a] as string, words[b] as string),
  )
  let rank = 0
  for (let i = 0; i < sorted.length; i++) {
    const index = sorted[i] as number
    if (i > 0 && collator.compare(words[sorted[i - 1] as number] as string, words[index] as string) !== 0) rank = i
    ranks[index] = rank
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
