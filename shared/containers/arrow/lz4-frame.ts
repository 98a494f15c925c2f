import { decompressLz4Block } from '../lz4-block.ts'

const MAGIC = 0x184d2204

/**
 * Decompresses an LZ4 frame (lz4 doc/lz4_Frame_format.md) of known length. Blocks may refer to the ones before them, as Arrow's do;
 * checksums are skipped. Throws `RangeError` where the frame is damaged or gives another length.
 */
export function decompressLz4Frame(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0, true) !== MAGIC) throw new RangeError('a buffer is no LZ4 frame')
  const flags = view.getUint8(4)
  if (flags >> 6 !== 1) throw new RangeError('an LZ4 frame of a version that is not known')
  if ((flags & 1) !== 0) throw new RangeError('an LZ4 frame with a dictionary')
  const blockChecksum = (flags & 0x10) !== 0 ? 4 : 0
  let at = 6 + ((flags & 8) !== 0 ? 8 : 0) + 1
  const output = new Uint8Array(length)
  let filled = 0
  for (;;) {
    const size = view.getUint32(at, true)
    at += 4
    if (size === 0) break
    const stored = size & 0x7fffffff
    if (at + stored > bytes.length) throw new RangeError('an LZ4 frame is cut off')
    const block = bytes.subarray(at, at + stored)
    if (size >= 0x80000000) {
      output.set(block, filled)
      filled += stored
    } else filled = decompressLz4Block(block, output, filled)
    at += stored + blockChecksum
  }
  if (filled !== length) throw new RangeError(`an LZ4 frame gives ${filled} bytes where ${length} were declared`)
  return output
}
