import type { ColumnMetaData, Encoding, PageHeader, SchemaElement } from 'hyparquet/src/types.js'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'

/** A page with whatever it declares. */
export interface MadePage {
  readonly kind: 'data' | 'dictionary' | 'index'
  readonly values: number
  readonly encoding?: Encoding
  /** As stored. */
  readonly bytes: Uint8Array
  /** Bytes once decompressed; as many as are stored where absent. */
  readonly size?: number
  /** What the newer layout of data pages says of its levels, which stand before the values and are not compressed. */
  readonly levels?: {
    readonly rows: number
    readonly nulls: number
    readonly definition: number
    readonly repetition: number
  }
}

interface MadeColumn {
  readonly path: readonly string[]
  readonly type: ColumnMetaData['type']
  readonly codec?: ColumnMetaData['codec']
  readonly pages: readonly MadePage[]
}

export interface MadeGroup {
  readonly rows: number
  readonly columns: readonly MadeColumn[]
  /** Bytes of a column once decompressed; the sum of its pages where absent. */
  readonly size?: number
  /** Values of a column; those of its pages where absent. */
  readonly values?: number
}

/** A Parquet file of pages that no writer would write: nothing about them is checked. */
export function madeParquet(schema: readonly SchemaElement[], groups: readonly MadeGroup[]): Uint8Array {
  const writer = new ByteWriter()
  writer.appendUint32(0x31524150)
  const row_groups = groups.map(({ rows, columns, ...declared }) => ({
    num_rows: BigInt(rows),
    total_byte_size: 0n,
    columns: columns.map(({ path, type, codec = 'UNCOMPRESSED', pages }) => {
      const start = writer.offset
      let data: number | null = null
      for (const page of pages) {
        if (page.kind !== 'dictionary') data ??= writer.offset
        writePageHeader(writer, headerOf(page))
        writer.appendBytes(page.bytes)
      }
      const sum = (of: (page: MadePage) => number) => pages.reduce((all, page) => all + of(page), 0)
      return {
        file_offset: BigInt(start),
        meta_data: {
          type,
          encodings: ['RLE_DICTIONARY' as const],
          path_in_schema: [...path],
          codec,
          num_values: BigInt(declared.values ?? sum(({ kind, values }) => (kind === 'data' ? values : 0))),
          total_uncompressed_size: BigInt(declared.size ?? sum(({ bytes, size = bytes.length }) => size)),
          total_compressed_size: BigInt(writer.offset - start),
          data_page_offset: BigInt(data ?? start),
          ...(pages[0]?.kind === 'dictionary' ? { dictionary_page_offset: BigInt(start) } : {}),
        },
      }
    }),
  }))
  const num_rows = BigInt(groups.reduce((sum, { rows }) => sum + rows, 0))
  writeMetadata(writer, { version: 2, schema: [...schema], num_rows, row_groups, metadata_length: 0 })
  writer.appendUint32(0x31524150)
  return writer.getBytes()
}

function headerOf({
  kind,
  values,
  encoding = 'RLE_DICTIONARY',
  bytes,
  size = bytes.length,
  levels,
}: MadePage): PageHeader {
  const sizes = { uncompressed_page_size: size, compressed_page_size: bytes.length }
  if (kind === 'index') return { type: 'INDEX_PAGE', ...sizes }
  if (kind === 'dictionary') {
    return { type: 'DICTIONARY_PAGE', ...sizes, dictionary_page_header: { num_values: values, encoding: 'PLAIN' } }
  }
  if (levels !== undefined) {
    const newer = {
      num_values: values,
      num_nulls: levels.nulls,
      num_rows: levels.rows,
      encoding,
      definition_levels_byte_length: levels.definition,
      repetition_levels_byte_length: levels.repetition,
      is_compressed: true,
    }
    return { type: 'DATA_PAGE_V2', ...sizes, data_page_header_v2: newer }
  }
  const runs = { definition_level_encoding: 'RLE', repetition_level_encoding: 'RLE' } as const
  return { type: 'DATA_PAGE', ...sizes, data_page_header: { num_values: values, encoding, ...runs } }
}

/** Length and bytes of levels or indices that are a run of one value of up to eight bits, each `[value, times]`. */
export function runsOf(
  runs: readonly (readonly [value: number, times: number])[],
  { prefixed = true } = {},
): Uint8Array {
  const writer = new ByteWriter()
  for (const [value, times] of runs) {
    writer.appendVarInt(times * 2)
    writer.appendUint8(value)
  }
  const bytes = writer.getBytes()
  return prefixed ? Uint8Array.of(...new Uint8Array(Uint32Array.of(bytes.length).buffer), ...bytes) : bytes
}

/** One list of `values` numbers that are all entry 0 of a dictionary, in the levels of a required list. */
export function listOfOne(values: number, more = 0): Uint8Array {
  const parts = [
    runsOf([
      [0, 1],
      [1, values - 1],
    ]),
    runsOf([[1, values]]),
    Uint8Array.of(1, ...runsOf([[0, values]], { prefixed: false })),
    new Uint8Array(more),
  ]
  return new Uint8Array(Buffer.concat(parts))
}

/** A required list of required numbers. */
export const LIST_OF_NUMBERS: readonly SchemaElement[] = [
  { name: 'input_ids', repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', repetition_type: 'REQUIRED', type: 'INT32' },
]
