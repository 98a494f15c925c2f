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
import { ArrowFile } from './arrow-file.ts'
import type { ExportWriter } from './export-kind.ts'
import type { RowsToWrite } from './source.ts'
import { repairedValues } from './source-repair.ts'

/** Most rows in one record batch, and about the most values: each list counts with all of its own. */
const BATCH_ROWS = 1000
const BATCH_VALUES = 1 << 20

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
  return { schema: { ...schema, fields }, format: row.stored, plain }
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

/**
 * Writes rows as a stream or a file of Arrow IPC, whichever theirs is: the same metadata, equal values, not compressed. They go to the
 * writer batch by batch; only where a column has a dictionary all of them are held until the last.
 */
export async function writeArrowRows(
  rows: AsyncIterable<RowsToWrite<EncodedArrow>>,
  { schema, format }: ArrowLayout,
  writer: ExportWriter,
): Promise<void> {
  const held = schema.fields.some(({ type }) => hasDictionary(type))
  const file = held ? null : new ArrowFile(writer, schema, format)
  let values: unknown[][] = schema.fields.map(() => [])
  let size = 0
  const table = () => {
    const columns = schema.fields.map(({ type }, i) =>
      columnFromArray(values[i] as unknown[], type, { maxBatchRows: BATCH_ROWS, useBigInt: true, useMap: true }),
    )
    values = schema.fields.map(() => [])
    size = 0
    return new Table(schema, columns)
  }
  for await (const { encoded, at, repairs } of rows) {
    const { columns } = batchesOf(encoded)
    for (const row of at) {
      for (const [i, { name, batch }] of columns.entries()) {
        const value = batch.at(encoded.from + row)
        const repair = repairs.get(row)?.find(({ path }) => path.length === 1 && path[0] === name)
        values[i]?.push(
          repair === undefined ? value : repairedValues(Array.from(value as Iterable<unknown>), repair.entries),
        )
        size += 1 + ((value as { length?: number } | null)?.length ?? 0)
      }
      if (file !== null && (size > BATCH_VALUES || (values[0]?.length ?? 0) >= BATCH_ROWS)) await file.add(table())
    }
  }
  if (file !== null) {
    if ((values[0]?.length ?? 0) > 0) await file.add(table())
    return file.close()
  }
  const bytes = tableToIPC(table(), { format })
  if (bytes === null) throw new Error('The rows could not be written.')
  await writer.write(bytes)
  await writer.close()
}

function hasDictionary(type: DataType): boolean {
  if (type.typeId === Type.Dictionary) return true
  return 'children' in type && (type.children?.some((field) => hasDictionary(field.type)) ?? false)
}
