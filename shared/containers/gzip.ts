import type { ByteSource } from '../model/source.ts'
import { type ChunkOptions, type ContainerBytes, DamagedBytes } from './bytes.ts'
import { ChunkCache } from './chunk-cache.ts'
import { GzipMember } from './gzip-member.ts'
import { gzipPieces } from './gzip-pieces.ts'

const CACHE_BYTES = 256 << 20

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
  let member = new GzipMember()
  let total = 0
  /** The last four bytes written, as the number that ends a member: its length modulo 2^32. */
  let lengthField = 0
  const given = (chunks: readonly Uint8Array[]) => {
    for (const chunk of chunks) total += chunk.length
    return chunks
  }
  try {
    for await (const { bytes, header } of gzipPieces(source, options)) {
      // Joined files are one stream to some hosts and an error to others; here each is decompressed by itself.
      if (header && member.started) {
        yield* given(await member.settle())
        if (member.length % 2 ** 32 === lengthField) {
          yield* given(await member.end())
          if (member.failed) break
          member = new GzipMember()
        }
      }
      yield* given(await member.write(bytes))
      if (member.failed) break
      for (const byte of bytes.subarray(-4)) lengthField = ((lengthField >>> 8) | (byte << 24)) >>> 0
    }
    if (!member.failed) yield* given(await member.end())
    else yield* given(await member.settle())
  } finally {
    await member.close()
  }
  if (member.failed) {
    throw new DamagedBytes(
      'damaged-gzip',
      `the gzip file is damaged or was cut short: ${total} bytes came out of it and are read, nothing after them can be. Copy or write the file again.`,
    )
  }
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
