/** Reading many rows of a packed column (`packed-columns.ts`) in one go. */

import { Hash64 } from '../../model/hash.ts'
import { type Column, cellAt, DIGEST, KIND } from './packed-columns.ts'
import type { Numbers } from './packed-numbers.ts'

/** Rows beside each other. */
export interface Rows {
  readonly row: number
  readonly length: number
}

/** Calls with each of the columns that these rows lie in, with where its rows come among them, from `at` on. */
export function visitPieces(
  column: Column,
  { row, length }: Rows,
  at: number,
  visit: (column: Column, rows: Rows, at: number) => void,
): void {
  if (column.kind !== KIND.pieces) {
    visit(column, { row, length }, at)
    return
  }
  const ends = column.ends as Numbers
  let start = 0
  for (const [i, piece] of (column.parts as readonly Column[]).entries()) {
    const end = ends[i] as number
    const [from, to] = [Math.max(start, row), Math.min(end, row + length)]
    if (from < to) visit(piece, { row: from - start, length: to - from }, at + from - row)
    start = end
  }
}

/** Names and places that lead from a value to one inside of it. */
export type Path = readonly (string | number)[]

/** The number that a path leads to, NaN where there is none. */
export function numberIn(value: unknown, path: Path): number {
  const inner = valueIn(value, path)
  return typeof inner === 'number' ? inner : Number.NaN
}

/** What a path leads to, undefined where it leads nowhere. */
export function valueIn(value: unknown, path: Path): unknown {
  let inner = value
  // Most paths are empty, and every rollout is asked.
  for (let i = 0; i < path.length; i++) {
    const step = path[i] as string | number
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined
    inner = (inner as Record<string | number, unknown>)[step]
  }
  return inner
}

/** Writes the number that the path leads to in each row into `into` from `at` on, NaN where there is none. */
export function fillNumbers(column: Column, path: Path, { row, length }: Rows, into: Float64Array, at: number): void {
  const [first, ...rest] = path
  switch (column.kind) {
    case KIND.same:
      into.fill(numberIn(column.values, path), at, at + length)
      return
    case KIND.integers:
    case KIND.floats:
      if (first !== undefined) break
      into.set((column.numbers as Numbers).subarray(row, row + length), at)
      clearAbsent(column, { row, length }, into, at)
      return
    case KIND.lists:
      if (typeof first !== 'number' || !(first >= 0) || rest.length > 0) break
      fillPlaces(column, first, { row, length }, into, at)
      return
    case KIND.objects: {
      const part = column.parts?.[(column.values as readonly string[]).indexOf(String(first))]
      if (part === undefined) break
      fillNumbers(part, rest, { row, length }, into, at)
      clearAbsent(column, { row, length }, into, at)
      return
    }
  }
  for (let i = 0; i < length; i++) into[at + i] = numberIn(cellAt(column, row + i), path)
}

/** The number at one place of each list. That of a row without one has no numbers. */
function fillPlaces(column: Column, place: number, { row, length }: Rows, into: Float64Array, at: number): void {
  const [numbers, ends] = [column.numbers as Numbers, column.ends as Numbers]
  let start = row === 0 ? 0 : (ends[row - 1] as number)
  for (let i = 0; i < length; i++) {
    const end = ends[row + i] as number
    const found = start + place
    // Chosen between and written once, each number would be an object on the way.
    if (found < end) into[at + i] = numbers[found] as number
    else into[at + i] = Number.NaN
    start = end
  }
}

function clearAbsent({ absent }: Column, { row, length }: Rows, into: Float64Array, at: number): void {
  if (absent === null) return
  for (let i = 0; i < length; i++) if (absent[row + i] !== 0) into[at + i] = Number.NaN
}

/** Writes 1 for each row that has a value into `into` from `at` on, 0 for those that have none. */
export function fillPresence(column: Column, { row, length }: Rows, into: Uint8Array, at: number): void {
  const { kind, absent } = column
  if (kind === KIND.same || kind === KIND.chosen || kind === KIND.listed) {
    fillValues(column, { row, length }, (value) => Number(value !== null && value !== undefined), into, at)
  } else if (absent === null) into.fill(1, at, at + length)
  else for (let i = 0; i < length; i++) into[at + i] = absent[row + i] === 0 ? 1 : 0
}

/** Writes the number that stands for the value of each row; of values that the column keeps once each is asked for once. */
export function fillValues(
  column: Column,
  { row, length }: Rows,
  numberOf: (value: unknown) => number,
  into: Int32Array | Uint8Array,
  at: number,
): void {
  if (column.kind === KIND.same) into.fill(numberOf(column.values), at, at + length)
  else if (column.kind === KIND.chosen) {
    const values = column.values as readonly unknown[]
    const numbers = column.numbers as Numbers
    const known: (number | undefined)[] = values.map(() => undefined)
    for (let i = 0; i < length; i++) {
      const chosen = numbers[row + i] as number
      into[at + i] = known[chosen] ??= numberOf(values[chosen])
    }
  } else for (let i = 0; i < length; i++) into[at + i] = numberOf(cellAt(column, row + i))
}

/** Of digests the first eight digits and the last, row by row. */
export type Digests = readonly [Uint32Array, Uint32Array]

export function fillDigests(column: Column, path: Path, rows: Rows, into: Digests, at: number): void {
  const { row, length } = rows
  const part = partOf(column, path)
  if (part !== null) {
    visitPieces(part, rows, at, (piece, own, from) => fillDigests(piece, path.slice(1), own, into, from))
    return
  }
  if (column.kind === KIND.chosen && path.length === 0) {
    fillChosenDigests(column, rows, into, at)
    return
  }
  if (column.kind !== KIND.digests || path.length > 0) {
    for (let i = 0; i < length; i++) writeDigest(valueIn(cellAt(column, row + i), path), into, at + i)
    return
  }
  const numbers = column.numbers as Numbers
  const [first, last] = into
  // Those of a row without one are 0.
  for (let i = 0; i < length; i++) {
    first[at + i] = numbers[2 * (row + i)] as number
    last[at + i] = numbers[2 * (row + i) + 1] as number
  }
}

/** Each of the values that are kept once is read once. */
function fillChosenDigests(
  { values, numbers }: Column,
  { row, length }: Rows,
  [first, last]: Digests,
  at: number,
): void {
  const distinct = values as readonly unknown[]
  const known: Digests = [new Uint32Array(distinct.length), new Uint32Array(distinct.length)]
  for (let i = 0; i < distinct.length; i++) writeDigest(distinct[i], known, i)
  const chosen = numbers as Numbers
  for (let i = 0; i < length; i++) {
    first[at + i] = known[0][chosen[row + i] as number] as number
    last[at + i] = known[1][chosen[row + i] as number] as number
  }
}

/** The column that a path goes on in; null where rows have to be looked at. */
function partOf({ kind, values, parts, absent }: Column, [name]: Path): Column | null {
  if (kind !== KIND.objects || absent !== null || name === undefined) return null
  return parts?.[(values as readonly string[]).indexOf(String(name))] ?? null
}

export function writeDigest(value: unknown, [first, last]: Digests, at: number): void {
  if (typeof value !== 'string') return
  const digest = DIGEST.test(value) ? value : new Hash64().text(value).digest()
  first[at] = eightDigitsAt(digest, 0)
  last[at] = eightDigitsAt(digest, 8)
}

/** What eight digits from `from` on come to, of `0` to `9` and `a` to `f`: digit by digit, where parts of the text would be texts of their own. */
function eightDigitsAt(digest: string, from: number): number {
  let number = 0
  for (let i = from; i < from + 8; i++) {
    const code = digest.charCodeAt(i)
    number = (number << 4) | (code - (code < 0x3a ? 0x30 : 0x57))
  }
  return number >>> 0
}

/** Hears of the list of each row, in order: `numbers` from `start` to `end`, exclusive. A row without one has an empty list. */
export type ListReceiver = (numbers: ArrayLike<number>, start: number, end: number) => void

export function visitLists(column: Column, { row, length }: Rows, receive: ListReceiver): void {
  if (column.kind === KIND.lists) {
    const [numbers, ends] = [column.numbers as Numbers, column.ends as Numbers]
    for (let i = row; i < row + length; i++) {
      // The list of a row without one has no numbers.
      receive(numbers, i === 0 ? 0 : (ends[i - 1] as number), ends[i] as number)
    }
    return
  }
  for (let i = row; i < row + length; i++) {
    const list = (cellAt(column, i) ?? []) as readonly number[]
    receive(list, 0, list.length)
  }
}

/** Writes the largest number of each row's list into `into` from `at` on, NaN where it has none. */
export function fillLargest(column: Column, { row, length }: Rows, into: Float64Array, at: number): void {
  if (column.kind === KIND.same) into.fill(largestOf(column.values), at, at + length)
  else if (column.kind === KIND.lists)
    fillLargestOf(column.numbers as Numbers, column.ends as Numbers, { row, length }, into, at)
  else for (let i = 0; i < length; i++) into[at + i] = largestOf(cellAt(column, row + i))
}

function fillLargestOf(numbers: Numbers, ends: Numbers, { row, length }: Rows, into: Float64Array, at: number): void {
  let place = row === 0 ? 0 : (ends[row - 1] as number)
  for (let i = 0; i < length; i++) {
    const end = ends[row + i] as number
    let largest = Number.NaN
    for (; place < end; place++) {
      const number = numbers[place] as number
      if (number > largest || Number.isNaN(largest)) largest = number
    }
    into[at + i] = largest
  }
}

export function largestOf(list: unknown): number {
  const numbers = (list ?? []) as readonly number[]
  return numbers.reduce((largest, number) => (number > largest || Number.isNaN(largest) ? number : largest), Number.NaN)
}

/** A test that many numbers are put to. */
export class NumberTest {
  private bytes: Uint8Array | null = null
  private words: Uint8Array | null = null

  constructor(readonly fits: (number: number) => boolean) {}

  /** By number, whether it fits: for arrays whose numbers are few, which are then not asked about one by one. Null for others. */
  tableFor(numbers: Numbers): Uint8Array | null {
    if (numbers instanceof Uint8Array) return (this.bytes ??= this.table(1 << 8))
    if (numbers instanceof Uint16Array) return (this.words ??= this.table(1 << 16))
    return null
  }

  private table(length: number): Uint8Array {
    const table = new Uint8Array(length)
    for (let number = 0; number < length; number++) table[number] = Number(this.fits(number))
    return table
  }
}

/** Writes 1 into `into` from `at` on for each row of which one number is among those that fit. */
export function fillSome(column: Column, rows: Rows, test: NumberTest, into: Uint8Array, at: number): void {
  const { row, length } = rows
  if (column.kind === KIND.same) into.fill(Number(hasSome(column.values, test.fits)), at, at + length)
  else if (column.kind === KIND.lists) {
    const [numbers, ends] = [column.numbers as Numbers, column.ends as Numbers]
    const table = test.tableFor(numbers)
    const start = row === 0 ? 0 : (ends[row - 1] as number)
    if (table === null) fillFitting(numbers, ends, start, rows, test.fits, into, at)
    else fillFromTable(numbers, ends, start, rows, table, into, at)
  } else for (let i = 0; i < length; i++) into[at + i] = Number(hasSome(cellAt(column, row + i), test.fits))
}

function fillFitting(
  numbers: Numbers,
  ends: Numbers,
  start: number,
  { row, length }: Rows,
  fits: (number: number) => boolean,
  into: Uint8Array,
  at: number,
): void {
  let place = start
  for (let i = 0; i < length; i++) {
    const end = ends[row + i] as number
    let has = 0
    for (; place < end; place++) if (has === 0 && fits(numbers[place] as number)) has = 1
    into[at + i] = has
  }
}

function fillFromTable(
  numbers: Numbers,
  ends: Numbers,
  start: number,
  { row, length }: Rows,
  table: Uint8Array,
  into: Uint8Array,
  at: number,
): void {
  let place = start
  for (let i = 0; i < length; i++) {
    const end = ends[row + i] as number
    let has = 0
    for (; place < end; place++) has |= table[numbers[place] as number] as number
    into[at + i] = has
  }
}

/** Whether a list of numbers, or what stands for none, has one that fits. */
export function hasSome(list: unknown, fits: (number: number) => boolean): boolean {
  return ((list ?? []) as readonly number[]).some(fits)
}

/** Counts the rows that have each name, in a column of objects. */
export function countNames(column: Column, { row, length }: Rows, add: (name: string, rows: number) => void): void {
  if (column.kind === KIND.same) {
    for (const name of Object.keys((column.values ?? {}) as object)) add(name, length)
  } else if (column.kind === KIND.objects) {
    let there = length
    if (column.absent !== null) for (let i = row; i < row + length; i++) if (column.absent[i] !== 0) there--
    if (there > 0) for (const name of column.values as readonly string[]) add(name, there)
  } else {
    for (let i = row; i < row + length; i++) for (const name of Object.keys(cellAt(column, i) ?? {})) add(name, 1)
  }
}
