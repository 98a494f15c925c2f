import {
  binary,
  columnFromArray,
  type DataType,
  largeList,
  list,
  Table,
  Type,
  tableToIPC,
  utf8,
} from '@uwdata/flechette'
import { batchesOf, type EncodedArrow } from '../containers/arrow/decode.ts'
import { type Schema, schemaOf } from '../containers/arrow/types.ts'
import type { RowToWrite } from './source.ts'
import { repairedValues } from './source-repair.ts'

/** Rows in one record batch. */
const BATCH_ROWS = 1000
const FILE_MAGIC = [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31]

/** What the rows of a file are written with. */
export interface ArrowLayout {
  readonly schema: Schema
  readonly format: 'stream' | 'file'
  /** Columns whose texts, bytes or lists are views in the source and are stored in place here. */
  readonly plain: readonly string[]
}

/** How rows are written again; null where they have columns that cannot be. */
export function arrowLayout(row: EncodedArrow): ArrowLayout | null {
  const schema = schemaOf(row.schema)
  const plain: string[] = []
  const fields: Schema['fields'] = []
  for (const field of schema.fields) {
    const type = written(field.type)
    if (type === null) return null
    if (type !== field.type) plain.push(field.name)
    fields.push({ ...field, type })
  }
  const format = FILE_MAGIC.every((byte, i) => row.schema[i] === byte) ? 'file' : 'stream'
  return { schema: { ...schema, fields }, format, plain }
}

/** The type as it is written, itself but for views; null where no column of it can be made. */
function written(type: DataType): DataType | null {
  switch (type.typeId) {
    case Type.Utf8View:
      return utf8()
    case Type.BinaryView:
      return binary()
    case Type.Union:
    case Type.RunEndEncoded:
    case Type.Interval:
      return null
  }
  if (!('children' in type)) return type
  const children = type.children.map((field) => ({ field, type: written(field.type) }))
  if (children.some((child) => child.type === null)) return null
  const fields = children.map((child) => ({ ...child.field, type: child.type as DataType }))
  if (type.typeId === Type.ListView) return list(fields[0] as (typeof fields)[number])
  if (type.typeId === Type.LargeListView) return largeList(fields[0] as (typeof fields)[number])
  return children.every((child) => child.type === child.field.type) ? type : ({ ...type, children: fields } as DataType)
}

/** Rows as a stream or a file of Arrow IPC, whichever theirs is: the same metadata, equal values, not compressed. */
export async function arrowRows(
  rows: AsyncIterable<RowToWrite<EncodedArrow>>,
  { schema, format }: ArrowLayout,
): Promise<Uint8Array> {
  const values: unknown[][] = schema.fields.map(() => [])
  for await (const { encoded, repairs } of rows) {
    for (const [i, { name, batch }] of batchesOf(encoded).columns.entries()) {
      const value = batch.at(encoded.from)
      const repair = repairs.find(({ path }) => path.length === 1 && path[0] === name)
      values[i]?.push(
        repair === undefined ? value : repairedValues(Array.from(value as Iterable<unknown>), repair.entries),
      )
    }
  }
  const columns = schema.fields.map(({ type }, i) =>
    columnFromArray(values[i] as unknown[], type, { maxBatchRows: BATCH_ROWS, useBigInt: true, useMap: true }),
  )
  const bytes = tableToIPC(new Table(schema, columns), { format })
  if (bytes === null) throw new Error('The rows could not be written.')
  return bytes
}
