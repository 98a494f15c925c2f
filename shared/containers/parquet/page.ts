import { parquetHeader } from 'hyparquet/src/column.js'
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { byteStreamSplit } from 'hyparquet/src/encoding.js'
import { readPlain } from 'hyparquet/src/plain.js'
import type { ColumnMetaData, DecodedArray, PageHeader, SchemaElement, SchemaTree } from 'hyparquet/src/types.js'
import { MOST_VALUES, VALUES_OF_AN_OBJECT } from './allowance.ts'
import { compressors } from './codecs.ts'
import { parsers } from './parsers.ts'
import { type Runs, readRuns } from './runs.ts'

/** What is the same for all pages of a column. */
export interface ColumnLayout {
  readonly type: ColumnMetaData['type']
  readonly codec: ColumnMetaData['codec']
  /** From the root of the schema to the leaf. */
  readonly path: readonly SchemaTree[]
  readonly maxDefinition: number
  readonly maxRepetition: number
}

export interface StoredPage {
  readonly header: PageHeader
  /** As stored. */
  readonly bytes: Uint8Array
}

/** A page's levels (null where every one is the highest) and its values that are not null. */
export interface DataPage {
  readonly count: number
  readonly definition: Runs | null
  readonly repetition: Runs | null
  readonly values: DecodedArray
}

/** A page of more is refused: writers cut pages at a megabyte, and the largest value that a page must hold is a text of 2 GiB. */
const MAX_PAGE_BYTES = 1 << 30
/** Texts of a page that share their beginnings may have this many bytes together: each may share all of the one before it. */
const MAX_SHARED_BYTES = 1 << 27
const NO_BYTES = new Uint8Array(0)

/** The page at `at`, and where the next one begins. Throws where its bytes are not there, or what it declares is refused. */
export function storedPage(bytes: Uint8Array, at: number): { readonly page: StoredPage; readonly next: number } {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: at }
  const header = parquetHeader(reader)
  const { compressed_page_size: stored, uncompressed_page_size: size } = header
  const declared = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header
  const count = declared?.num_values ?? 0
  if (!isCount(stored) || !isCount(size) || !isCount(count)) {
    throw new RangeError('a page does not say how many bytes and values it has')
  }
  if (reader.offset + stored > bytes.length) {
    throw new RangeError(`a page declares ${stored} bytes, its column has ${bytes.length - reader.offset} left`)
  }
  if (size > MAX_PAGE_BYTES) throw new RangeError(`a page declares ${size} bytes of content`)
  if (count > MOST_VALUES) throw new RangeError(`a page declares ${count} values`)
  const next = reader.offset + stored
  // A copy: the library looks at buffers, not at the views that it is given.
  return { page: { header, bytes: bytes.slice(reader.offset, next) }, next }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

/** The values of one more data page of a column. Throws `RangeError` where its pages have more than its footer declares. */
export function checkDeclared(before: number, { header }: StoredPage, declared: number): number {
  const values = (header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0
  if (before + values > declared) {
    throw new RangeError(`its pages have ${before + values} values or more, its footer declares ${declared}`)
  }
  return values
}

/** Rows that begin in a data page, where its header tells; null where its levels must be read for that. */
export function rowsOfHeader(header: PageHeader, { maxRepetition }: ColumnLayout): number | null {
  if (header.data_page_header_v2 !== undefined) return header.data_page_header_v2.num_rows
  return maxRepetition === 0 ? (header.data_page_header?.num_values ?? null) : null
}

export function readDictionary(page: StoredPage, layout: ColumnLayout): DecodedArray {
  const { header } = page
  const count = header.dictionary_page_header?.num_values ?? 0
  const bytes = decompressPage(page.bytes, header.uncompressed_page_size, layout.codec, compressors)
  return converted(readPlain(readerOf(bytes, 0), layout.type, count, leafOf(layout).type_length), layout)
}

/** Repetition levels alone, for finding where rows begin. */
export function readRepetition(page: StoredPage, layout: ColumnLayout): Runs | null {
  if (layout.maxRepetition === 0) return null
  const { header } = page
  const v2 = header.data_page_header_v2
  if (v2 !== undefined) {
    return readRuns(page.bytes, 0, v2.repetition_levels_byte_length, bits(layout.maxRepetition), v2.num_values)
  }
  const bytes = decompressPage(page.bytes, header.uncompressed_page_size, layout.codec, compressors)
  return prefixedRuns(bytes, 0, layout.maxRepetition, header.data_page_header?.num_values ?? 0).runs
}

export function readDataPage(page: StoredPage, layout: ColumnLayout, dictionary: DecodedArray | null): DataPage {
  return page.header.data_page_header_v2 === undefined
    ? readV1(page, layout, dictionary)
    : readV2(page, layout, dictionary)
}

function readV1(
  { header, bytes: stored }: StoredPage,
  layout: ColumnLayout,
  dictionary: DecodedArray | null,
): DataPage {
  const described = header.data_page_header
  if (described === undefined) throw new RangeError(`a page of the kind ${header.type} stands among the data`)
  const count = described.num_values
  const bytes = decompressPage(stored, header.uncompressed_page_size, layout.codec, compressors)
  let at = 0
  let repetition: Runs | null = null
  let definition: Runs | null = null
  if (layout.maxRepetition > 0) ({ runs: repetition, next: at } = prefixedRuns(bytes, at, layout.maxRepetition, count))
  if (layout.maxDefinition > 0) ({ runs: definition, next: at } = prefixedRuns(bytes, at, layout.maxDefinition, count))
  const present = definition === null ? count : presentOf(definition, layout.maxDefinition)
  const values = readValues(bytes, at, described.encoding, present, layout, dictionary)
  return { count, definition, repetition, values }
}

function readV2(
  { header, bytes: stored }: StoredPage,
  layout: ColumnLayout,
  dictionary: DecodedArray | null,
): DataPage {
  const described = header.data_page_header_v2 as NonNullable<PageHeader['data_page_header_v2']>
  const count = described.num_values
  const { repetition_levels_byte_length: forRepetition, definition_levels_byte_length: forDefinition } = described
  const levels = forRepetition + forDefinition
  if (!(forRepetition >= 0 && forDefinition >= 0 && levels <= stored.length)) throw new RangeError('levels are cut off')
  const repetition =
    layout.maxRepetition > 0 ? readRuns(stored, 0, forRepetition, bits(layout.maxRepetition), count) : null
  const definition =
    layout.maxDefinition > 0 ? readRuns(stored, forRepetition, levels, bits(layout.maxDefinition), count) : null
  const present = definition === null ? count : presentOf(definition, layout.maxDefinition)
  const rest = stored.slice(levels)
  const bytes =
    described.is_compressed === false
      ? rest
      : decompressPage(rest, header.uncompressed_page_size - levels, layout.codec, compressors)
  return {
    count,
    definition,
    repetition,
    values: readValues(bytes, 0, described.encoding, present, layout, dictionary),
  }
}

function readValues(
  bytes: Uint8Array,
  at: number,
  encoding: string,
  count: number,
  layout: ColumnLayout,
  dictionary: DecodedArray | null,
): DecodedArray {
  const { type } = layout
  if (count === 0) return []
  const { type_length } = leafOf(layout)
  const reader = readerOf(bytes, at)
  switch (encoding) {
    case 'PLAIN':
      return converted(readPlain(reader, type, count, type_length), layout)
    case 'PLAIN_DICTIONARY':
    case 'RLE_DICTIONARY': {
      if (dictionary === null) throw new RangeError('indices into a dictionary that the column does not have')
      return lookedUp(readRuns(bytes, at + 1, bytes.length, bytes[at] ?? 0, count), dictionary)
    }
    case 'RLE':
      if (type !== 'BOOLEAN') break
      return Array.from(prefixedRuns(bytes, at, 1, count).runs, (value) => value === 1)
    case 'DELTA_BINARY_PACKED':
      return converted(unpacked(reader, type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count)), layout)
    case 'DELTA_LENGTH_BYTE_ARRAY':
      return converted(lengthPrefixed(reader, count), layout)
    case 'DELTA_BYTE_ARRAY':
      return converted(prefixShared(reader, count), layout)
    case 'BYTE_STREAM_SPLIT':
      return converted(byteStreamSplit(reader, count, type, type_length), layout)
  }
  throw new RangeError(`values of type ${type} in the encoding ${encoding}, which is not known`)
}

type Reader = ReturnType<typeof readerOf>

function readerOf(bytes: Uint8Array, offset: number) {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset }
}

/** Values whose differences are packed. A header that makes no sense would lead the library backwards, without end. */
function unpacked<Numbers extends Int32Array | BigInt64Array>(reader: Reader, output: Numbers): Numbers {
  const header = { view: reader.view, offset: reader.offset }
  const block = unsigned(header)
  const miniblocks = unsigned(header)
  if (
    block === 0 ||
    block % 128 !== 0 ||
    miniblocks === 0 ||
    block % miniblocks !== 0 ||
    (block / miniblocks) % 32 !== 0
  ) {
    throw new RangeError(`packed differences in blocks of ${block} with ${miniblocks} parts`)
  }
  deltaBinaryUnpack(reader, output.length, output)
  return output
}

/** Texts behind their lengths. Those of no bytes are one: a page declares millions of them, each of which would be an object. */
function lengthPrefixed(reader: Reader, count: number): Uint8Array[] {
  const lengths = unpacked(reader, new Int32Array(count))
  let total = 0
  for (const length of lengths) {
    if (length < 0) throw new RangeError(`a text of ${length} bytes`)
    total += length
  }
  const { buffer, byteOffset, byteLength } = reader.view
  if (reader.offset + total > byteLength) throw new RangeError(`texts of ${total} bytes in a page of ${byteLength}`)
  return Array.from(lengths, (length) => {
    if (length === 0) return NO_BYTES
    const value = new Uint8Array(buffer, byteOffset + reader.offset, length)
    reader.offset += length
    return value
  })
}

/** Texts that begin as the one before them does. */
function prefixShared(reader: Reader, count: number): Uint8Array[] {
  const shared = unpacked(reader, new Int32Array(count))
  const ends = lengthPrefixed(reader, count)
  let before: Uint8Array = NO_BYTES
  let total = 0
  return ends.map((end, i) => {
    const kept = shared[i] as number
    if (kept < 0 || kept > before.length)
      throw new RangeError(`a text shares ${kept} bytes with one of ${before.length}`)
    total += kept + end.length
    if (total > MAX_SHARED_BYTES) throw new RangeError('texts that share their beginnings are too long together')
    // The same once more, which a page may declare millions of.
    if (end.length === 0 && kept === before.length) return before
    const value = new Uint8Array(kept + end.length)
    value.set(before.subarray(0, kept))
    value.set(end, kept)
    before = value
    return value
  })
}

function unsigned(reader: Reader): number {
  let value = 0
  for (let shift = 0; shift <= 28; shift += 7) {
    const byte = reader.view.getUint8(reader.offset++)
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return value
  }
  throw new RangeError('a length of more than 32 bits')
}

function lookedUp(indices: Runs, dictionary: DecodedArray): DecodedArray {
  const values = emptyLike(dictionary, indices.length)
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i] as number
    if (index >= dictionary.length) {
      throw new RangeError(`entry ${index} of a dictionary that has ${dictionary.length}`)
    }
    values[i] = dictionary[index]
  }
  return values
}

/** As many values, in an array of the same kind. */
function emptyLike(values: DecodedArray, length: number): DecodedArray {
  return Array.isArray(values)
    ? new Array(length)
    : new (values.constructor as new (length: number) => DecodedArray)(length)
}

/** The layout of the same column without what its values stand for: pages read with it hold them as they are stored. */
export function physicalLayout(layout: ColumnLayout): ColumnLayout {
  const { converted_type: _converted, logical_type: _logical, ...element } = leafOf(layout)
  return { ...layout, path: [...layout.path.slice(0, -1), { ...(layout.path.at(-1) as SchemaTree), element }] }
}

/** What stored values stand for. */
export function converted(values: DecodedArray, layout: ColumnLayout): DecodedArray {
  return convert(values, {
    pathInSchema: [],
    type: layout.type,
    element: leafOf(layout),
    schemaPath: layout.path as SchemaTree[],
    codec: layout.codec,
    parsers: { ...DEFAULT_PARSERS, ...parsers },
    utf8: false,
  })
}

/** Whether the values of a leaf are numbers or booleans, and stand for nothing else. */
export function isNumeric({ type, converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  if (type === 'BOOLEAN' || type === 'FLOAT' || type === 'DOUBLE') return true
  if (type !== 'INT32' && type !== 'INT64') return false
  return (converted === undefined || /^U?INT_/.test(converted)) && (logical === undefined || logical.type === 'INTEGER')
}

/** How many values each value of a column counts as, where what is held is counted. */
export function weightOf(layout: ColumnLayout): number {
  return isNumeric({ ...leafOf(layout), type: layout.type }) ? 1 : VALUES_OF_AN_OBJECT
}

export function leafOf({ path }: ColumnLayout) {
  return (path[path.length - 1] as SchemaTree).element
}

function prefixedRuns(bytes: Uint8Array, at: number, highest: number, count: number) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true)
  const end = at + 4 + length
  if (end > bytes.length) throw new RangeError('levels are cut off')
  return { runs: readRuns(bytes, at + 4, end, bits(highest), count), next: end }
}

function presentOf(definition: Runs, highest: number): number {
  let present = 0
  for (let i = 0; i < definition.length; i++) if (definition[i] === highest) present++
  return present
}

function bits(highest: number): number {
  return 32 - Math.clz32(highest)
}
