import { assembleNested } from 'hyparquet/src/assemble.js'
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { parquetSchema } from 'hyparquet/src/metadata.js'
import {
  getMaxDefinitionLevel,
  getMaxRepetitionLevel,
  getTreePath,
  isListLike,
  isMapLike,
} from 'hyparquet/src/schema.js'
import type { ColumnMetaData, DecodedArray, SchemaElement, SchemaTree } from 'hyparquet/src/types.js'
import type { JsonObject, JsonValue, ParsedRecords, RecordSpans } from '../container.ts'
import { numbersOf, plainValue, setOwn } from '../plain-value.ts'
import { reasonOf } from '../reason.ts'
import { rowRecords } from '../row-records.ts'
import { Allowance } from './allowance.ts'
import { joinParts, readColumn } from './column.ts'
import { type ColumnLayout, type DataPage, isNumeric } from './page.ts'
import { parsers } from './parsers.ts'

/** One leaf column of consecutive rows. */
export interface ColumnSlice {
  readonly path: readonly string[]
  readonly type: ColumnMetaData['type']
  readonly codec: ColumnMetaData['codec']
  /** Values of its row group, nulls included, as the footer declares them. */
  readonly values: number
  /** Row of the row group that its bytes begin with. */
  readonly first: number
  /** The rows themselves as they are stored, where the pages that hold them are too large to be handed on; the column has no bytes then. */
  readonly parts: readonly DataPage[] | null
}

/** Rows of one row group: for each of `columns` its dictionary page and the pages that hold the rows. */
export interface EncodedParquet {
  readonly decoder: 'parquet'
  readonly spans: RecordSpans
  readonly bytes: readonly Uint8Array[]
  readonly schema: readonly SchemaElement[]
  readonly columns: readonly ColumnSlice[]
  /** The first of the rows, counted in its row group. */
  readonly from: number
  /** Most bytes that its pages may have once decompressed. */
  readonly unpacked: number
}

export function decodeParquet(encoded: EncodedParquet): ParsedRecords {
  return rowRecords(encoded.spans, 'damaged-parquet', () => {
    const rows = readRows(encoded)
    return (index) => rows[index] as JsonObject
  })
}

export function layoutOf(
  schema: SchemaTree,
  { path, type, codec }: Pick<ColumnSlice, 'path' | 'type' | 'codec'>,
): ColumnLayout {
  const nodes = getTreePath(schema, [...path])
  return {
    type,
    codec,
    path: nodes,
    maxDefinition: getMaxDefinitionLevel(nodes),
    maxRepetition: getMaxRepetitionLevel(nodes),
  }
}

function readRows({ bytes, schema, columns, from, spans, unpacked }: EncodedParquet): JsonObject[] {
  const tree = schemaTree(schema)
  const count = spans.offsets.length
  const rows = Array.from({ length: count }, (): JsonObject => ({}))
  const allowance = new Allowance(
    unpacked,
    columns.some(({ parts }) => parts !== null) ? undefined : bytes.reduce((sum, { length }) => sum + length, 0),
  )
  const leaves = columns.map((column, i) => {
    try {
      const layout = layoutOf(tree, column)
      return column.parts === null
        ? readColumn(bytes[i] as Uint8Array, layout, column, from + count, allowance)
        : joinParts(column.parts, layout, column.first, allowance)
    } catch (error) {
      throw new Error(`column ${column.path.join('.')}: ${reasonOf(error)}`)
    }
  })
  for (const child of tree.children) {
    const { name } = child.element
    const own = columns.flatMap((column, i) =>
      column.path[0] === name ? [{ path: column.path.join('.'), leaf: leaves[i]! }] : [],
    )
    if (own.length === 0) continue
    const slices = own.map(({ path, leaf }) => {
      if (leaf.first > from || leaf.first + leaf.rows.length < from + count) {
        throw new RangeError(
          `column ${path} has ${leaf.rows.length} rows where ${from + count - leaf.first} were expected`,
        )
      }
      return { path, typed: leaf.typed, values: leaf.rows.slice(from - leaf.first, from - leaf.first + count) }
    })
    const [first] = slices
    const typed = own.length === 1 && first !== undefined && (child.children.length === 0 || first.typed)
    const values = typed ? first.values : assembled(child, slices)
    for (let row = 0; row < count; row++) setOwn(rows[row] as JsonObject, name, jsonOf(values[row], child))
  }
  return rows
}

function assembled(
  child: SchemaTree,
  slices: readonly { readonly path: string; readonly values: DecodedArray }[],
): DecodedArray {
  const columns = new Map<string, DecodedArray>(slices.map(({ path, values }) => [path, values]))
  assembleNested(columns, child, { ...DEFAULT_PARSERS, ...parsers })
  const values = columns.get(child.path.join('.'))
  if (values === undefined) throw new RangeError(`column ${child.element.name} cannot be put together`)
  return values
}

/** The tree of a schema's elements; throws where it is not one. */
export function schemaTree(elements: readonly SchemaElement[]): SchemaTree {
  return parquetSchema({ schema: [...elements] })
}

/** A decoded value as JSON: a list of numbers is a typed array wherever it stands. */
function jsonOf(value: unknown, node: SchemaTree): JsonValue {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) {
    if (isMapLike(node)) return plainValue(value)
    const element = isListLike(node) ? elementOf(node) : node
    if (element.children.length === 0 && isNumeric(element.element)) return numericList(value, element.element)
    return value.map((item) => jsonOf(item, element))
  }
  if (node.children.length > 0 && !isMapLike(node) && !isListLike(node) && isPlainObject(value)) {
    const object: JsonObject = {}
    for (const child of node.children) setOwn(object, child.element.name, jsonOf(value[child.element.name], child))
    return object
  }
  return plainValue(value)
}

function elementOf(list: SchemaTree): SchemaTree {
  const repeated = list.children[0] as SchemaTree
  return repeated.children.length === 1 ? (repeated.children[0] as SchemaTree) : repeated
}

function numericList(values: readonly unknown[], { type }: SchemaElement): Int32Array | Float64Array {
  const numbers = Float64Array.from(values, (value) =>
    value === null || value === undefined ? Number.NaN : Number(value),
  )
  return type === 'FLOAT' || type === 'DOUBLE' ? numbers : numbersOf(Array.from(numbers))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !(value instanceof Date)
}
