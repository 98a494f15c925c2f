import { tooMuchHeld } from '../packed-bytes.ts'
import { decompressFrames } from '../zstd/whole.ts'
import { decompressLz4Frame } from './lz4-frame.ts'
import type { BatchLayout } from './message.ts'

/** Decompresses the buffers of a batch and of its dictionaries, no more than `most` bytes in all. */
export class Unpacker {
  private bytes = 0

  constructor(private readonly most: number) {}

  /** A compressed buffer: its length, -1 where it is stored as it is, then the bytes. Throws where it is damaged or too much. */
  unpack(stored: Uint8Array, compression: NonNullable<BatchLayout['compression']>): Uint8Array {
    if (stored.length < 8) throw new RangeError('a compressed buffer is cut off')
    const length = Number(new DataView(stored.buffer, stored.byteOffset, 8).getBigInt64(0, true))
    const bytes = stored.subarray(8)
    if (length === -1) return bytes
    if (length < 0) throw new RangeError(`a compressed buffer declares ${length} bytes`)
    this.bytes += length
    if (this.bytes > this.most) throw new RangeError(tooMuchHeld(this.bytes, this.most))
    if (compression === 'lz4') return decompressLz4Frame(bytes, length)
    const plain = decompressFrames(bytes, length)
    if (plain.length !== length) {
      throw new RangeError(`a buffer gives ${plain.length} bytes where ${length} were declared`)
    }
    return plain
  }
}
