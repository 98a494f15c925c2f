import type { SchemaElement } from 'hyparquet'
import { writeColumn } from 'hyparquet-writer/src/column.js'
import type { EncodedParquet } from '../containers/parquet/decode.ts'
import { type StoredColumn, storedRows } from '../containers/parquet/stored-rows.ts'
import type { ExportSink } from './export-kind.ts'
import { ParquetFile } from './parquet-file.ts'
import type { RowsToWrite } from './source.ts'
import { type RepairedList, repairedValues } from './source-repair.ts'

/** Values in one row group. */
const GROUP_VALUES = 4 << 20

/** Whether rows of this schema can be written back: the writer has no lists without an element of their own. */
export function canWriteParquet({ schema }: EncodedParquet): boolean {
  return !schema.some(({ repetition_type, num_children }) => repetition_type === 'REPEATED' && !num_children)
}

/**
 * Writes rows as their own file has them: the same schema and metadata, levels and values as they are stored. What is new is how they
 * are packed: Snappy, without statistics.
 */
export async function writeParquetRows(
  rows: AsyncIterable<RowsToWrite<EncodedParquet>>,
  { schema, metadata }: { schema: readonly SchemaElement[]; metadata: Readonly<Record<string, string>> },
  sink: ExportSink,
  name: string,
): Promise<void> {
  const file = await ParquetFile.open(sink, name, schema, metadata)
  let held: (readonly StoredColumn[])[] = []
  let values = 0
  for await (const { encoded, at, repairs } of rows) {
    for (const [i, stored] of storedRows(encoded, at).entries()) {
      const columns = stored.map((column) => mended(column, repairs.get(at[i] as number) ?? []))
      held.push(columns)
      values += columns.reduce((sum, column) => sum + column.values.length, 0)
      if (values < GROUP_VALUES) continue
      await writeGroup(file, held)
      held = []
      values = 0
    }
  }
  if (held.length > 0) await writeGroup(file, held)
  await file.close()
}

function mended(column: StoredColumn, repairs: readonly RepairedList[]): StoredColumn {
  const repair = repairs.find(({ path }) => path.length === 1 && path[0] === column.path[1]?.name)
  return repair === undefined ? column : { ...column, values: repairedValues(column.values, repair.entries) }
}

async function writeGroup(file: ParquetFile, rows: readonly (readonly StoredColumn[])[]): Promise<void> {
  const { parquet } = file
  const { writer } = parquet
  const start = writer.offset
  const columns = (rows[0] as readonly StoredColumn[]).map((first, i) => {
    const parts = rows.map((row) => row[i] as StoredColumn)
    const result = writeColumn({
      writer,
      column: {
        columnName: first.path
          .slice(1)
          .map(({ name }) => name)
          .join('.'),
        element: physical(first.path.at(-1) as SchemaElement),
        schemaPath: [...first.path],
        codec: parquet.codec,
        compressors: parquet.compressors,
        stats: false,
        pageSize: 1 << 20,
        columnIndex: false,
        offsetIndex: false,
      },
      pageData: {
        values: parts.flatMap(({ values }) => values),
        definitionLevels: parts.flatMap(({ definition }) => definition),
        repetitionLevels: parts.flatMap(({ repetition }) => repetition),
        maxDefinitionLevel: first.maxDefinition,
      },
    })
    parquet.pendingIndexes.push(result)
    return result.chunk
  })
  parquet.num_rows += BigInt(rows.length)
  parquet.row_groups.push({
    columns,
    total_byte_size: columns.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
    num_rows: BigInt(rows.length),
    total_compressed_size: BigInt(writer.offset - start),
  })
  await file.flush()
}

/** A column by what is stored: the writer would take values for what they stand for. */
function physical({ converted_type: _converted, logical_type: _logical, ...element }: SchemaElement): SchemaElement {
  return element
}
