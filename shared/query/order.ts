import { uncounted } from '../model/uncounted-memory.ts'
import { type NumberColumn, sortBySpread } from './order-by-spread.ts'
import { giveBack, room, roomForKeys } from './order-memory.ts'

/**
 * Sorting of very many rollouts. Whole numbers, and those among which few are different, are sorted digit by digit in one or two passes, and so are the
 * bits of numbers that lie unevenly; those that their upper bits do not tell apart are put right at the end.
 */

/** Bits of a digit: with more of them a pass writes to more places than a processor keeps at hand. */
const DIGIT_BITS = 13
/** So many moves for each rollout may put numbers right; where that takes more, more of their bits are sorted. */
const MOVES = 2
/** As many different numbers are told apart by a table, so that one pass sorts them: rewards and shares mostly have few. */
const FEW = 1 << 12

const SIGN = 0x80000000
/** Which half of a number's bits comes first in memory. */
const IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/**
 * The rollouts in the order of their values, those of equal values in their own order and those without (NaN) last in both
 * directions. `values` has one entry a rollout.
 */
export function ordered(values: Float64Array, descending: boolean): Int32Array {
  const known = orders.get(values)
  if (known !== undefined) return descending ? known.toReversed() : known
  return orderOf(values, descending).order
}

const orders = new WeakMap<Float64Array, Int32Array>()

/** Of values that are all different, and stay as they are: their order, found out on the way to something else. */
export function knownOrder(values: Float64Array, ascending: Int32Array): void {
  orders.set(values, ascending)
}

interface Order {
  /** As in `ordered`. */
  readonly order: Int32Array
  /** Whether no two values are equal, where sorting them told it. */
  readonly areDifferent: boolean | null
}

/** The same with what it came upon. */
export function orderOf(values: Float64Array, descending: boolean): Order {
  const { missing, least, most } = boundsOf(values)
  const order = new Int32Array(uncounted(4 * values.length))
  if (missing === 0) {
    for (let i = 0; i < order.length; i++) order[i] = i
    if (isInOrder(values, descending)) return { order, areDifferent: null }
  }
  const there = values.length - missing
  let [present, absent] = [0, there]
  if (missing > 0) for (let i = 0; i < values.length; i++) order[Number.isNaN(values[i]) ? absent++ : present++] = i
  const column = { rollouts: order.subarray(0, there), values, descending, least, most }
  if (sortWhole(column) || sortFew(column)) return { order, areDifferent: null }
  const sorted = sortBySpread(column)
  if (sorted === 'uneven') sortByBits(column)
  return { order, areDifferent: sorted === 'uneven' ? null : sorted === 'different' }
}

function boundsOf(values: Float64Array): { readonly missing: number; readonly least: number; readonly most: number } {
  let missing = 0
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (value < least) least = value
    if (value > most) most = value
    if (Number.isNaN(value)) missing++
  }
  return { missing, least, most }
}

function isInOrder(values: Float64Array, descending: boolean): boolean {
  for (let i = 1; i < values.length; i++) {
    const [before, value] = [values[i - 1] as number, values[i] as number]
    if (descending ? value > before : value < before) return false
  }
  return true
}

function areWhole({ rollouts, values }: NumberColumn): boolean {
  for (let i = 0; i < rollouts.length; i++) {
    const value = values[rollouts[i] as number] as number
    if (Math.floor(value) !== value) return false
  }
  return true
}

/** Whole numbers that lie near enough to each other, by how far each is from the first in order; false for others. */
function sortWhole(column: NumberColumn): boolean {
  const range = column.most - column.least
  if (!(range < 2 ** 32) || !areWhole(column)) return false
  giveBack(sortByDigits(column.rollouts, spreadKeys(column, 1), bitsOf(range)))
  return true
}

/** Numbers among which few are different, by the place of each among these; false for others. */
function sortFew({ rollouts, values, descending }: NumberColumn): boolean {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  const distinct: number[] = []
  // Which of the distinct values stands there, plus one.
  const table = new Uint16Array(4 * FEW)
  const low = roomForKeys(rollouts.length)
  for (let i = 0; i < rollouts.length; i++) {
    const index = rollouts[i] as number
    const value = values[index] as number
    let at = Math.imul((words[2 * index] as number) ^ Math.imul(words[2 * index + 1] as number, 31), 0x9e3779b1) >>> 18
    while (table[at] !== 0 && distinct[(table[at] as number) - 1] !== value) at = (at + 1) % table.length
    if (table[at] === 0) {
      if (distinct.length === FEW) {
        giveBack(low)
        return false
      }
      table[at] = distinct.push(value)
    }
    low[i] = (table[at] as number) - 1
  }
  const sorted = [...distinct].sort((a, b) => (descending ? b - a : a - b))
  // -0 and 0 hash differently and are one number.
  const places = new Map(sorted.map((value, place) => [value, place]))
  const placeOf = Uint32Array.from(distinct, (value) => places.get(value) as number)
  for (let i = 0; i < low.length; i++) low[i] = placeOf[low[i] as number] as number
  giveBack(sortByDigits(rollouts, low, bitsOf(distinct.length)))
  return true
}

/** Differences and products of floating point are rounded, and never so that they change places. */
function spreadKeys({ rollouts, values, descending, least, most }: NumberColumn, scale: number): Uint32Array {
  const keys = roomForKeys(rollouts.length)
  for (let i = 0; i < keys.length; i++) {
    const value = values[rollouts[i] as number] as number
    keys[i] = (descending ? most - value : value - least) * scale
  }
  return keys
}

function bitsOf(largest: number): number {
  return Math.max(1, Math.ceil(Math.log2(largest + 1)))
}

/** Puts those in order that have the same key; false, with none of them lost, where that takes too many moves. */
function putRight(keys: Uint32Array, { rollouts: order, values, descending }: NumberColumn): boolean {
  const sign = descending ? -1 : 1
  let moves = MOVES * order.length
  for (let i = 1; i < order.length; i++) {
    if (keys[i] !== keys[i - 1]) continue
    const rollout = order[i] as number
    const value = sign * (values[rollout] as number)
    let at = i
    for (; at > 0 && keys[at - 1] === keys[i]; at--) {
      const before = order[at - 1] as number
      if (sign * (values[before] as number) <= value) break
      order[at] = before
    }
    order[at] = rollout
    moves -= i - at
    if (moves < 0) return false
  }
  return true
}

/** By the upper half of the bits of each number; where that leaves too much to be put right, by the lower half before it. */
function sortByBits(column: NumberColumn): void {
  const { rollouts } = column
  const sort = (isUpper: boolean) => sortByDigits(rollouts, bitKeys(column, isUpper), 32)
  if (putRight(sort(true), column)) return
  giveBack(sort(false))
  giveBack(sort(true))
}

/** One half of the bits of each number, turned so that they compare as the numbers do. */
function bitKeys({ rollouts, values, descending }: NumberColumn, isUpper: boolean): Uint32Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  const [lowAt, highAt] = IS_LITTLE ? [0, 1] : [1, 0]
  const keys = roomForKeys(rollouts.length)
  for (let i = 0; i < keys.length; i++) {
    const at = 2 * (rollouts[i] as number)
    const low = words[at + lowAt] as number
    const high = words[at + highAt] as number
    let bits = isUpper ? high : low
    if (high >>> 31 === 0) bits = isUpper ? bits ^ SIGN : bits
    // Negative numbers compare the other way round; -0 and 0 are one number.
    else if (low !== 0 || high !== SIGN) bits = ~bits
    keys[i] = descending ? ~bits : bits
  }
  return keys
}

interface Keyed {
  readonly rollouts: Int32Array
  /** In the order of these. */
  readonly keys: Uint32Array
}

/** Puts rollouts in the order of their keys of so many bits, those of equal keys as they come. Gives the keys in this order, in place of those that it takes. */
function sortByDigits(rollouts: Int32Array, given: Uint32Array, bits: number): Uint32Array {
  const { length } = given
  const passes = Math.ceil(bits / DIGIT_BITS)
  const width = Math.ceil(bits / passes)
  let from: Keyed = { rollouts, keys: given }
  let to: Keyed = { rollouts: new Int32Array(room(length), 0, length), keys: roomForKeys(length) }
  for (let pass = 0; pass < passes; pass++) {
    byDigit(from, to, pass * width, width)
    ;[from, to] = [to, from]
  }
  if (from.rollouts !== rollouts) rollouts.set(from.rollouts)
  giveBack(from.rollouts === rollouts ? to.rollouts : from.rollouts)
  giveBack(to.keys)
  return from.keys
}

function byDigit(from: Keyed, to: Keyed, shift: number, width: number): void {
  const mask = 2 ** width - 1
  const places = new Uint32Array(2 ** width)
  countDigits(from.keys, shift, mask, places)
  let sum = 0
  for (let digit = 0; digit < places.length; digit++) {
    const count = places[digit] as number
    places[digit] = sum
    sum += count
  }
  moveByDigit(from, to, shift, mask, places)
}

// Functions of their own, as in `verdict-loops.ts`.

function countDigits(keys: Uint32Array, shift: number, mask: number, places: Uint32Array): void {
  for (let i = 0; i < keys.length; i++) {
    const digit = ((keys[i] as number) >>> shift) & mask
    places[digit] = (places[digit] as number) + 1
  }
}

function moveByDigit({ rollouts, keys }: Keyed, to: Keyed, shift: number, mask: number, places: Uint32Array): void {
  const [toKeys, toRollouts] = [to.keys, to.rollouts]
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number
    const digit = (key >>> shift) & mask
    const place = places[digit] as number
    places[digit] = place + 1
    toKeys[place] = key
    toRollouts[place] = rollouts[i] as number
  }
}
