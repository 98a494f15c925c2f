import type { ByteSource } from '../model/source.ts'
import { type ChunkOptions, type ContainerBytes, DamagedBytes, readStream } from './bytes.ts'
import { ChunkCache } from './chunk-cache.ts'

const CACHE_BYTES = 256 << 20
/** Compressed bytes fed at a time: what a damaged stream may lose before the damage. */
const PIECE_BYTES = 1 << 16

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

/**
 * The bytes inside a gzip file. The most recently decompressed `cacheBytes` are kept for `slice`; what lies
 * before them is decompressed again, going forward from where the last such read ended.
 */
export function gzipBytes(source: ByteSource, cacheBytes = CACHE_BYTES): ContainerBytes {
  const cache = new ChunkCache(cacheBytes)
  let again: ForwardReader | null = null
  /** Reads that decompress again share one stream and take turns. */
  let turn: Promise<unknown> = Promise.resolve()
  const readAgain = async (start: number, end: number) => {
    if (again === null || again.position > start) {
      await again?.close()
      again = new ForwardReader(decompress(source, {}))
    }
    return again.slice(start, end)
  }
  return {
    async *chunks(options) {
      let at = 0
      for await (const chunk of decompress(source, options)) {
        cache.append(at, chunk)
        at += chunk.length
        yield chunk
      }
    },
    async slice(start, end) {
      const cached = cache.slice(start, end)
      if (cached !== null) return cached
      const read = turn.then(() => readAgain(start, end))
      turn = read.catch(() => undefined)
      return read
    },
  }
}

/** Decompresses from the first byte on. What came out before damage is given before `DamagedBytes` is thrown. */
async function* decompress(source: ByteSource, options: ChunkOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { readable, writable } = new DecompressionStream('gzip')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  const out: Uint8Array[] = []
  let failure: unknown = null
  let total = 0
  const fail = (error: unknown) => {
    failure ??= error ?? new Error('damaged')
  }
  // Output is taken as it comes: an error would throw away what still waits inside the stream.
  const pump = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      out.push(value)
    }
  })().catch(fail)
  try {
    let read = 0
    for await (const chunk of readStream(source.stream(), options.signal)) {
      for (let at = 0; at < chunk.length && failure === null; at += PIECE_BYTES) {
        // The streams of some hosts keep what is written, and the host may use its buffer again.
        await writer.write(new Uint8Array(chunk.subarray(at, at + PIECE_BYTES))).catch(fail)
        if (out.length === 0) await settled()
        for (const piece of out.splice(0)) {
          total += piece.length
          yield piece
        }
      }
      if (failure !== null) break
      read += chunk.length
      options.onBytes?.(read)
    }
    await settled()
    if (failure === null) await writer.close().catch(fail)
    await pump
    for (const piece of out.splice(0)) {
      total += piece.length
      yield piece
    }
  } finally {
    await writer.abort().catch(() => undefined)
    await reader.cancel().catch(() => undefined)
  }
  if (failure !== null) {
    throw new DamagedBytes(
      'damaged-gzip',
      `the gzip file is damaged or was cut short (${failure instanceof Error ? failure.message : String(failure)}): ${total} bytes came out of it and are read, nothing after them can be. Copy or write the file again.`,
    )
  }
}

/** Until what a stream has under way has arrived. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

/** Reads ranges going forward through chunks that cannot be read twice. */
class ForwardReader {
  position = 0
  private readonly chunks: AsyncGenerator<Uint8Array, void, undefined>
  private current: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncGenerator<Uint8Array, void, undefined>) {
    this.chunks = chunks
  }

  /** `start` must not lie before `position`. */
  async slice(start: number, end: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    let length = 0
    while (this.position < end) {
      if (this.current.length === 0) {
        const next = await this.chunks.next().catch((error: unknown) => {
          if (error instanceof DamagedBytes) return { done: true as const, value: undefined }
          throw error
        })
        if (next.done) break
        this.current = next.value
        continue
      }
      const skip = Math.min(Math.max(start - this.position, 0), this.current.length)
      const take = Math.min(end - this.position, this.current.length)
      if (take > skip) {
        parts.push(this.current.subarray(skip, take))
        length += take - skip
      }
      this.current = this.current.subarray(take)
      this.position += take
    }
    const joined = new Uint8Array(length)
    let at = 0
    for (const part of parts) {
      joined.set(part, at)
      at += part.length
    }
    return joined
  }

  async close(): Promise<void> {
    await this.chunks.return()
  }
}
