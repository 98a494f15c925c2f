import type { ByteSource } from '../model/source.ts'
import { indexValues } from './array.ts'
import { type ContainerBytes, DamagedBytes, plainBytes } from './bytes.ts'
import { type Container, type RecordSpans, UnreadableSource } from './container.ts'
import { gzipPacking } from './gzip.ts'
import { isGzip } from './gzip-pieces.ts'
import { indexLines } from './lines.ts'
import { isMsgpack } from './msgpack/scan.ts'
import { type Packing, packedBytes, unpackedLimit } from './packed-bytes.ts'
import { BINARY, binaryKind, foreignKind, looksBinary, textShape } from './shape.ts'
import { DEFAULT_BATCH_BYTES, extentOf } from './spans.ts'
import { unpackedSource } from './unpacked-source.ts'
import { isZstd } from './zstd/frame.ts'

/** Bytes that decide what a file is. */
export const HEAD_BYTES = 1 << 16
/** A file may be compressed, and compressed again; no more. */
const MAX_PACKINGS = 2

export interface OpenOptions {
  /** Most bytes that may come out of a compressed file; null for the rule of `unpackedLimit`. */
  readonly maxUnpacked?: number | null
}

/**
 * Finds out what a source is from its first bytes, never from its name, and opens it: `jsonl`, `json`, `parquet`, `arrow`, `msgpack`,
 * `pickle`, `torch`, each with `+gzip` or `+zstd` when it is inside one. Readers of binary containers are loaded when they are needed.
 * Throws `UnreadableSource` with one sentence for people when it is none of these.
 */
export async function openContainer(source: ByteSource, options: OpenOptions = {}): Promise<Container> {
  return openLayer(source, options, 0)
}

async function openLayer(source: ByteSource, options: OpenOptions, packings: number): Promise<Container> {
  if (source.size === 0) {
    throw new UnreadableSource(
      'empty',
      packings === 0
        ? `${source.name} is empty (0 bytes). If it should hold rollouts, check that the run wrote it and that it was copied whole.`
        : `${source.name} has nothing in it once it is decompressed. Check that the run wrote it and that it was copied whole.`,
    )
  }
  const outer = await source.slice(0, HEAD_BYTES)
  const packing = packings < MAX_PACKINGS ? await packingOf(outer) : null
  if (packing === null) return openPlain(source, plainBytes(source), outer, options)
  const bytes = packedBytes(source, packing, { most: unpackedLimit(source, options.maxUnpacked ?? null) })
  const head = await firstBytes(bytes, source.name, packing)
  const container = isText(head)
    ? await openPlain(source, bytes, head, options)
    : await openLayer(await unpacked(source, bytes), options, packings + 1)
  return { ...container, id: `${container.id}+${packing.id}`, source }
}

/** How a file is compressed, by its first bytes; null where it is not. */
export async function packingOf(head: Uint8Array): Promise<Packing | null> {
  if (isGzip(head)) return gzipPacking
  return isZstd(head) ? (await import('./zstd/packing.ts')).zstdPacking : null
}

/** Text is read as a stream; anything else has to be read at places. */
function isText(head: Uint8Array): boolean {
  return binaryKind(head) === null && !isGzip(head) && !isZstd(head) && !isMsgpack(head)
}

async function unpacked(source: ByteSource, bytes: ContainerBytes): Promise<ByteSource> {
  return unpackedSource(source.name, bytes).catch((error: unknown) => {
    if (!(error instanceof DamagedBytes)) throw error
    throw new UnreadableSource(error.code, `${source.name} is not read: ${error.message}`)
  })
}

async function openPlain(
  source: ByteSource,
  bytes: ContainerBytes,
  head: Uint8Array,
  { maxUnpacked = null }: OpenOptions,
): Promise<Container> {
  const whole = head.length < HEAD_BYTES
  switch (binaryKind(head)) {
    case 'parquet':
      return (await import('./parquet/open.ts')).openParquet(source, { maxUnpacked })
    case 'arrow':
      return (await import('./arrow/open.ts')).openArrow(source, maxUnpacked)
    case 'pickle':
      return (await import('./pickled/open.ts')).openPickled(source, {})
    case 'zip':
      return (await import('./archive/zip.ts')).openZipDump(source, maxUnpacked)
  }
  const foreign = foreignKind(head)
  if (foreign !== null) throw new UnreadableSource(foreign.code, `${source.name} ${foreign.message}`)
  if (isMsgpack(head)) return (await import('./msgpack/open.ts')).openMsgpack(source)
  const shape = textShape(head, whole)
  if (shape === 'blank') {
    throw new UnreadableSource(
      'empty',
      `${source.name} holds nothing but ${head.includes(0) ? 'zeros and white space' : 'white space'}. Check that the run wrote it and that it was copied whole.`,
    )
  }
  if (shape === 'not-json' && looksBinary(head)) {
    throw new UnreadableSource(BINARY.code, `${source.name} ${BINARY.message}`)
  }
  if (shape === 'not-json') {
    const single = whole ? singleValue(head) : null
    const what = single === null ? 'is text, but no JSON' : `holds ${single} and nothing else`
    throw new UnreadableSource(
      'not-json',
      `${source.name} ${what}: a rollout dump is JSONL (one object on each line) or a JSON array. Convert it, or choose another file.`,
    )
  }
  const elsewhere = bytes.source?.elsewhere
  return {
    id: shape === 'lines' ? 'jsonl' : 'json',
    source,
    metadata: null,
    givesChunks: bytes.source !== undefined,
    ...(shape === 'lines' && elsewhere !== undefined ? { linesElsewhere: elsewhere } : {}),
    index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, from, ...options } = {}) {
      const sizes = { first: firstBatchBytes, most: batchBytes }
      return shape === 'lines' ? indexLines(bytes, sizes, options, from) : indexValues(bytes, sizes, options)
    },
    ...(elsewhere === undefined || bytes.source?.isFar
      ? {}
      : { refer: (spans: RecordSpans) => ({ decoder: 'elsewhere', spans, bytes: [], source: elsewhere }) as const }),
    async read(spans) {
      const { firstByte: start, endByte: end } = extentOf(spans)
      return { decoder: 'json', spans, bytes: [end > start ? await bytes.slice(start, end) : new Uint8Array(0)] }
    },
  }
}

/** The first bytes inside a compressed file. Throws `UnreadableSource` where none come out of it. */
export async function firstBytes(bytes: ContainerBytes, name: string, { title }: Packing): Promise<Uint8Array> {
  let length = 0
  try {
    for await (const chunk of bytes.chunks({})) {
      length += chunk.length
      if (length >= HEAD_BYTES) break
    }
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    if (length === 0) throw new UnreadableSource(error.code, `${name} cannot be read: ${error.message}`)
  }
  if (length === 0) {
    throw new UnreadableSource(
      'empty',
      `${name} is a ${title} file with nothing in it. Check that the run wrote it and that it was copied whole.`,
    )
  }
  return bytes.slice(0, Math.min(length, HEAD_BYTES))
}

/** What a text is that is JSON, but neither an object nor an array, as part of a sentence; null where it is none. */
function singleValue(head: Uint8Array): string | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(head))
    if (typeof value === 'string') return 'a text in quotes'
    return typeof value === 'number' ? 'a number' : String(value)
  } catch {
    return null
  }
}
