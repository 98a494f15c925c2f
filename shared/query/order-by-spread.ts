import { giveBack, room } from './order-memory.ts'

/**
 * Numbers that lie evenly, by where each lies between the least and the most: once into heaps that a processor keeps at hand, then heap by heap.
 * The numbers go with their rollouts, since looking one up of ten million takes longer than moving it does.
 */

/** With more heaps a pass writes to more places than a processor keeps at hand. */
const MOST_HEAP_BITS = 12
/** Of so many rollouts, which with their numbers are some kilobytes. */
const HEAP_BITS = 10
/** Twice as many places as rollouts, or up to four times. */
const MORE_BITS = 1
/** So many moves for each rollout may put numbers right that fell together; where that takes more, they lie too unevenly. */
const MOVES = 2
/** By as many numbers is seen how evenly they lie. */
const SAMPLE = 256

export interface NumberColumn {
  /** Those that have a number, which are put in order. */
  readonly rollouts: Int32Array
  /** By rollout. */
  readonly values: Float64Array
  readonly descending: boolean
  readonly least: number
  readonly most: number
}

/** How numbers become whole ones of 32 bits; products of floating point are rounded, and never so that they change places. */
interface Spread {
  readonly sign: number
  readonly least: number
  readonly scale: number
  /** The upper bits tell heaps from each other, and these places within one. */
  readonly lowBits: number
}

/** Of numbers that were put in order, whether two are equal; `uneven` of those that were not, of which none is lost and equal ones are as they were. */
export type Sorted = 'equal' | 'different' | 'uneven'

export function sortBySpread(column: NumberColumn): Sorted {
  const { rollouts, descending, least, most } = column
  const bits = Math.ceil(Math.log2(rollouts.length + 1))
  const heapBits = Math.min(MOST_HEAP_BITS, Math.max(1, bits - HEAP_BITS))
  const scale = (2 ** 32 - 1) / (most - least)
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) return 'uneven'
  const sign = descending ? -1 : 1
  const spread = { sign, least: descending ? -most : least, scale, lowBits: 32 - heapBits }
  // In so many places as there are rollouts.
  if (!liesEvenly(column, { ...spread, scale: scale / 2 ** (32 - bits) })) return 'uneven'
  const heaped = {
    rollouts: new Int32Array(room(rollouts.length), 0, rollouts.length),
    values: roomForValues(rollouts.length),
  }
  const ends = intoHeaps(column, spread, heaped)
  const sorted = sortHeaps(ends, spread, heaped, rollouts)
  giveBack(heaped.values)
  giveBack(heaped.rollouts)
  return sorted
}

function roomForValues(length: number): Float64Array {
  return new Float64Array(room(2 * length), 0, length)
}

/** Of a sample few fall together that are not equal. */
function liesEvenly({ rollouts, values }: NumberColumn, { sign, least, scale }: Spread): boolean {
  const step = Math.max(1, Math.floor(rollouts.length / SAMPLE))
  const sample = new Float64Array(Math.floor(rollouts.length / step))
  for (let i = 0; i < sample.length; i++) sample[i] = sign * (values[rollouts[i * step] as number] as number)
  sample.sort()
  let together = 0
  for (let i = 1; i < sample.length; i++) {
    const [before, value] = [sample[i - 1] as number, sample[i] as number]
    if (value !== before && Math.floor((value - least) * scale) === Math.floor((before - least) * scale)) together++
  }
  return together <= sample.length / 16
}

interface Heaped {
  readonly rollouts: Int32Array
  /** With the sign that puts them in order upwards. */
  readonly values: Float64Array
}

/** Puts rollouts and their numbers into heaps, each in the order in which they come; gives where each heap ends. */
function intoHeaps(column: NumberColumn, spread: Spread, to: Heaped): Uint32Array {
  const places = new Uint32Array(2 ** (32 - spread.lowBits))
  countHeaps(column, spread, places)
  placesOf(places)
  moveToHeaps(column, spread, places, to)
  return places
}

// Functions of their own, as in `verdict-loops.ts`.

function countHeaps(
  { rollouts, values }: NumberColumn,
  { sign, least, scale, lowBits }: Spread,
  counts: Uint32Array,
): void {
  for (let i = 0; i < rollouts.length; i++) {
    const place = (sign * (values[rollouts[i] as number] as number) - least) * scale
    const heap = (place >>> 0) >>> lowBits
    counts[heap] = (counts[heap] as number) + 1
  }
}

function moveToHeaps(
  column: NumberColumn,
  { sign, least, scale, lowBits }: Spread,
  places: Uint32Array,
  to: Heaped,
): void {
  const { rollouts, values } = column
  const [toRollouts, toValues] = [to.rollouts, to.values]
  for (let i = 0; i < rollouts.length; i++) {
    const rollout = rollouts[i] as number
    const value = sign * (values[rollout] as number)
    const heap = (((value - least) * scale) >>> 0) >>> lowBits
    const place = places[heap] as number
    places[heap] = place + 1
    toRollouts[place] = rollout
    toValues[place] = value
  }
}

/** Puts what stands in heaps in order, into `order`; uneven where that takes too many moves. */
function sortHeaps(ends: Uint32Array, spread: Spread, heaped: Heaped, order: Int32Array): Sorted {
  const largest = largestOf(ends)
  const values = new Float64Array(largest)
  const room = new Uint32Array(2 ** placeBits(largest, spread))
  let moves = MOVES * order.length
  let areDifferent = true
  for (let heap = 0, start = 0; heap < ends.length; heap++) {
    const end = ends[heap] as number
    const places = room.subarray(0, 2 ** placeBits(end - start, spread)).fill(0)
    countPlaces(heaped.values, start, end, spread, places)
    placesOf(places)
    moveToPlaces(heaped, start, end, spread, places, order, values)
    moves = putRight(order, start, end, values, moves)
    if (moves < 0) {
      order.set(heaped.rollouts.subarray(end), end)
      return 'uneven'
    }
    areDifferent &&= !hasEqual(values, end - start)
    start = end
  }
  return areDifferent ? 'different' : 'equal'
}

/** More places than a heap has rollouts: few share one. */
function placeBits(rollouts: number, { lowBits }: Spread): number {
  return Math.min(lowBits, Math.ceil(Math.log2(rollouts + 1)) + MORE_BITS)
}

function largestOf(ends: Uint32Array): number {
  let [largest, start] = [0, 0]
  for (const end of ends) {
    largest = Math.max(largest, end - start)
    start = end
  }
  return largest
}

/** Of how many there are of each, where the first of each comes to stand. */
function placesOf(counts: Uint32Array): void {
  let sum = 0
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] as number
    counts[i] = sum
    sum += count
  }
}

function hasEqual(inOrder: Float64Array, length: number): boolean {
  for (let i = 1; i < length; i++) if (inOrder[i] === inOrder[i - 1]) return true
  return false
}

function countPlaces(
  values: Float64Array,
  start: number,
  end: number,
  { least, scale, lowBits }: Spread,
  counts: Uint32Array,
): void {
  const [heap, shift] = [32 - lowBits, 32 - Math.log2(counts.length)]
  for (let i = start; i < end; i++) {
    const place = ((((values[i] as number) - least) * scale) << heap) >>> shift
    counts[place] = (counts[place] as number) + 1
  }
}

function moveToPlaces(
  { rollouts, values }: Heaped,
  start: number,
  end: number,
  { least, scale, lowBits }: Spread,
  places: Uint32Array,
  toRollouts: Int32Array,
  toValues: Float64Array,
): void {
  const [heap, shift] = [32 - lowBits, 32 - Math.log2(places.length)]
  for (let i = start; i < end; i++) {
    const value = values[i] as number
    const key = (((value - least) * scale) << heap) >>> shift
    const place = places[key] as number
    places[key] = place + 1
    toRollouts[start + place] = rollouts[i] as number
    toValues[place] = value
  }
}

/** Puts those in order that fell together; gives how many moves are left, below 0 where these did not do and some still are not in order. */
function putRight(rollouts: Int32Array, start: number, end: number, values: Float64Array, moves: number): number {
  let left = moves
  for (let i = 1; i < end - start; i++) {
    const value = values[i] as number
    if (!((values[i - 1] as number) > value)) continue
    const rollout = rollouts[start + i] as number
    let at = i
    for (; at > 0 && (values[at - 1] as number) > value; at--) {
      values[at] = values[at - 1] as number
      rollouts[start + at] = rollouts[start + at - 1] as number
    }
    values[at] = value
    rollouts[start + at] = rollout
    left -= i - at
    if (left < 0) return left
  }
  return left
}
