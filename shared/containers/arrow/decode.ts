import { type Batch, Column } from '@uwdata/flechette'
import type { JsonObject, ParsedRecords, RecordSpans } from '../container.ts'
import { setOwn } from '../plain-value.ts'
import { reasonOf } from '../reason.ts'
import { rowRecords } from '../row-records.ts'
import { ColumnBuilder, partsOfBody, valueReader } from './columns.ts'
import type { BatchLayout } from './message.ts'
import { type DataType, type Schema, schemaOf } from './types.ts'
import { checkHeld, checkTexts } from './unheld.ts'
import { Unpacker } from './unpack.ts'

/** A dictionary of a batch, or entries that are added to it, in the order of the file. */
export interface EncodedDictionary {
  readonly id: number
  readonly delta: boolean
  readonly layout: BatchLayout
  readonly body: Uint8Array
}

/**
 * Rows of one record batch. Either `bytes` are the buffers of these rows alone (`layout` null), or the body of the whole batch, as of
 * one that is compressed.
 */
export interface EncodedArrow {
  readonly decoder: 'arrow'
  readonly spans: RecordSpans
  readonly bytes: readonly Uint8Array[]
  /** The schema, as a stream or file without rows, whichever holds it; what the rows stand in is `stored`. */
  readonly schema: Uint8Array
  readonly stored: 'stream' | 'file'
  readonly dictionaries: readonly EncodedDictionary[]
  readonly nodes: BatchLayout['nodes']
  readonly layout: BatchLayout | null
  /** The first of the rows, counted in `bytes`. */
  readonly from: number
  /** Most bytes that its buffers and dictionaries may have once decompressed. */
  readonly unpacked: number
}

export function decodeArrow(encoded: EncodedArrow): ParsedRecords {
  return rowRecords(encoded.spans, 'damaged-arrow', () => {
    const columns = batchesOf(encoded).columns.map(({ name, type, batch }) => ({
      name,
      read: valueReader(batch, type),
    }))
    return (index) => {
      const record: JsonObject = {}
      for (const { name, read } of columns) setOwn(record, name, read(encoded.from + index))
      return record
    }
  })
}

/** One column of the rows, in the library's own class. */
export interface ArrowColumn {
  readonly name: string
  readonly type: DataType
  readonly batch: Batch<unknown>
}

/** The columns that hold the rows, of which those of `encoded` begin with row `from`. Throws `Error` naming a column that is damaged. */
export function batchesOf(encoded: EncodedArrow): {
  readonly schema: Schema
  readonly columns: readonly ArrowColumn[]
} {
  const { bytes, layout, nodes } = encoded
  const unpacker = new Unpacker(encoded.unpacked)
  const schema = schemaOf(encoded.schema)
  const dictionaries = dictionariesOf(encoded, schema, unpacker)
  const parts =
    layout === null
      ? { nodes, variadic: [], bytes: (index: number) => bytes[index] ?? new Uint8Array(0) }
      : partsOfBody(bytes[0] as Uint8Array, layout, unpacker)
  const builder = new ColumnBuilder({ ...parts, dictionaries })
  const columns = schema.fields.map(({ name, type }) => {
    try {
      return { name, type, batch: builder.build(type) }
    } catch (error) {
      throw new Error(`column ${name}: ${reasonOf(error)}`)
    }
  })
  const batches = columns.map(({ batch }) => batch)
  checkHeld(batches, builder.bytes)
  checkTexts(columns, builder.bytes)
  return { schema, columns }
}

function dictionariesOf(
  { dictionaries }: EncodedArrow,
  schema: Schema,
  unpacker: Unpacker,
): Map<number, Column<unknown>> {
  const types = new Map<number, DataType>()
  const find = (type: DataType) => {
    if ('dictionary' in type) {
      types.set(type.id, type.dictionary)
      find(type.dictionary)
    }
    if ('children' in type) for (const field of type.children) find(field.type)
  }
  for (const field of schema.fields) find(field.type)
  const columns = new Map<number, Column<unknown>>()
  for (const { id, delta, layout, body } of dictionaries) {
    const type = types.get(id)
    if (type === undefined) continue
    const builder = new ColumnBuilder({ ...partsOfBody(body, layout, unpacker), dictionaries: columns })
    const batch = builder.build(type)
    checkHeld([batch], builder.bytes)
    const before = delta ? (columns.get(id)?.data ?? []) : []
    columns.set(id, new Column<unknown>([...before, batch], type))
  }
  return columns
}
