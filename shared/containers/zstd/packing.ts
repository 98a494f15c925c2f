import { Decompress } from 'fzstd'
import { counted } from '../../model/number-text.ts'
import type { ByteSource } from '../../model/source.ts'
import { type ChunkOptions, DamagedBytes, readStream } from '../bytes.ts'
import { joinBytes } from '../join-bytes.ts'
import type { Packing, Restart } from '../packed-bytes.ts'
import { reasonOf } from '../reason.ts'
import { blockBytes, type FrameHeader, little, MAX_BLOCK, readFrameHeader } from './frame.ts'
import { seekTable } from './seek-table.ts'

/** Frames one after another, skippable ones among them; decompression may begin at each. */
export const zstdPacking: Packing = { id: 'zstd', title: 'Zstandard', decompress, restarts: seekTable }

async function* decompress(
  source: ByteSource,
  from: Restart,
  { signal, onBytes }: ChunkOptions,
  onRestart: (restart: Restart) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array = new Uint8Array(0)
  /** In the file: where `held` begins, and how much of it was read. */
  let at = from.packed
  let read = from.packed
  let plain = from.plain
  let frame: OpenFrame | null = null
  /** Bytes of a skippable frame that are still to come. */
  let skip = 0
  for await (const chunk of readStream(source.stream(from.packed), signal)) {
    held = held.length === 0 ? chunk : joinBytes([held, chunk])
    let pos = 0
    while (pos < held.length) {
      if (skip > 0) {
        const skipped = Math.min(skip, held.length - pos)
        skip -= skipped
        pos += skipped
        continue
      }
      if (frame === null) {
        const header = headerAt(held, pos, plain)
        if (header === null) break
        if (header.skippable) {
          skip = header.length
          continue
        }
        if (at + pos > from.packed) onRestart({ packed: at + pos, plain })
        frame = new OpenFrame(header, held.subarray(pos, pos + header.length))
        pos += header.length
        continue
      }
      const taken: number = frame.take(held, pos, plain)
      if (taken === 0) break
      pos += taken
      for (const block of frame.given()) {
        plain += block.length
        yield block
      }
      if (frame.ended) frame = null
    }
    at += pos
    held = held.slice(pos)
    read += chunk.length
    onBytes?.(read)
  }
  if (frame !== null || held.length > 0 || skip > 0) throw damaged(plain, 'it ends inside a frame')
}

function headerAt(bytes: Uint8Array, at: number, plain: number): FrameHeader | null {
  try {
    return readFrameHeader(bytes, at)
  } catch (error) {
    if (error instanceof DamagedBytes && error.code === 'damaged-zstd') throw damaged(plain, error.message)
    throw error
  }
}

/** A frame that is being decompressed, block by block. */
class OpenFrame {
  ended = false
  private readonly stream: Decompress
  private out: Uint8Array[] = []
  private begun = false

  constructor(
    private readonly header: FrameHeader,
    private readonly headerBytes: Uint8Array,
  ) {
    this.stream = new Decompress((block) => {
      if (block.length > 0) this.out.push(block)
    })
  }

  /** Decompresses the block at `at`; 0 where it is not here whole yet, else the bytes taken. */
  take(bytes: Uint8Array, at: number, plain: number): number {
    if (bytes.length < at + 3) return 0
    const block = little(bytes, at, 3)
    if (block >> 3 > MAX_BLOCK) throw damaged(plain, `a block declares ${block >> 3} bytes`)
    const last = (block & 1) === 1
    const length = 3 + blockBytes(block) + (last && this.header.checksum ? 4 : 0)
    if (bytes.length < at + length) return 0
    const stored = bytes.subarray(at, at + length)
    try {
      this.stream.push(this.begun ? stored : joinBytes([this.headerBytes, stored]), last)
    } catch (error) {
      throw damaged(plain, reasonOf(error))
    }
    this.begun = true
    this.ended = last
    return length
  }

  given(): Uint8Array[] {
    return this.out.splice(0)
  }
}

function damaged(plain: number, why: string): DamagedBytes {
  return new DamagedBytes(
    'damaged-zstd',
    `the Zstandard file is damaged or was cut short (${why}): ${counted(plain, 'byte')} came out of it and are read, nothing after them can be. Copy or write the file again.`,
  )
}
