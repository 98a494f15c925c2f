import { type Batch, batchType, type Column, type DataType, field, Table, tableToIPC } from '@uwdata/flechette'

/** One batch of a column in the library's own class, whatever its parts declare: its builders make none of the newer types. */
export function madeBatch(type: DataType, parts: object): Batch<unknown> {
  const BatchClass = batchType(type, {})
  return new BatchClass({ length: 1, nullCount: 0, type, validity: new Uint8Array(0), ...parts }) as Batch<unknown>
}

/** A stream of columns, with as many batches as each of them has. */
export function arrowStream(
  columns: readonly (readonly [name: string, column: Column<unknown>])[],
  codec: number | null = null,
): Uint8Array {
  const fields = columns.map(([name, { type }]) => field(name, type as DataType))
  const table = new Table(
    { version: 4, endianness: 0, fields, metadata: null },
    columns.map(([, column]) => column),
  )
  return tableToIPC(table, { format: 'stream', codec: codec as 0 | 1 | null }) as Uint8Array
}
