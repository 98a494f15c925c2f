/**
 * Columns of a table in typed arrays, for tables of which a process may hold millions of rows. How a column is kept is decided by the
 * values that are in it; every value is read back as it was, `-0`, `NaN`, null and undefined included. Can be posted between threads.
 */

import { eightDigits, sixteenDigits } from '../../model/hash.ts'
import { partitionPoint } from '../../model/partition-point.ts'
import { type TextTemplate, templatedTexts, textOf } from '../texts/text-template.ts'
import { type Numbers, packIfNumbers, packNumbers } from './packed-numbers.ts'

export const KIND = {
  /** One value for all rows. */
  same: 0,
  /** The values as they are: what no other kind is made for. */
  listed: 1,
  /** The distinct values, and which of them each row has. Where these are texts of one template, a part holds them as such. */
  chosen: 2,
  integers: 3,
  floats: 4,
  /** Texts of 16 hex digits, in two numbers each. */
  digests: 5,
  /** Lists of numbers, one after the other. */
  lists: 6,
  /** Lists of texts of 8 hex digits. */
  shortDigestLists: 7,
  bytes: 8,
  /** Objects with the same names, a column for each. */
  objects: 9,
  /** Texts of one template, a column for each of its numbers. */
  templated: 10,
  /** Columns of rows that follow each other, and where each of them ends: what was joined and has no other kind in common. Never posted. */
  pieces: 11,
  /** Texts of 8 hex digits. */
  shortDigests: 12,
  /** Lists of objects with the same names: a column of objects that has those of all rows, one after the other. */
  objectLists: 13,
} as const
type Kind = (typeof KIND)[keyof typeof KIND]

/** A column as it is posted. */
export interface PackedColumn {
  readonly kind: Kind
  readonly values: unknown
  readonly numbers: Numbers | null
  /** Where the list of each row ends. */
  readonly ends: Numbers | null
  /** 0 where a row has a value, 1 where it is null, 2 where it is undefined; null where all have one. */
  readonly absent: Uint8Array | null
  readonly parts: readonly PackedColumn[] | null
}

/** A column as it is read. All are of one class, whatever their kind, which the engine reads fastest. */
export class Column implements PackedColumn {
  readonly kind: Kind
  readonly values: unknown
  numbers: Numbers | null
  ends: Numbers | null
  absent: Uint8Array | null
  readonly parts: readonly Column[] | null

  constructor({ kind, values, numbers, ends, absent, parts }: Partial<PackedColumn> & Pick<PackedColumn, 'kind'>) {
    this.kind = kind
    this.values = kind === KIND.same ? values : (values ?? null)
    this.numbers = numbers ?? null
    this.ends = ends ?? null
    this.absent = absent ?? null
    this.parts = parts?.map((part) => (part instanceof Column ? part : new Column(part))) ?? null
  }
}

const NULL = 1
const UNDEFINED = 2

function column(kind: Kind, fields: Partial<PackedColumn>): Column {
  return new Column({ kind, ...fields })
}

/**
 * What each row has of a column, always in the one kind of array that holds anything: lists of small integers, of numbers and of objects are
 * different to the engine, which would compile what packs them over and over.
 */
export function cellsOf<Row>(rows: readonly Row[], cell: (row: Row) => unknown): unknown[] {
  const cells: unknown[] = new Array<unknown>(rows.length).fill(null)
  for (let row = 0; row < rows.length; row++) cells[row] = cell(rows[row] as Row)
  return cells
}

/** The values of all rows of a column, which are left as they are and must not change afterwards. */
export function packColumn(values: readonly unknown[]): Column {
  if (isSame(values)) return column(KIND.same, { values: values[0] })
  const type = commonType(values)
  if (type === 'number') {
    const numbers = packNumbers(values as number[])
    const kind = numbers instanceof Float64Array ? KIND.floats : KIND.integers
    return column(kind, { numbers, absent: absentOf(values) })
  }
  if (type === 'string' || type === 'boolean') return packTexts(values)
  if (type === 'bytes') {
    const lists = values as readonly (Uint8Array | null | undefined)[]
    return packLists(KIND.bytes, lists, joinedBytes(lists))
  }
  if (type === 'list') {
    const lists = values as readonly (readonly unknown[] | null | undefined)[]
    const elements = lists.flatMap((list) => list ?? [])
    const numbers = packIfNumbers(elements)
    if (numbers !== null) return packLists(KIND.lists, lists, numbers)
    if (elements.every((each) => typeof each === 'string' && SHORT_DIGEST.test(each))) {
      return packLists(KIND.shortDigestLists, lists, Uint32Array.from(elements as string[], numberOf))
    }
    return (
      packObjectLists(values as (readonly Record<string, unknown>[] | null | undefined)[], elements) ?? listed(values)
    )
  }
  return (
    (type === 'object' ? packObjects(values as (Record<string, unknown> | null | undefined)[]) : null) ?? listed(values)
  )
}

// Loops over rows count for themselves: a batch has some thousands of values, and most columns are decided by a look at them.

function isSame(values: readonly unknown[]): boolean {
  const first = values[0]
  for (let row = 1; row < values.length; row++) if (!Object.is(values[row], first)) return false
  return true
}

function listed(values: readonly unknown[]): Column {
  return column(KIND.listed, { values: [...values] })
}

/** The type that all values have which are neither null nor undefined; null where they differ. */
function commonType(values: readonly unknown[]): string | null {
  let common: string | null = null
  for (let row = 0; row < values.length; row++) {
    const value = values[row]
    if (value === null || value === undefined) continue
    const type = typeOf(value)
    if (common !== null && type !== common) return null
    common = type
  }
  return common
}

function typeOf(value: unknown): string {
  if (typeof value !== 'object') return typeof value
  if (Array.isArray(value)) return 'list'
  if (value instanceof Uint8Array) return 'bytes'
  return Object.getPrototypeOf(value) === Object.prototype ? 'object' : 'other'
}

function absentOf(values: readonly unknown[]): Uint8Array | null {
  if (values.every((value) => value !== null && value !== undefined)) return null
  return Uint8Array.from(values, (value) => (value === null ? NULL : value === undefined ? UNDEFINED : 0))
}

export const DIGEST = /^[0-9a-f]{16}$/
const SHORT_DIGEST = /^[0-9a-f]{8}$/

function numberOf(digits: string): number {
  return Number.parseInt(digits, 16)
}

/** Texts and flags. */
function packTexts(values: readonly unknown[]): Column {
  const places = new Map<unknown, number>()
  for (const value of values) if (!places.has(value)) places.set(value, places.size)
  const areAll = (digits: RegExp) =>
    values.every((value) => value == null || (typeof value === 'string' && digits.test(value)))
  const isDigest = areAll(DIGEST)
  const isShortDigest = !isDigest && areAll(SHORT_DIGEST)
  // A digest takes four or eight bytes, which few texts that are kept once for several rows do.
  if (places.size <= values.length / (isDigest || isShortDigest ? 4 : 2)) {
    const distinct = [...places.keys()]
    const templated = packTemplated(distinct)
    return column(KIND.chosen, {
      values: distinct,
      numbers: packNumbers(cellsOf(values, (value) => places.get(value)) as number[]),
      parts: templated === null ? null : [templated],
    })
  }
  if (isDigest) return packDigests(values as readonly (string | null | undefined)[])
  const templated = packTemplated(values)
  if (templated !== null) return templated
  if (!isShortDigest) return listed(values)
  const numbers = Uint32Array.from(values as readonly (string | null | undefined)[], (value) =>
    value == null ? 0 : numberOf(value),
  )
  return column(KIND.shortDigests, { numbers, absent: absentOf(values) })
}

function packDigests(values: readonly (string | null | undefined)[]): Column {
  const numbers = new Uint32Array(2 * values.length)
  for (const [row, value] of values.entries()) {
    if (value === null || value === undefined) continue
    numbers[2 * row] = numberOf(value.slice(0, 8))
    numbers[2 * row + 1] = numberOf(value.slice(8))
  }
  return column(KIND.digests, { numbers, absent: absentOf(values) })
}

/** Null for what are no texts of one template. */
export function packTemplated(values: readonly unknown[]): Column | null {
  if (values.some((value) => typeof value === 'boolean')) return null
  const texts = templatedTexts(values as readonly (string | null | undefined)[])
  if (texts === null) return null
  const parts = texts.numbers.map(packColumn)
  return column(KIND.templated, { values: texts.template, absent: absentOf(values), parts })
}

/** @param numbers what the lists hold, one after the other */
function packLists(kind: Kind, lists: readonly (ArrayLike<unknown> | null | undefined)[], numbers: Numbers): Column {
  let end = 0
  const ends = lists.map((list) => (end += list?.length ?? 0))
  return column(kind, { numbers, ends: packNumbers(ends), absent: absentOf(lists) })
}

function joinedBytes(lists: readonly (Uint8Array | null | undefined)[]): Uint8Array {
  const all = new Uint8Array(lists.reduce((sum, list) => sum + (list?.length ?? 0), 0))
  let at = 0
  for (const list of lists) {
    if (list === null || list === undefined) continue
    all.set(list, at)
    at += list.length
  }
  return all
}

/** Null where they do not all have the same names in the same order. */
function packObjects(objects: readonly (Record<string, unknown> | null | undefined)[]): Column | null {
  const there = objects.find((object) => object != null)
  const names = Object.keys(there ?? {})
  if (names.includes('__proto__')) return null
  for (const object of objects) {
    if (object === null || object === undefined) continue
    const own = Object.keys(object)
    if (own.length !== names.length || own.some((name, i) => name !== names[i])) return null
  }
  const parts = names.map((name) => packColumn(cellsOf(objects, (object) => object?.[name])))
  return column(KIND.objects, { values: names, absent: absentOf(objects), parts })
}

/** Null where the elements are no objects of the same names. */
function packObjectLists(
  lists: readonly (readonly Record<string, unknown>[] | null | undefined)[],
  elements: readonly unknown[],
): Column | null {
  if (commonType(elements) !== 'object' || elements.some((each) => each == null)) return null
  const all = packObjects(elements as readonly Record<string, unknown>[])
  if (all === null) return null
  let end = 0
  const ends = lists.map((list) => (end += list?.length ?? 0))
  return column(KIND.objectLists, { ends: packNumbers(ends), absent: absentOf(lists), parts: [all] })
}

/** The value of a row. Bytes are a view into those of the column. */
export function cellAt(column: Column, row: number): unknown {
  const { kind, absent } = column
  if (absent !== null && absent[row] !== 0) return absent[row] === NULL ? null : undefined
  // Each array is read where only one kind of it comes by.
  switch (kind) {
    case KIND.same:
      return column.values
    case KIND.listed:
      return (column.values as readonly unknown[])[row]
    case KIND.chosen:
      return (column.values as readonly unknown[])[(column.numbers as Uint8Array)[row] as number]
    case KIND.integers:
      return (column.numbers as Int32Array)[row]
    case KIND.floats:
      return (column.numbers as Float64Array)[row]
    default:
      return MAKERS[kind](column, row)
  }
}

type Maker = (column: Column, row: number) => unknown
type PlainKind = (typeof KIND)['same' | 'listed' | 'chosen' | 'integers' | 'floats']

/** Of kinds whose cells are made when they are asked for. Called by their number, they are not compiled again into whatever asks for a fact. */
const MAKERS: Readonly<Record<Exclude<Kind, PlainKind>, Maker>> = {
  [KIND.digests]: ({ numbers }, row) => digestAt(numbers as Uint32Array, row),
  [KIND.shortDigests]: ({ numbers }, row) => eightDigits((numbers as Uint32Array)[row] as number),
  [KIND.objectLists]: objectsAt,
  [KIND.objects]: objectAt,
  [KIND.templated]: ({ values, parts }, row) =>
    textOf(values as TextTemplate, (slot) => cellAt(parts?.[slot] as Column, row) as number),
  [KIND.pieces]: cellInPieces,
  [KIND.lists]: listAt,
  [KIND.shortDigestLists]: listAt,
  [KIND.bytes]: listAt,
}

function cellInPieces({ ends, parts }: Column, row: number): unknown {
  const own = ends as Int32Array
  const piece = partitionPoint(own.length, (at) => (own[at] as number) <= row)
  return cellAt((parts as readonly Column[])[piece] as Column, piece === 0 ? row : row - (own[piece - 1] as number))
}

function digestAt(numbers: Uint32Array, row: number): string {
  return sixteenDigits(numbers[2 * row] as number, numbers[2 * row + 1] as number)
}

function objectAt({ values, parts }: Column, row: number): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  const names = values as readonly string[]
  for (let i = 0; i < names.length; i++) {
    object[names[i] as string] = cellAt((parts as readonly Column[])[i] as Column, row)
  }
  return object
}

function objectsAt({ ends, parts }: Column, row: number): unknown[] {
  const own = ends as Numbers
  const objects: unknown[] = []
  for (let i = startOf(own, row); i < (own[row] as number); i++) objects.push(cellAt(parts?.[0] as Column, i))
  return objects
}

/** Where the list of a row begins. */
function startOf(ends: Numbers, row: number): number {
  return row === 0 ? 0 : (ends[row - 1] as number)
}

function listAt({ kind, numbers, ends }: Column, row: number): unknown {
  const own = numbers as Numbers
  const start = startOf(ends as Numbers, row)
  const end = ends?.[row] as number
  if (kind === KIND.bytes) return own.subarray(start, end)
  const list: unknown[] = []
  for (let i = start; i < end; i++) list.push(kind === KIND.lists ? own[i] : eightDigits(own[i] as number))
  return list
}

/** Moves all that columns hold into one buffer, since each costs more than a short array does. */
export function intoOneBuffer(columns: readonly Column[]): ArrayBuffer {
  const all: Column[] = []
  const gather = (each: Column) => {
    all.push(each)
    each.parts?.forEach(gather)
  }
  columns.forEach(gather)
  const moved: (readonly [array: Numbers, at: number])[] = []
  let bytes = 0
  const place = (array: Numbers) => {
    bytes = Math.ceil(bytes / array.BYTES_PER_ELEMENT) * array.BYTES_PER_ELEMENT
    moved.push([array, bytes])
    bytes += array.byteLength
  }
  for (const { numbers, ends, absent } of all)
    for (const array of [numbers, ends, absent]) if (array !== null) place(array)
  const buffer = new ArrayBuffer(bytes)
  const views = new Map<Numbers, Numbers>()
  for (const [array, at] of moved) {
    const View = array.constructor as new (buffer: ArrayBuffer, at: number, length: number) => Numbers
    const view = new View(buffer, at, array.length)
    view.set(array)
    views.set(array, view)
  }
  const movedTo = <Array extends Numbers>(array: Array | null) => (array === null ? null : (views.get(array) as Array))
  for (const each of all) {
    each.numbers = movedTo(each.numbers)
    each.ends = movedTo(each.ends)
    each.absent = movedTo(each.absent)
  }
  return buffer
}

/** The value of all rows, where they have one, and it is none that others may share: for keeping such a column once. */
export function valueOfAll({ kind, values }: PackedColumn): { readonly value: unknown } | null {
  return kind === KIND.same && (values === null || typeof values !== 'object') ? { value: values } : null
}
