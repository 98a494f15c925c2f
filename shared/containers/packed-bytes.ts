import { counted } from '../model/number-text.ts'
import { partitionPoint } from '../model/partition-point.ts'
import type { ByteSource } from '../model/source.ts'
import { type ChunkOptions, type ContainerBytes, DamagedBytes } from './bytes.ts'
import { ChunkCache } from './chunk-cache.ts'
import { joinBytes } from './join-bytes.ts'

/** What a compressed file may grow to unless a person says otherwise: so many times its own size, and always this much. */
const MOST_TIMES = 200
const ALWAYS_ALLOWED = 32 << 20
/** What was decompressed last and is kept. */
export const CACHE_BYTES = 256 << 20

/** A place where decompression may begin anew: bytes before it in the compressed file, and in what comes out. */
export interface Restart {
  readonly packed: number
  readonly plain: number
}

/** One way to compress. */
export interface Packing {
  /** As in a container's id, and for people. */
  readonly id: string
  readonly title: string
  /**
   * Decompresses from a place on. What came out before damage is given before `DamagedBytes` is thrown. `onRestart` is told of
   * later places where one may begin, in order.
   */
  decompress(
    source: ByteSource,
    from: Restart,
    options: ChunkOptions,
    onRestart: (restart: Restart) => void,
  ): AsyncGenerator<Uint8Array, void, undefined>
  /** Places that the file lists, without decompressing it. */
  restarts?(source: ByteSource): Promise<readonly Restart[]>
}

/** Most bytes that may come out of a compressed file, by the size of the outermost one. `maxUnpacked` is what a person allowed, null for the rule. */
export function unpackedLimit({ size, packedIn = size }: ByteSource, maxUnpacked: number | null): number {
  return maxUnpacked ?? Math.max(ALWAYS_ALLOWED, MOST_TIMES * Math.min(size, packedIn))
}

/** What comes out of compressed columns and is held at once, unless a person says otherwise. */
const MOST_HELD = 256 << 20
/** A large file may be one batch, as data frames are written; its columns of numbers come out some times larger than they are stored. */
const MOST_HELD_OF_A_BYTE = 8

/** Most bytes that the compressed pages of a piece, or the buffers of a batch, may have once decompressed. */
export function heldLimit(source: ByteSource, maxUnpacked: number | null): number {
  return maxUnpacked ?? Math.min(Math.max(MOST_HELD, MOST_HELD_OF_A_BYTE * source.size), unpackedLimit(source, null))
}

/** Why columns are refused of which more would come out. */
export function tooMuchHeld(bytes: number, most: number): string {
  return `${bytes} bytes or more would come out of what is compressed for rows that are read at once, ${most} are allowed. Write smaller row groups or batches, or allow it: --max-unpacked with a number of bytes.`
}

/**
 * The bytes inside a compressed file. The most recently decompressed `cacheBytes` are kept for `slice`; what lies before
 * them is decompressed again, from the nearest place where that may begin. No more than `most` bytes are ever given.
 */
export function packedBytes(
  source: ByteSource,
  packing: Packing,
  { cacheBytes = CACHE_BYTES, most = unpackedLimit(source, null) } = {},
): ContainerBytes {
  const cache = new ChunkCache(cacheBytes)
  const restarts: Restart[] = [{ packed: 0, plain: 0 }]
  const remember = (restart: Restart) => {
    if (restart.plain > (restarts.at(-1) as Restart).plain) restarts.push(restart)
  }
  const limited = async function* (from: Restart, options: ChunkOptions) {
    let at = from.plain
    for await (const chunk of packing.decompress(source, from, options, remember)) {
      at += chunk.length
      if (at > most) {
        const rest = chunk.length - (at - most)
        if (rest > 0) yield chunk.subarray(0, rest)
        throw new DamagedBytes('unpacked-limit', tooMuch(source, packing, most))
      }
      yield chunk
    }
  }
  let again: ForwardReader | null = null
  /** Reads that decompress again share one stream and take turns. */
  let turn: Promise<unknown> = Promise.resolve()
  let listed = packing.restarts === undefined
  const readAgain = async (start: number, end: number) => {
    if (!listed) {
      listed = true
      for (const restart of (await packing.restarts?.(source)) ?? []) remember(restart)
    }
    const nearest = lastAtOrBefore(restarts, start)
    if (again === null || again.position > start || again.position < nearest.plain) {
      await again?.close()
      again = new ForwardReader(limited(nearest, {}), nearest.plain)
    }
    return again.slice(start, end)
  }
  return {
    packedIn: Math.min(source.size, source.packedIn ?? source.size),
    async *chunks(options) {
      let at = 0
      for await (const chunk of limited(restarts[0] as Restart, options)) {
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

function tooMuch(source: ByteSource, { title }: Packing, most: number): string {
  return `${counted(most, 'byte')} came out of ${counted(Math.min(source.size, source.packedIn ?? source.size), 'byte')} of ${title}, and nothing more is decompressed. If the file is meant to be that large, allow it: --max-unpacked with a number of bytes.`
}

function lastAtOrBefore(restarts: readonly Restart[], position: number): Restart {
  const behind = partitionPoint(restarts.length, (i) => (restarts[i] as Restart).plain <= position)
  return restarts[behind - 1] as Restart
}

/** Reads ranges going forward through chunks that cannot be read twice. */
class ForwardReader {
  private current: Uint8Array = new Uint8Array(0)

  constructor(
    private readonly chunks: AsyncGenerator<Uint8Array, void, undefined>,
    public position: number,
  ) {}

  /** `start` must not lie before `position`. */
  async slice(start: number, end: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
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
      if (take > skip) parts.push(this.current.subarray(skip, take))
      this.current = this.current.subarray(take)
      this.position += take
    }
    return joinBytes(parts)
  }

  async close(): Promise<void> {
    await this.chunks.return()
  }
}
