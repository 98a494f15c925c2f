import { withHexadecimals } from '../checks/texts/text-template.ts'
import { knownOrder, ordered, orderOf } from './order.ts'

/** Whole numbers up to here are exact. */
const EXACT = 2 ** 53
/** Few are compared one by one. */
const FEW = 16

/** Texts of one template, as the numbers that stand in them. */
interface TemplateRows {
  readonly length: number
  readonly slots: number
  /** The numbers of all rows in a slot, in an array that is written over; NaN where a row has no text. */
  read(slot: number): Float64Array
  textOf(row: number): string
}

/** Numbers that compare as texts of one template do, the first number in which weighs most; NaN where there is none. */
export function rowRanks({ length, slots, read, textOf }: TemplateRows): Float64Array {
  let keys: Float64Array | null = null
  let room = EXACT
  // As many as fit into one exact number.
  for (let slot = 0; slot < slots; slot++) {
    const values = read(slot)
    const [least, most] = boundsOf(values)
    const range = most - least + 1
    if (slot > 0 && !(range > 1)) continue
    // The first one does: a number of a template is exact.
    if (keys !== null && range > room) return ranksBy(keys, textOf)
    room = Math.floor(room / range)
    if (keys === null) keys = lessened(values, least)
    else addDigits(keys, range, values, least)
  }
  return keys ?? new Float64Array(length)
}

// Functions of their own, as in `verdict-loops.ts`.

function lessened(values: Float64Array, by: number): Float64Array {
  for (let i = 0; i < values.length; i++) values[i] = (values[i] as number) - by
  return values
}

function addDigits(keys: Float64Array, range: number, values: Float64Array, least: number): void {
  for (let i = 0; i < keys.length; i++) keys[i] = (keys[i] as number) * range + ((values[i] as number) - least)
}

function boundsOf(values: Float64Array): readonly [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}

/** The places of rows by their keys, and where these are equal by their texts; NaN where the key is. */
function ranksBy(keys: Float64Array, textOf: (row: number) => string): Float64Array {
  const { order, areDifferent } = orderOf(keys, false)
  // Looking all of them up again takes half as long as sorting them did.
  if (areDifferent ?? areDistinct(order, keys)) {
    if (!Number.isNaN(keys[order.at(-1) as number])) knownOrder(keys, order)
    return keys
  }
  const ranks = new Float64Array(keys.length)
  for (let start = 0, end = 0; start < order.length; start = end) {
    const key = keys[order[start] as number] as number
    for (end = start + 1; end < order.length && keys[order[end] as number] === key; ) end++
    const run = order.subarray(start, end)
    if (run.length === 1) ranks[run[0] as number] = Number.isNaN(key) ? key : start
    else {
      const own = wordRanks(Array.from(run, textOf))
      for (let i = 0; i < run.length; i++) ranks[run[i] as number] = start + (own[i] as number)
    }
  }
  return ranks
}

function areDistinct(order: Int32Array, keys: Float64Array): boolean {
  for (let i = 1; i < order.length; i++) if (keys[order[i] as number] === keys[order[i - 1] as number]) return false
  return true
}

function rankRun(run: Int32Array, from: number, compare: (a: number, b: number) => number, ranks: Float64Array): void {
  let rank = from
  for (let i = 0; i < run.length; i++) {
    if (i > 0 && compare(run[i - 1] as number, run[i] as number) !== 0) rank = from + i
    ranks[run[i] as number] = rank
  }
}

/**
 * Numbers that compare as the words do, whatever the machine's language: in any case, their numbers as numbers ("q2" before "q10"), else
 * character by character, and so are UUIDs and other ids of sixteen or more hexadecimal digits, behind all numbers. Those of words that are
 * equal in order are equal.
 */
export function wordRanks(words: readonly string[]): Float64Array {
  const ranks = new Float64Array(words.length)
  const rows = Int32Array.from(words, (_, i) => i)
  const folded = words.map(foldedWord)
  rankWords(rows, 0, folded, ranks)
  return ranks
}

const DIGITS = /[0-9]/g
const BEHIND_DIGITS = /[:-@]/g

/**
 * A word in lower case in which digits are those of numbers alone. Those of hexadecimal ids stand at the places of ":" to "C", and what is
 * there at those of "N" to "T", which are free in lower case and no hexadecimal digits.
 */
function foldedWord(word: string): string {
  const lower = word.toLowerCase().replace(BEHIND_DIGITS, (character) => moved(character, 20))
  return withHexadecimals(lower, (id) => id.replace(DIGITS, (digit) => moved(digit, 10)))
}

function moved(character: string, by: number): string {
  return String.fromCharCode(character.charCodeAt(0) + by)
}

/** Ranks these words from `from` on, as they compare. */
function rankWords(rows: Int32Array, from: number, words: readonly string[], ranks: Float64Array): void {
  const compare = (a: number, b: number) => compareWords(words[a] as string, words[b] as string)
  if (rows.length <= FEW) {
    rankRun(rows.sort(compare), from, compare, ranks)
    return
  }
  const start = commonStart(rows, words)
  const keys = Float64Array.from(rows, (row) => keyOf(words[row] as string, start))
  const order = ordered(keys, false)
  for (let first = 0, end = 0; first < order.length; first = end) {
    const key = keys[order[first] as number]
    for (end = first + 1; end < order.length && keys[order[end] as number] === key; ) end++
    const run = Int32Array.from(order.subarray(first, end), (at) => rows[at] as number)
    // Of words that begin alike what follows is looked at; where that is no further on they are compared one by one.
    if (run.length > FEW && commonStart(run, words) > start) rankWords(run, from + first, words, ranks)
    else rankRun(run.sort(compare), from + first, compare, ranks)
  }
}

/** How many characters all of these words begin with, a number that goes on behind them left out. */
function commonStart(rows: Int32Array, words: readonly string[]): number {
  const first = words[rows[0] as number] as string
  let start = first
  for (let i = 1; i < rows.length && start !== ''; i++) {
    const word = words[rows[i] as number] as string
    if (word.startsWith(start)) continue
    let same = 0
    while (same < word.length && same < start.length && word.charCodeAt(same) === start.charCodeAt(same)) same++
    start = start.slice(0, same)
  }
  let { length } = start
  while (length > 0 && isDigit(first.charCodeAt(length - 1))) length--
  return length
}

const KEY_BYTES = 6
const ZERO = 0x30
/** A number of as many digits is not told from longer ones by its length. */
const LONG = 9

/** What stands from a place on, in 48 bits that compare as it does; equal for some that are not. */
function keyOf(word: string, start: number): number {
  let key = 0
  let bytes = 0
  const add = (byte: number) => {
    if (bytes < KEY_BYTES) key = key * 256 + byte
    bytes++
  }
  for (let at = start; at < word.length && bytes < KEY_BYTES; at++) {
    const code = word.charCodeAt(at)
    if (code >= 0x80) {
      add(0xff)
      break
    }
    if (!isDigit(code)) {
      add(code)
      continue
    }
    while (word.charCodeAt(at) === ZERO) at++
    const first = at
    while (isDigit(word.charCodeAt(at))) at++
    add(ZERO + Math.min(LONG, at - first))
    if (at - first >= LONG) break
    for (let digit = first; digit < at; digit++) add(word.charCodeAt(digit))
    at--
  }
  return key * 256 ** Math.max(0, KEY_BYTES - bytes)
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39
}

function compareWords(a: string, b: string): number {
  let [left, right] = [0, 0]
  while (left < a.length && right < b.length) {
    const [one, other] = [a.charCodeAt(left), b.charCodeAt(right)]
    if (isDigit(one) && isDigit(other)) {
      while (a.charCodeAt(left) === ZERO) left++
      while (b.charCodeAt(right) === ZERO) right++
      const [first, second] = [endOfNumber(a, left), endOfNumber(b, right)]
      if (first - left !== second - right) return first - left - (second - right)
      for (; left < first; left++, right++) {
        const difference = a.charCodeAt(left) - b.charCodeAt(right)
        if (difference !== 0) return difference
      }
    } else {
      if (one !== other) return one - other
      left++
      right++
    }
  }
  return a.length - left - (b.length - right)
}

function endOfNumber(word: string, from: number): number {
  let end = from
  while (isDigit(word.charCodeAt(end))) end++
  return end
}
