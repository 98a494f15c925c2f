/**
 * Joining packed columns (`packed-columns.ts`) whose rows follow each other, array by array: of few kinds is a value read for it. Every
 * value is read back as it was.
 */

import { commonTemplate, type TextTemplate } from '../texts/text-template.ts'
import { Column, cellAt, KIND, packColumn, packTemplated } from './packed-columns.ts'
import { type Numbers, packNumbers } from './packed-numbers.ts'

/** A column and how many rows it has, which one of a single value does not tell. */
export interface ColumnPiece {
  readonly column: Column
  readonly rows: number
}

/** One column with the rows of all of them. Those that nothing joins stay as they are, as its pieces. */
export function joinColumns(given: readonly ColumnPiece[]): Column {
  const pieces = given.flatMap(piecesOf)
  return joinedValue(pieces) ?? joinedByKind(pieces) ?? joinedTexts(pieces) ?? inPieces(pieces)
}

function piecesOf(piece: ColumnPiece): readonly ColumnPiece[] {
  const { kind, parts, ends } = piece.column
  if (kind !== KIND.pieces) return [piece]
  const endOf = (i: number) => (i < 0 ? 0 : (ends?.[i] as number))
  return (parts as readonly Column[]).map((column, i) => ({ column, rows: endOf(i) - endOf(i - 1) }))
}

function inPieces(pieces: readonly ColumnPiece[]): Column {
  let end = 0
  const ends = pieces.map(({ rows }) => (end += rows))
  return new Column({ kind: KIND.pieces, ends: Int32Array.from(ends), parts: pieces.map(({ column }) => column) })
}

/** One value for all rows, where all have the same. */
function joinedValue(pieces: readonly ColumnPiece[]): Column | null {
  const { column } = pieces[0] as ColumnPiece
  const isSame = (other: Column) => other.kind === KIND.same && Object.is(other.values, column.values)
  return pieces.every((piece) => isSame(piece.column)) ? column : null
}

function joinedByKind(pieces: readonly ColumnPiece[]): Column | null {
  const kinds = new Set<Column['kind']>()
  const types = new Set<string>()
  for (const { column } of pieces) {
    if (column.kind !== KIND.same) kinds.add(column.kind === KIND.floats ? KIND.integers : column.kind)
    // Rows without a value may stand beside any others.
    else if (!isNone(column)) types.add(typeof column.values)
  }
  if (kinds.size > 1 || types.size > 1) return null
  const [kind] = kinds
  const [type] = types
  if (type === 'number') return kind === undefined || kind === KIND.integers ? joinedNumbers(pieces) : null
  if (type === 'string' || type === 'boolean')
    return kind === undefined || kind === KIND.chosen ? joinedChosen(pieces) : null
  if (type !== undefined) return null
  switch (kind) {
    case undefined:
    case KIND.chosen:
      return joinedChosen(pieces)
    case KIND.integers:
      return joinedNumbers(pieces)
    case KIND.listed:
      return joinedAsTheyAre(pieces)
    case KIND.digests:
      return joinedDigests(pieces, 2)
    case KIND.shortDigests:
      return joinedDigests(pieces, 1)
    case KIND.lists:
    case KIND.shortDigestLists:
    case KIND.bytes:
      return joinedLists(kind, pieces)
    case KIND.objects:
      return joinedObjects(pieces)
    case KIND.objectLists:
      return joinedObjectLists(pieces)
    case KIND.templated:
      return joinedTemplated(pieces)
    default:
      return null
  }
}

/** All rows are null, or all are undefined. */
function isNone({ kind, values }: Column): boolean {
  return kind === KIND.same && (values === null || values === undefined)
}

function rowsOf(pieces: readonly ColumnPiece[]): number {
  return pieces.reduce((sum, { rows }) => sum + rows, 0)
}

/** Null where all rows have a value. */
function joinedAbsence(pieces: readonly ColumnPiece[]): Uint8Array | null {
  if (!pieces.some(({ column }) => column.absent !== null || isNone(column))) return null
  const absent = new Uint8Array(rowsOf(pieces))
  let at = 0
  for (const { column, rows } of pieces) {
    if (isNone(column)) absent.fill(absenceOf(column.values), at, at + rows)
    else if (column.absent !== null) absent.set(column.absent, at)
    at += rows
  }
  return absent
}

/** As `absent` of a column has it. */
function absenceOf(value: unknown): number {
  return value === null ? 1 : 2
}

/** An array that holds what stands in all of these, so long. */
function roomFor(arrays: readonly Numbers[], length: number): Numbers {
  const has = (Kind: new () => Numbers) => arrays.some((array) => array instanceof Kind)
  if (has(Float64Array)) return new Float64Array(length)
  if (has(Uint32Array)) return new Uint32Array(length)
  if (has(Int32Array)) return new Int32Array(length)
  return has(Uint16Array) ? new Uint16Array(length) : new Uint8Array(length)
}

function joinedNumbers(pieces: readonly ColumnPiece[]): Column {
  const arrays = pieces.map(({ column }) => column.numbers ?? packNumbers([(column.values ?? 0) as number]))
  const numbers = roomFor(arrays, rowsOf(pieces))
  let at = 0
  for (const [i, { column, rows }] of pieces.entries()) {
    if (column.kind === KIND.same) numbers.fill((column.values ?? 0) as number, at, at + rows)
    else numbers.set(arrays[i] as Numbers, at)
    at += rows
  }
  const kind = numbers instanceof Float64Array ? KIND.floats : KIND.integers
  return new Column({ kind, numbers, absent: joinedAbsence(pieces) })
}

function joinedChosen(pieces: readonly ColumnPiece[]): Column {
  const places = new Map<unknown, number>()
  const placeOf = (value: unknown): number => {
    const known = places.get(value)
    if (known !== undefined) return known
    places.set(value, places.size)
    return places.size - 1
  }
  const chosen = new Int32Array(rowsOf(pieces))
  let at = 0
  for (const { column, rows } of pieces) {
    if (column.kind === KIND.same) chosen.fill(placeOf(column.values), at, at + rows)
    else {
      const own = Int32Array.from(column.values as readonly unknown[], placeOf)
      const numbers = column.numbers as Numbers
      for (let row = 0; row < rows; row++) chosen[at + row] = own[numbers[row] as number] as number
    }
    at += rows
  }
  const values = [...places.keys()]
  const numbers = roomFor([packNumbers([values.length - 1])], chosen.length)
  numbers.set(chosen)
  const templated = packTemplated(values)
  return new Column({ kind: KIND.chosen, values, numbers, parts: templated === null ? null : [templated] })
}

function joinedAsTheyAre(pieces: readonly ColumnPiece[]): Column {
  const values = pieces.flatMap(({ column, rows }) =>
    column.kind === KIND.same ? new Array<unknown>(rows).fill(column.values) : (column.values as readonly unknown[]),
  )
  return new Column({ kind: KIND.listed, values })
}

/** @param width numbers of each digest */
function joinedDigests(pieces: readonly ColumnPiece[], width: 1 | 2): Column {
  const numbers = new Uint32Array(width * rowsOf(pieces))
  let at = 0
  for (const { column, rows } of pieces) {
    if (column.numbers !== null) numbers.set(column.numbers, width * at)
    at += rows
  }
  const kind = width === 1 ? KIND.shortDigests : KIND.digests
  return new Column({ kind, numbers, absent: joinedAbsence(pieces) })
}

function joinedLists(kind: Column['kind'], pieces: readonly ColumnPiece[]): Column {
  const arrays = pieces.map(({ column }) => column.numbers ?? new Uint8Array(0))
  const numbers = roomFor(
    arrays,
    arrays.reduce((sum, array) => sum + array.length, 0),
  )
  let used = 0
  for (const own of arrays) {
    numbers.set(own, used)
    used += own.length
  }
  return new Column({ kind, numbers, ends: joinedEnds(pieces), absent: joinedAbsence(pieces) })
}

/** Where the list of each row ends, all lists one after the other. */
function joinedEnds(pieces: readonly ColumnPiece[]): Numbers {
  const length = pieces.reduce((sum, piece) => sum + elementsOf(piece), 0)
  const ends = roomFor([packNumbers([length])], rowsOf(pieces))
  let [at, used] = [0, 0]
  for (const piece of pieces) {
    const own = piece.column.ends
    if (own === null) ends.fill(used, at, at + piece.rows)
    else for (let row = 0; row < piece.rows; row++) ends[at + row] = used + (own[row] as number)
    at += piece.rows
    used += elementsOf(piece)
  }
  return ends
}

/** Of the lists of all rows. */
function elementsOf({ column, rows }: ColumnPiece): number {
  return column.ends === null ? 0 : (column.ends[rows - 1] as number)
}

/** Null where their objects have not the same names in the same order. */
function joinedObjectLists(pieces: readonly ColumnPiece[]): Column | null {
  const lists = pieces.filter(({ column }) => !isNone(column))
  const all = joinedObjects(
    lists.map((piece) => ({ column: piece.column.parts?.[0] as Column, rows: elementsOf(piece) })),
  )
  if (all === null) return null
  return new Column({ kind: KIND.objectLists, ends: joinedEnds(pieces), absent: joinedAbsence(pieces), parts: [all] })
}

/** Null where they have not the same names in the same order. */
function joinedObjects(pieces: readonly ColumnPiece[]): Column | null {
  const all = pieces.flatMap(({ column }) => (isNone(column) ? [] : [column.values as readonly string[]]))
  const names = all[0] as readonly string[]
  if (all.some((own) => own.length !== names.length || own.some((name, i) => name !== names[i]))) return null
  const parts = names.map((_, i) =>
    joinColumns(pieces.map(({ column, rows }) => ({ column: column.parts?.[i] ?? NOTHING, rows }))),
  )
  return new Column({ kind: KIND.objects, values: names, absent: joinedAbsence(pieces), parts })
}

const NOTHING = new Column({ kind: KIND.same, values: undefined })
const ZERO = new Column({ kind: KIND.same, values: 0 })

/** Null where there is no template of all of them. */
function joinedTemplated(pieces: readonly ColumnPiece[]): Column | null {
  let template: TextTemplate | null = null
  for (const { column } of pieces) {
    if (isNone(column)) continue
    const own = column.values as TextTemplate
    template = template === null ? own : commonTemplate(template, own)
    if (template === null) return null
  }
  const parts = template?.slots.map((_, slot) =>
    joinColumns(pieces.map(({ column, rows }) => ({ column: column.parts?.[slot] ?? ZERO, rows }))),
  )
  return new Column({ kind: KIND.templated, values: template, absent: joinedAbsence(pieces), parts: parts ?? null })
}

/** Texts that are kept in several ways are packed again; null for other values, and where each text would be kept as it is. */
function joinedTexts(pieces: readonly ColumnPiece[]): Column | null {
  if (!pieces.every(({ column }) => isOfTexts(column))) return null
  const joined = packColumn(
    pieces.flatMap(({ column, rows }) => Array.from({ length: rows }, (_, row) => cellAt(column, row))),
  )
  return joined.kind === KIND.listed ? null : joined
}

function isOfTexts({ kind, values }: Column): boolean {
  if (kind === KIND.same) return values === null || values === undefined || typeof values === 'string'
  const kinds: readonly Column['kind'][] = [KIND.chosen, KIND.digests, KIND.shortDigests, KIND.templated]
  return kinds.includes(kind)
}
