import type { ByteSource } from '../model/source.ts'
import { indexValues } from './array.ts'
import { type ContainerBytes, DamagedBytes, plainBytes } from './bytes.ts'
import { type Container, UnreadableSource } from './container.ts'
import { gzipBytes } from './gzip.ts'
import { isGzip } from './gzip-pieces.ts'
import { indexLines } from './lines.ts'
import { BINARY, foreignKind, looksBinary, textShape } from './shape.ts'
import { DEFAULT_BATCH_BYTES, extentOf } from './spans.ts'

/** Bytes that decide what a file is. */
const HEAD_BYTES = 1 << 16

/**
 * Finds out what a source is from its first bytes, never from its name: `jsonl` or `json`, with `+gzip` when it is inside one.
 * Throws `UnreadableSource` with one sentence for people when it is neither.
 */
export async function openContainer(source: ByteSource): Promise<Container> {
  if (source.size === 0) {
    throw new UnreadableSource(
      'empty',
      `${source.name} is empty (0 bytes). Check that the run wrote it and that it was copied whole.`,
    )
  }
  const outer = await source.slice(0, HEAD_BYTES)
  const compressed = isGzip(outer)
  const bytes = compressed ? gzipBytes(source) : plainBytes(source)
  const head = compressed ? await firstBytes(bytes, source.name) : outer
  const foreign = foreignKind(head)
  if (foreign !== null) throw new UnreadableSource(foreign.code, `${source.name} ${foreign.message}`)
  const shape = textShape(head, head.length < HEAD_BYTES)
  if (shape === 'blank') {
    throw new UnreadableSource(
      'empty',
      `${source.name} holds nothing but white space. Check that the run wrote it and that it was copied whole.`,
    )
  }
  if (shape === 'not-json' && looksBinary(head)) {
    throw new UnreadableSource(BINARY.code, `${source.name} ${BINARY.message}`)
  }
  if (shape === 'not-json') {
    throw new UnreadableSource(
      'not-json',
      `${source.name} is text, but no JSON: a rollout dump is JSONL (one object on each line) or a JSON array. Convert it, or choose another file.`,
    )
  }
  const find = shape === 'lines' ? indexLines : indexValues
  return {
    id: (shape === 'lines' ? 'jsonl' : 'json') + (compressed ? '+gzip' : ''),
    source,
    metadata: null,
    index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      return find(bytes, { first: firstBatchBytes, most: batchBytes }, { signal, onBytes })
    },
    async read(spans) {
      const { start, end } = extentOf(spans)
      return { decoder: 'json', spans, bytes: [end > start ? await bytes.slice(start, end) : new Uint8Array(0)] }
    },
  }
}

async function firstBytes(bytes: ContainerBytes, name: string): Promise<Uint8Array> {
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
      `${name} is a gzip file with nothing in it. Check that the run wrote it and that it was copied whole.`,
    )
  }
  return bytes.slice(0, Math.min(length, HEAD_BYTES))
}
