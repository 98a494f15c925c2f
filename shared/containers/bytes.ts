import { LOST_CODES } from '../model/lost-files.ts'
import type { ByteReader, ByteSource } from '../model/source.ts'
import { ChunkCache } from './chunk-cache.ts'

/** Bytes after any decompression, as the record finders see them. Offsets count decompressed bytes. */
export interface ContainerBytes {
  /** All bytes from the first on (or from `from`, where nothing is compressed), in order. Throws `DamagedBytes` after the last that could be read. */
  chunks(options: ChunkOptions): AsyncGenerator<Uint8Array, void, undefined>
  /** A copy that the caller may keep, change or transfer; shorter where the bytes end before `end`. */
  slice(start: number, end: number): Promise<Uint8Array>
  /** Where nothing is compressed, the source that these are the bytes of. */
  readonly source?: ByteSource
  /** As `ByteSource.packedIn`. */
  readonly packedIn?: number
}

export interface ChunkOptions {
  readonly from?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Bytes of the source that were read so far, before any decompression. */
  readonly onBytes?: ((read: number) => void) | undefined
  /** The bytes of the source themselves, where nothing is compressed; they stand until it returns. */
  readonly onChunk?: ((start: number, chunk: Uint8Array) => void) | undefined
  /** Nothing of it is asked for with `slice` soon after: a chunk stands only until the next one. */
  readonly passing?: boolean | undefined
}

/** The bytes cannot be read beyond a point; `message` says why, for people. */
export class DamagedBytes extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'DamagedBytes'
    this.code = code
  }
}

/** Records are asked for soon after the index has gone over them: twice the usual batch is enough to have them still. */
const RECENT_BYTES = 8 << 20

/** The bytes of a source as they are; what was streamed last is not read a second time. */
export function plainBytes(source: ByteSource): ContainerBytes {
  let recent: ChunkCache | null = null
  return {
    source,
    async *chunks({ from = 0, signal, onBytes, onChunk, passing = false }) {
      let read = from
      const cache = passing ? null : new ChunkCache(RECENT_BYTES, from)
      recent = cache
      const given = passing ? source.reader?.(from) : undefined
      for await (const chunk of given ? readAll(given, signal) : readStream(source.stream(from), signal)) {
        cache?.append(read, chunk)
        onChunk?.(read, chunk)
        read += chunk.length
        yield chunk
        onBytes?.(read)
      }
      if (recent === cache) recent = null
      if (read < source.size) throw new DamagedBytes(LOST_CODES.shorter, shorter(source, read))
    },
    slice: async (start, end) => recent?.slice(start, end) ?? source.slice(start, end),
  }
}

function shorter({ name, size }: ByteSource, read: number): string {
  return `${name} became shorter while it was being read: ${read} of ${size} bytes are there, nothing after them can be read. Write it again, and open it once it is whole.`
}

async function* readAll(reader: ByteReader, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      signal?.throwIfAborted()
      const chunk = await reader.next()
      if (chunk === null) return
      yield chunk
    }
  } finally {
    await reader.close()
  }
}

/** A stream's chunks; the stream is cancelled when the reader leaves early. (Not every browser can iterate a stream.) */
export async function* readStream(
  stream: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  let ended = false
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await reader.read()
      if (done) {
        ended = true
        return
      }
      yield value
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => undefined)
  }
}
