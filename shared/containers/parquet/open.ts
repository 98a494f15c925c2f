import { parquetMetadata } from 'hyparquet/src/metadata.js'
import type { ColumnMetaData, FileMetaData, RowGroup, SchemaElement } from 'hyparquet/src/types.js'
import { partitionPoint } from '../../model/partition-point.ts'
import type { ByteSource } from '../../model/source.ts'
import { DamagedBytes } from '../bytes.ts'
import { type Container, type JsonObject, type RecordSpans, UnreadableSource } from '../container.ts'
import type { EncodedFailure } from '../decode.ts'
import { heldLimit } from '../packed-bytes.ts'
import { reasonOf } from '../reason.ts'
import { rowSpans } from '../spans.ts'
import { wholeBuffer } from '../whole-buffer.ts'
import { KeptValues, VALUES_OF_A_BYTE, VALUES_WITHOUT_BYTES } from './allowance.ts'
import { type ColumnSlice, type EncodedParquet, layoutOf, schemaTree } from './decode.ts'
import { PageMap } from './page-map.ts'

/** Sizes, decompressed, above which less is taken at once; values may take next to no bytes and are counted beside them. */
export interface ParquetSizes {
  /** A larger row group is read page by page: its decoded rows would be too much at once. */
  readonly rowGroup: number
  /** A larger page (DuckDB writes pages of 100 MB) is decoded once, and its rows are cut out of it. */
  readonly page: number
  readonly groupValues: number
  readonly pageValues: number
}

const SIZES: ParquetSizes = { rowGroup: 16 << 20, page: 8 << 20, groupValues: 1 << 24, pageValues: 1 << 20 }
/** Runs of one value take next to nothing however long they are, so that a footer may declare any number of rows; more than this need a byte each. */
const ROWS_WITHOUT_BYTES = 1 << 17
/** Bytes that a stored byte gives where a codec does its best (Zstandard: 128 KiB of four); a footer may declare any size. */
const MOST_OF_A_BYTE = 1 << 15
/** A footer lists every column of every row group; one of more than this is none. */
const MAX_FOOTER_BYTES = 256 << 20

interface Group {
  readonly first: number
  readonly rows: number
  /** Where its first column begins, and its size when decompressed. */
  readonly byte: number
  readonly size: number
  /** Of all its columns, nulls included. */
  readonly values: number
  readonly columns: readonly Column[]
}

interface Column extends Pick<ColumnSlice, 'path' | 'type' | 'codec'> {
  readonly start: number
  readonly end: number
  /** Values that it declares, nulls included. */
  readonly values: number
  readonly pages: PageMap | null
}

/** Opens a Parquet file by its footer. Throws `UnreadableSource` where that is damaged or missing. */
export async function openParquet(
  source: ByteSource,
  { maxUnpacked = null, ...own }: Partial<ParquetSizes> & { readonly maxUnpacked?: number | null } = {},
): Promise<Container> {
  const sizes = { ...SIZES, ...own }
  const unpacked = heldLimit(source, maxUnpacked)
  const footer = await readFooter(source)
  let groups: Group[]
  let metadata: JsonObject | null
  let schema: SchemaElement[]
  try {
    const parsed = parquetMetadata(footer, { geoparquet: false })
    schema = parsed.schema
    groups = groupsOf(parsed, source, sizes, unpacked)
    metadata = keyValues(parsed)
  } catch (error) {
    throw new UnreadableSource(
      'damaged-parquet',
      `${source.name} is a Parquet file whose footer cannot be read (${reasonOf(error)}). Copy or write the file again.`,
    )
  }
  return {
    id: 'parquet',
    source,
    metadata,
    async *index({ batchBytes = sizes.rowGroup, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      let limit = firstBatchBytes
      for (const group of groups) {
        const step = isSmall(group, sizes) ? () => group.rows : () => rowsWithin(group, limit, sizes)
        for (let from = 0; from < group.rows; ) {
          signal?.throwIfAborted()
          const count = Math.min(step(), group.rows - from)
          yield rowSpans(group.first + from, count, group.byte)
          from += count
          limit = Math.min(limit * 2, batchBytes)
          const end = Math.max(...group.columns.map((column) => column.end), group.byte)
          onBytes?.(Math.round(group.byte + ((end - group.byte) * from) / group.rows))
        }
      }
      onBytes?.(source.size)
    },
    read: (spans, signal) => readRows(source, schema, groups, spans, unpacked, signal),
  }
}

async function readFooter(source: ByteSource): Promise<Uint8Array> {
  const tail = await source.slice(Math.max(0, source.size - 8), source.size)
  const magic = new TextDecoder('latin1').decode(tail.subarray(-4))
  const length = tail.length === 8 ? new DataView(tail.buffer, tail.byteOffset, 8).getUint32(0, true) : 0
  if (magic === 'PARE') {
    throw new UnreadableSource(
      'encrypted-parquet',
      `${source.name} is an encrypted Parquet file. Write it without encryption.`,
    )
  }
  if (magic !== 'PAR1' || length === 0 || length + 12 > source.size || length > MAX_FOOTER_BYTES) {
    throw new UnreadableSource(
      'damaged-parquet',
      `${source.name} is a Parquet file without its end, where its columns are listed: it was cut short, or its writer was not closed. Copy or write the file again.`,
    )
  }
  return wholeBuffer(await source.slice(source.size - 8 - length, source.size))
}

function groupsOf(
  { schema, row_groups }: FileMetaData,
  source: ByteSource,
  sizes: ParquetSizes,
  unpacked: number,
): Group[] {
  const tree = schemaTree(schema)
  if (tree.children.length === 0) throw new RangeError('it has no columns')
  let first = 0
  let bytes = 0
  let declared = 0
  return row_groups.map((rowGroup) => {
    const columns = rowGroup.columns.map(({ meta_data: meta, file_path }) => {
      if (meta === undefined) throw new RangeError('a column is not described, as in an encrypted file')
      if (file_path) throw new RangeError(`a column lies in another file, ${file_path}`)
      return columnOf(meta, source)
    })
    const rows = Number(rowGroup.num_rows)
    const stored = columns.reduce((sum, { start, end }) => sum + end - start, 0)
    const size = Math.min(sizeOf(rowGroup), MOST_OF_A_BYTE * stored)
    if (!Number.isSafeInteger(rows) || rows < 0 || rows > 2 ** 31)
      throw new RangeError(`a row group declares ${rows} rows`)
    if (first + rows > Math.max(ROWS_WITHOUT_BYTES, source.size))
      throw new RangeError(`it declares ${first + rows} rows or more in ${source.size} bytes`)
    bytes += stored
    // Writers get sizes wrong by a header or so; only what is made for it has its columns lie over each other.
    if (bytes > 2 * source.size) throw new RangeError('its columns have more bytes than the file')
    const values = columns.reduce((sum, column) => sum + column.values, 0)
    declared += values
    if (declared > VALUES_WITHOUT_BYTES + VALUES_OF_A_BYTE * source.size)
      throw new RangeError(`it declares ${declared} values or more in ${source.size} bytes`)
    const kept = new KeptValues(source.size)
    const group: Group = {
      first,
      rows,
      byte: columns.reduce((least, { start }) => Math.min(least, start), source.size),
      size,
      values,
      columns: columns.map((column) => ({
        ...column,
        pages: isSmall({ size, values }, sizes)
          ? null
          : new PageMap(source, layoutOf(tree, column), column, { sizes, unpacked, kept }),
      })),
    }
    first += rows
    return group
  })
}

function sizeOf({ columns }: RowGroup): number {
  return columns.reduce((sum, { meta_data: meta }) => sum + Number(meta?.total_uncompressed_size ?? 0), 0)
}

function columnOf(meta: ColumnMetaData, source: ByteSource): Omit<Column, 'pages'> {
  const { path_in_schema: path, type, codec } = meta
  const data = Number(meta.data_page_offset)
  const dictionary = Number(meta.dictionary_page_offset ?? 0)
  const start = dictionary > 0 && dictionary < data ? dictionary : data
  const end = start + Number(meta.total_compressed_size)
  if (!(start >= 4 && end >= start && end <= source.size)) {
    throw new RangeError(`column ${path.join('.')} lies at bytes ${start} to ${end} of ${source.size}`)
  }
  const values = Number(meta.num_values)
  if (!(Number.isSafeInteger(values) && values >= 0)) {
    throw new RangeError(`column ${path.join('.')} declares ${values} values`)
  }
  return { path, type, codec, start, end, values }
}

function keyValues({ key_value_metadata: pairs, created_by }: FileMetaData): JsonObject | null {
  const entries = (pairs ?? []).map(({ key, value }) => [key, value ?? null] as const)
  if (created_by !== undefined) entries.push(['created_by', created_by])
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

function isSmall({ size, values }: Pick<Group, 'size' | 'values'>, sizes: ParquetSizes): boolean {
  return size <= sizes.rowGroup && values <= sizes.groupValues
}

/** Rows of `limit` bytes, and of half the values that a group may have which is read whole: pages give some beside them. */
function rowsWithin({ size, rows, values }: Group, limit: number, { groupValues }: ParquetSizes): number {
  const byBytes = limit / Math.max(1, size / rows)
  const byValues = groupValues / 2 / Math.max(1, values / rows)
  return Math.max(1, Math.floor(Math.min(byBytes, byValues)))
}

async function readRows(
  source: ByteSource,
  schema: readonly SchemaElement[],
  groups: readonly Group[],
  spans: RecordSpans,
  unpacked: number,
  signal: AbortSignal | undefined,
): Promise<EncodedParquet | EncodedFailure> {
  const group = groupAt(groups, spans.first)
  const from = spans.first - group.first
  const until = from + spans.offsets.length
  let failed: DamagedBytes | null = null
  const slices = await Promise.all(
    group.columns.map(async ({ path, type, codec, start, end, values, pages }) => {
      const slice = await pages?.pagesOf(from, until, signal).catch((error: unknown) => {
        if (!(error instanceof DamagedBytes)) throw error
        failed ??= new DamagedBytes(error.code, `column ${path.join('.')}: ${error.message}`)
        return { bytes: new Uint8Array(0), first: 0, parts: null }
      })
      const bytes = slice?.bytes ?? wholeBuffer(await source.slice(start, end))
      return { column: { path, type, codec, values, first: slice?.first ?? 0, parts: slice?.parts ?? null }, bytes }
    }),
  )
  if (failed !== null) {
    const { code, message } = failed as DamagedBytes
    return { decoder: 'none', spans, bytes: [], code, message }
  }
  return {
    decoder: 'parquet',
    spans,
    bytes: slices.map(({ bytes }) => bytes),
    schema,
    columns: slices.map(({ column }) => column),
    from,
    unpacked,
  }
}

function groupAt(groups: readonly Group[], record: number): Group {
  return groups[partitionPoint(groups.length, (i) => (groups[i] as Group).first <= record) - 1] as Group
}
