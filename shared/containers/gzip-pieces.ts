import type { ByteSource } from '../model/source.ts'
import { type ChunkOptions, readStream } from './bytes.ts'
import { joinBytes } from './join-bytes.ts'

/** Compressed bytes fed at a time: what a damaged stream may lose before the damage. */
const PIECE_BYTES = 1 << 16
/** Magic, method and flags. */
const HEADER_BYTES = 4

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

export interface GzipPiece {
  readonly bytes: Uint8Array
  /** A member may begin here; compressed data looks like it once in half a billion bytes. */
  readonly header: boolean
}

/** A gzip file in pieces, cut wherever a member may begin. */
export async function* gzipPieces(
  source: ByteSource,
  { signal, onBytes }: ChunkOptions,
): AsyncGenerator<GzipPiece, void, undefined> {
  let held: Uint8Array = new Uint8Array(0)
  let read = 0
  for await (const chunk of readStream(source.stream(), signal)) {
    const bytes = held.length === 0 ? chunk : joinBytes([held, chunk])
    // A header that the chunk cuts is seen with the next one.
    const limit = bytes.length - HEADER_BYTES + 1
    let at = 0
    while (at < limit) {
      const end = nextHeader(bytes, at + 1, Math.min(limit, at + PIECE_BYTES))
      yield { bytes: bytes.subarray(at, end), header: isHeader(bytes, at) }
      at = end
    }
    held = new Uint8Array(bytes.subarray(at))
    read += chunk.length
    onBytes?.(read)
  }
  if (held.length > 0) yield { bytes: held, header: false }
}

function nextHeader(bytes: Uint8Array, from: number, limit: number): number {
  for (let at = bytes.indexOf(0x1f, from); at >= 0 && at < limit; at = bytes.indexOf(0x1f, at + 1)) {
    if (isHeader(bytes, at)) return at
  }
  return limit
}

function isHeader(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 0x08 && ((bytes[at + 3] as number) & 0xe0) === 0
  )
}
