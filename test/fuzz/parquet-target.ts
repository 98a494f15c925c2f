import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import type { ColumnMetaData, Encoding } from 'hyparquet/src/types.js'
import type { JsonValue } from '../../shared/containers/container.ts'
import { decodeRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { type MadeGroup, type MadePage, madeParquet, runsOf } from '../containers/made-parquet.ts'
import { memorySource } from '../containers/memory-source.ts'
import {
  BOMBS,
  columnSchema,
  ENCODINGS,
  encoded,
  indices,
  PACKINGS,
  sameAgain,
  someValues,
} from '../containers/parquet-parts.ts'
import { DAMAGE, type Damage, damaged, isSentence, sayingWhy } from './damage.ts'
import { target } from './target.ts'

type Type = ColumnMetaData['type']
type Codec = ColumnMetaData['codec']

const TYPES = Object.keys(ENCODINGS) as Type[]
const CODECS = Object.keys(PACKINGS) as Codec[]
const SHAPES = ['required', 'optional', 'list'] as const

const COLUMN = fc.record({
  type: fc.constantFrom(...TYPES),
  shape: fc.constantFrom(...SHAPES),
  /** Which of those that its type may have; the one behind the last is a dictionary. */
  encoding: fc.nat({ max: 11 }),
  codec: fc.constantFrom(...CODECS),
  newer: fc.boolean(),
})
type Column = typeof COLUMN extends fc.Arbitrary<infer Value> ? Value : never

const seldom = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
const DAMAGES = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Damage[]>([]) },
  { weight: 1, arbitrary: fc.array(DAMAGE, { minLength: 1, maxLength: 2 }) },
)
const NUMBER = fc.oneof(
  fc.nat({ max: 40 }),
  fc.constantFrom(16, 20, 24, 25, 31, 40, 53).map((power) => 2 ** power - 1),
)

const FILE = fc.record({
  columns: fc.array(COLUMN, { minLength: 1, maxLength: 3 }),
  rows: fc.integer({ min: 1, max: 12 }),
  pages: fc.integer({ min: 1, max: 2 }),
  groups: fc.integer({ min: 1, max: 2 }),
  /** Declared to be larger than what is read at once. */
  large: fc.boolean(),
  /** Values of one more list in the first column, all the same: such a page has as many as it likes in a few bytes. */
  many: seldom(fc.constantFrom(1 << 20, 1 << 23, 1 << 24, 1 << 25)),
  /** Bytes that a page of the first column gives, where its codec can. */
  gives: seldom(fc.constantFrom(1 << 20, 1 << 24, 1 << 27)),
  /** What the first column's last page and its group declare. */
  declared: seldom(
    fc.record(
      { values: NUMBER, size: NUMBER, rows: NUMBER, groupValues: NUMBER, groupSize: NUMBER, levels: NUMBER },
      { requiredKeys: [] },
    ),
  ),
  /** To what a page holds, before it is compressed. */
  inside: DAMAGES,
  /** To the file. */
  outside: DAMAGES,
})
type File = typeof FILE extends fc.Arbitrary<infer Value> ? Value : never

/** A file is read as far as it can be; one to which nothing was done is read as it is in the plainest encoding. */
export const madePages = target(
  'parquet',
  'a Parquet file of pages in every encoding and codec',
  FILE,
  async (file) => {
    const { many, gives, declared, inside, outside } = file
    const isSound = many === null && gives === null && declared === null && inside.length + outside.length === 0
    const bytes = damaged(fileOf(file), outside)
    await sayingWhy(async () => {
      const { values, skipped } = await read(bytes)
      if (!isSound) return
      assert.deepEqual(skipped, [])
      const plainest = { ...file, large: false, columns: file.columns.map((column) => ({ ...column, ...PLAINEST })) }
      assert.deepEqual(values, (await read(fileOf(plainest))).values)
    })
  },
)

const PLAINEST = { encoding: 0, codec: 'UNCOMPRESSED', newer: false } as const

/** Every record of the file; throws where one is neither read nor skipped. */
async function read(bytes: Uint8Array): Promise<{ values: JsonValue[]; skipped: string[] }> {
  const container = await openContainer(memorySource(bytes, 1 << 16, 'damaged'), { maxUnpacked: 32 << 20 })
  const values: JsonValue[] = []
  const skipped: string[] = []
  let present = 0
  for await (const spans of container.index()) {
    assert.equal(spans.first, present)
    present += spans.lengths.length
    const found = await decodeRecords(await container.read(spans), new Set())
    for (const { value } of found.records) values.push(value)
    for (const { message } of found.skipped) skipped.push(message)
    assert.equal(values.length + skipped.length, present)
  }
  for (const message of skipped) isSentence(message)
  return { values, skipped }
}

function fileOf({ columns, rows, pages, groups, large, many, gives, declared, inside }: File): Uint8Array {
  const described = columns.map((column, i) => columnSchema(`c${i}`, column.type, column.shape))
  const made = Array.from({ length: groups }, (_, g): MadeGroup => {
    const isFirst = g === 0
    return {
      rows: (isFirst ? declared?.rows : undefined) ?? rows * pages + (isFirst && many !== null ? 1 : 0),
      columns: columns.map((column, i) => {
        const told = isFirst && i === 0
        const parts = pagesOf(column, rows, pages)
        if (told && many !== null) parts.push(repeatedRow(column, many))
        const last = parts.length - 1
        const packed = parts.map((part, p) =>
          packedPage(p === last && told ? { ...part, values: damaged(part.values, inside) } : part, column),
        )
        // Ballast: of a few bytes no more is believed than a codec could give for them.
        if (large) packed.push({ kind: 'index', values: 0, bytes: new Uint8Array(1 << 10) })
        if (told) packed[last] = lying(packed[last] as MadePage, column, gives, declared)
        return { path: described[i]!.path, type: column.type, codec: column.codec, pages: packed }
      }),
      ...(large ? { size: 17 << 20 } : {}),
      ...(isFirst && declared?.groupSize !== undefined ? { size: declared.groupSize } : {}),
      ...(isFirst && declared?.groupValues !== undefined ? { values: declared.groupValues } : {}),
    }
  })
  const elements = described.flatMap(({ elements }) => elements)
  return madeParquet([{ name: 'root', num_children: columns.length }, ...elements], made)
}

/** A page before its values are compressed. */
interface Part {
  readonly kind: 'data' | 'dictionary'
  readonly count: number
  readonly encoding: Encoding
  readonly values: Uint8Array
  readonly repetition: Uint8Array | null
  readonly definition: Uint8Array | null
  readonly rows: number
  readonly nulls: number
}

function encodingOf({ type, encoding }: Column): Encoding {
  const own = ENCODINGS[type]
  return own[encoding % (own.length + 1)] ?? 'RLE_DICTIONARY'
}

function pagesOf(column: Column, rows: number, pages: number): Part[] {
  const encoding = encodingOf(column)
  const parts: Part[] = []
  if (encoding === 'RLE_DICTIONARY') parts.push(dictionary(column.type, someValues(column.type, 5)))
  for (let page = 0; page < pages; page++) {
    const levels = levelsOf(column.shape, rows)
    const values = someValues(column.type, levels.present)
    const bytes =
      encoding === 'RLE_DICTIONARY' ? indices(values.map((_, i) => i % 5)) : encoded(values, column.type, encoding)
    parts.push({ ...levels, kind: 'data', encoding, values: bytes, rows })
  }
  return parts
}

function dictionary(type: Type, values: ReturnType<typeof someValues>): Part {
  const bytes = encoded(values, type, 'PLAIN')
  return { kind: 'dictionary', count: values.length, encoding: 'PLAIN', values: bytes, ...NO_LEVELS, rows: 0, nulls: 0 }
}

const NO_LEVELS = { repetition: null, definition: null }

/** Levels of rows: of lists one in four of two values, of none, that is null, and with a null between values. */
function levelsOf(shape: Column['shape'], rows: number) {
  const of = (each: readonly (readonly number[])[]) =>
    Array.from({ length: rows }, (_, i) => each[i % each.length] ?? []).flat()
  const runs = (levels: readonly number[]) =>
    runsOf(
      levels.map((level) => [level, 1]),
      { prefixed: false },
    )
  if (shape === 'required') return { count: rows, present: rows, nulls: 0, ...NO_LEVELS }
  const definition = shape === 'optional' ? of([[1], [1], [0]]) : of([[3, 3], [1], [0], [3, 2, 3]])
  const repetition = shape === 'optional' ? null : runs(of([[0, 1], [0], [0], [0, 1, 1]]))
  const present = definition.filter((level) => level === (shape === 'optional' ? 1 : 3)).length
  const count = definition.length
  return { count, present, nulls: count - present, definition: runs(definition), repetition }
}

/** One more row: a list of `many` values, or as many rows as a footer may declare where it holds no lists. */
function repeatedRow(column: Column, many: number): Part {
  const encoding = encodingOf(column)
  const isList = column.shape === 'list'
  return {
    kind: 'data',
    count: many,
    encoding,
    values:
      encoding === 'RLE_DICTIONARY'
        ? Uint8Array.of(8, ...runsOf([[0, many]], { prefixed: false }))
        : sameAgain(column.type, encoding, many),
    repetition: isList
      ? runsOf(
          [
            [0, 1],
            [1, many - 1],
          ],
          { prefixed: false },
        )
      : null,
    definition: column.shape === 'required' ? null : runsOf([[isList ? 3 : 1, many]], { prefixed: false }),
    rows: 1,
    nulls: 0,
  }
}

function packedPage(part: Part, { codec, newer }: Column): MadePage {
  const pack = PACKINGS[codec] as (bytes: Uint8Array) => Uint8Array
  const { kind, count, encoding, repetition, definition, rows, nulls } = part
  const page = { kind, values: count, encoding }
  const own = [repetition, definition].filter((levels) => levels !== null)
  if (kind === 'data' && newer) {
    const bytes = joined(...own, pack(part.values))
    const size = own.reduce((sum, { length }) => sum + length, part.values.length)
    const lengths = { definition: definition?.length ?? 0, repetition: repetition?.length ?? 0 }
    return { ...page, bytes, size, levels: { rows, nulls, ...lengths } }
  }
  const plain = joined(
    ...own.flatMap((levels) => [new Uint8Array(Uint32Array.of(levels.length).buffer), levels]),
    part.values,
  )
  return { ...page, bytes: pack(plain), size: plain.length }
}

function lying(page: MadePage, { codec }: Column, gives: number | null, declared: File['declared']): MadePage {
  const bomb = gives === null ? undefined : BOMBS[codec]?.(gives)
  return {
    ...page,
    bytes: bomb ?? page.bytes,
    values: declared?.values ?? page.values,
    size: declared?.size ?? page.size ?? page.bytes.length,
    ...(page.levels !== undefined && declared?.levels !== undefined
      ? { levels: { ...page.levels, repetition: declared.levels, rows: declared.levels } }
      : {}),
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}
