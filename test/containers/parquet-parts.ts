import { Buffer } from 'node:buffer'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { ColumnMetaData, Encoding, SchemaElement } from 'hyparquet/src/types.js'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { deltaBinaryPack, deltaByteArray, deltaLengthByteArray } from 'hyparquet-writer/src/delta.js'
import { writePlain } from 'hyparquet-writer/src/plain.js'
import { snappyCompress } from 'hyparquet-writer/src/snappy.js'
import { writeByteStreamSplit } from 'hyparquet-writer/src/splitstream.js'
import { runsOf } from './made-parquet.ts'

type Type = ColumnMetaData['type']
type Codec = ColumnMetaData['codec']
const text = new TextEncoder()

/** Bytes of a value of no number; every other type has numbers. */
const FIXED_BYTES = 3

/** `count` values of a type, of which some repeat. Times of 96 bits are told by their bytes. */
export function someValues(type: Type, count: number) {
  const of = <Value>(value: (i: number) => Value) => Array.from({ length: count }, (_, i) => value(i % 5))
  if (type === 'BOOLEAN') return of((i) => i > 2)
  if (type === 'INT64') return of((i) => BigInt(i) ** 20n)
  if (type === 'INT32') return of((i) => i * 1000 - 7)
  if (type === 'FLOAT' || type === 'DOUBLE') return of((i) => i / 4 - 1)
  if (type === 'BYTE_ARRAY') return of((i) => text.encode('a text'.repeat(i % 3)))
  return of((i) => new Uint8Array(type === 'INT96' ? 12 : FIXED_BYTES).fill(i))
}

/** How values of each type may be written, dictionaries aside. */
export const ENCODINGS: Readonly<Record<Type, readonly Encoding[]>> = {
  BOOLEAN: ['PLAIN', 'RLE'],
  INT32: ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'],
  INT64: ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'],
  INT96: ['PLAIN'],
  FLOAT: ['PLAIN', 'BYTE_STREAM_SPLIT'],
  DOUBLE: ['PLAIN', 'BYTE_STREAM_SPLIT'],
  BYTE_ARRAY: ['PLAIN', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'],
  FIXED_LEN_BYTE_ARRAY: ['PLAIN', 'BYTE_STREAM_SPLIT', 'DELTA_BYTE_ARRAY'],
}

export function encoded(values: ReturnType<typeof someValues>, type: Type, encoding: Encoding): Uint8Array {
  const writer = new ByteWriter()
  if (encoding === 'RLE') return runsOf(values.map((value) => [value === true ? 1 : 0, 1]))
  if (encoding === 'DELTA_BINARY_PACKED') deltaBinaryPack(writer, values, type === 'INT64' ? 'INT64' : 'INT32')
  else if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') deltaLengthByteArray(writer, values)
  else if (encoding === 'DELTA_BYTE_ARRAY') deltaByteArray(writer, values)
  else if (encoding === 'BYTE_STREAM_SPLIT') writeByteStreamSplit(writer, values, type, FIXED_BYTES)
  else if (type === 'INT96') for (const value of values as Uint8Array[]) writer.appendBytes(value)
  else writePlain(writer, values, type, FIXED_BYTES)
  return writer.getBytes()
}

/** `count` values that are all 0 or of no bytes, in as few bytes as the encoding knows. */
export function sameAgain(type: Type, encoding: Encoding, count: number): Uint8Array {
  if (encoding === 'RLE') return runsOf([[0, count]])
  if (encoding === 'DELTA_BINARY_PACKED' || encoding === 'DELTA_LENGTH_BYTE_ARRAY') return noDifferences(count)
  if (encoding === 'DELTA_BYTE_ARRAY')
    return new Uint8Array(Buffer.concat([noDifferences(count), noDifferences(count)]))
  // Of what has no short form, no more than is made quickly.
  return new Uint8Array(Math.min(count, 1 << 18) * (type === 'INT96' ? 12 : type === 'BOOLEAN' ? 1 : 8))
}

/** The first value, and blocks of 2^20 differences of no bits in four parts. */
function noDifferences(count: number): Uint8Array {
  const writer = new ByteWriter()
  for (const number of [1 << 20, 4, count, 0]) writer.appendVarInt(number)
  writer.appendBytes(new Uint8Array(5 * Math.ceil(count / (1 << 20))))
  return writer.getBytes()
}

/** Indices into a dictionary, in runs of one value each. */
export function indices(at: readonly number[]): Uint8Array {
  return Uint8Array.of(
    8,
    ...runsOf(
      at.map((index) => [index, 1]),
      { prefixed: false },
    ),
  )
}

/** What each codec makes of bytes, without making them small where a library for that is no dependency. */
export const PACKINGS: Readonly<Partial<Record<Codec, (bytes: Uint8Array) => Uint8Array>>> = {
  UNCOMPRESSED: (bytes) => bytes,
  SNAPPY: (bytes) => snappyCompress(bytes),
  GZIP: (bytes) => new Uint8Array(gzipSync(bytes)),
  BROTLI: (bytes) => new Uint8Array(brotliCompressSync(bytes)),
  ZSTD: zstdStored,
  LZ4_RAW: lz4Stored,
  LZ4(bytes) {
    const block = lz4Stored(bytes)
    const head = new DataView(new ArrayBuffer(8))
    head.setUint32(0, bytes.length)
    head.setUint32(4, block.length)
    return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), block]))
  },
}

/** A Zstandard frame of blocks that are stored. */
function zstdStored(bytes: Uint8Array): Uint8Array {
  const most = 128 << 10
  const parts: Uint8Array[] = [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58)]
  for (let at = 0; at === 0 || at < bytes.length; at += most) {
    const block = bytes.subarray(at, at + most)
    const header = (block.length << 3) | (at + most >= bytes.length ? 1 : 0)
    parts.push(Uint8Array.of(header & 255, (header >> 8) & 255, (header >> 16) & 255), block)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** An LZ4 block of nothing but literals. */
function lz4Stored(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 15) return Uint8Array.of(bytes.length << 4, ...bytes)
  const more = bytes.length - 15
  const lengths = new Uint8Array(Math.floor(more / 255) + 1).fill(255)
  lengths[lengths.length - 1] = more % 255
  return new Uint8Array(Buffer.concat([Uint8Array.of(0xf0), lengths, bytes]))
}

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Kilobytes that give `size` bytes or more, in each codec that can. */
export const BOMBS: Readonly<Partial<Record<Codec, (size: number) => Uint8Array>>> = {
  GZIP: (size) => new Uint8Array(gzipSync(new Uint8Array(size))),
  BROTLI: (size) => new Uint8Array(brotliCompressSync(new Uint8Array(size), FAST)),
  LZ4_RAW: lz4Again,
  LZ4: lz4Again,
}

function lz4Again(size: number): Uint8Array {
  const lengths = new Uint8Array(Math.ceil(size / 255)).fill(255)
  lengths[lengths.length - 1] = 0
  return new Uint8Array(Buffer.concat([Uint8Array.of(0x1f, 97, 1, 0), lengths]))
}

/** Schema elements of a column, by what its rows are. */
export function columnSchema(
  name: string,
  type: Type,
  shape: 'required' | 'optional' | 'list',
): { readonly elements: readonly SchemaElement[]; readonly path: readonly string[] } {
  const leaf = {
    type,
    ...(type === 'BYTE_ARRAY' ? { converted_type: 'UTF8' as const } : {}),
    ...(type === 'FIXED_LEN_BYTE_ARRAY' ? { type_length: FIXED_BYTES } : {}),
  }
  if (shape !== 'list') {
    const repetition_type = shape === 'optional' ? 'OPTIONAL' : 'REQUIRED'
    return { elements: [{ name, repetition_type, ...leaf }], path: [name] }
  }
  return {
    elements: [
      { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', ...leaf },
    ],
    path: [name, 'list', 'element'],
  }
}
