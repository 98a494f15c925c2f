import { FlatTable } from './flat-table.ts'

/** `MessageHeader` of Arrow's Message.fbs. */
const HEADER = { schema: 1, dictionary: 2, records: 3 } as const

/** A region of a message's body, in bytes. */
export interface Region {
  readonly offset: number
  readonly length: number
}

/** What a message says of the columns in its body: one node for every field in depth-first order, and their buffers. */
export interface BatchLayout {
  /** Rows; the entries of a dictionary. */
  readonly length: number
  readonly nodes: readonly { readonly length: number; readonly nulls: number }[]
  readonly buffers: readonly Region[]
  /** Codec of every buffer, null where they are stored as they are. */
  readonly compression: 'lz4' | 'zstd' | null
  /** Data buffers of each column of views. */
  readonly variadic: readonly number[]
}

export type Message =
  | { readonly kind: 'schema'; readonly body: number }
  | { readonly kind: 'records'; readonly body: number; readonly layout: BatchLayout }
  | {
      readonly kind: 'dictionary'
      readonly body: number
      readonly layout: BatchLayout
      readonly id: number
      readonly delta: boolean
    }
  | { readonly kind: 'other'; readonly body: number }

/** Fields that a schema may have in all, and levels that they may be nested; a schema whose offsets lead in circles has more. */
const MAX_FIELDS = 20_000
const MAX_LEVELS = 64

/** Rows of a compressed batch that has less than a bit for each; their places alone take 24 bytes each. */
const MOST_PACKED_ROWS = 1 << 22

/** Reads a message's metadata. Throws `RangeError` where it is damaged or uses what is not read, in words for people. */
export function readMessage(metadata: Uint8Array): Message {
  const message = FlatTable.root(metadata)
  const version = message.integer(0, 16)
  const kind = message.integer(1, 8)
  const header = message.table(2)
  const body = message.integer(3, 64)
  if (body < 0) throw new RangeError(`a body of ${body} bytes`)
  // Before version 4 buffers were described otherwise; no writer of the last years does that.
  if (version < 3) throw new RangeError(`metadata of version ${version + 1}, which is older than Arrow 0.8`)
  if (header === null) return { kind: 'other', body }
  if (kind === HEADER.schema) {
    checkSchema(header)
    return { kind: 'schema', body }
  }
  if (kind === HEADER.records) return { kind: 'records', body, layout: layoutOf(header, body) }
  if (kind !== HEADER.dictionary) return { kind: 'other', body }
  const data = header.table(1)
  if (data === null) throw new RangeError('a dictionary without entries')
  return {
    kind: 'dictionary',
    body,
    layout: layoutOf(data, body),
    id: header.integer(0, 64),
    delta: header.integer(2, 8) !== 0,
  }
}

/** A file of the schema that a footer describes, and nothing else. Throws `RangeError` where the footer is damaged. */
export function fileWithoutRows(footer: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8 + footer.length + 10)
  const magic = new TextEncoder().encode('ARROW1')
  bytes.set(magic)
  bytes.set(footer, 8)
  new DataView(bytes.buffer).setInt32(8 + footer.length, footer.length, true)
  bytes.set(magic, 8 + footer.length + 4)
  const table = FlatTable.root(bytes.subarray(8, 8 + footer.length))
  const schema = table.table(1)
  if (schema === null) throw new RangeError('its footer has no schema')
  checkSchema(schema)
  checkPairs(table.tables(4))
  table.empty(2)
  table.empty(3)
  return bytes
}

/** The library follows every offset of a schema; this walks them before, within bounds. */
function checkSchema(schema: FlatTable): void {
  if (schema.integer(0, 16) !== 0) throw new RangeError('numbers in big-endian order, which are not read')
  let left = MAX_FIELDS
  const walk = (fields: readonly FlatTable[], level: number) => {
    left -= fields.length
    if (left < 0 || level > MAX_LEVELS) throw new RangeError('a schema of too many fields')
    for (const field of fields) {
      field.text(0)
      field.table(3)
      field.table(4)?.table(1)
      checkPairs(field.tables(6))
      walk(field.tables(5), level + 1)
    }
  }
  walk(schema.tables(1), 1)
  checkPairs(schema.tables(2))
}

function checkPairs(pairs: readonly FlatTable[]): void {
  for (const pair of pairs) {
    pair.text(0)
    pair.text(1)
  }
}

function layoutOf(batch: FlatTable, body: number): BatchLayout {
  const length = batch.integer(0, 64)
  const nodes = batch.pairs(1).map(([length, nulls]) => ({ length, nulls }))
  const buffers = batch.pairs(2).map(([offset, length]) => ({ offset, length }))
  const compressed = batch.table(3)
  for (const { offset, length } of buffers) {
    if (offset < 0 || length < 0 || offset + length > body) {
      throw new RangeError(`a column lies at bytes ${offset} to ${offset + length} of a body of ${body}`)
    }
  }
  for (const node of [{ length, nulls: 0 }, ...nodes]) {
    if (node.length < 0 || node.nulls < 0 || node.nulls > node.length) {
      throw new RangeError(`a column of ${node.length} values of which ${node.nulls} are null`)
    }
  }
  // Even a column of bits takes one for every row; only columns of nothing but nulls take none.
  const most = compressed === null ? body * 8 : Math.max(body * 8, Math.min(body * 8 * 256, MOST_PACKED_ROWS))
  if (length > Math.max(1 << 16, most)) {
    throw new RangeError(`${length} rows in a body of ${body} bytes`)
  }
  return { length, nodes, buffers, compression: compressionOf(compressed), variadic: batch.longs(4) }
}

function compressionOf(table: FlatTable | null): BatchLayout['compression'] {
  if (table === null) return null
  const codec = table.integer(0, 8)
  if (table.integer(1, 8) !== 0 || codec > 1) throw new RangeError('compression of a kind that is not known')
  return codec === 0 ? 'lz4' : 'zstd'
}
