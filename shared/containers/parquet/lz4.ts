import { decompressLz4Block } from '../lz4-block.ts'

/** Decompresses a page that is one LZ4 block. Throws `RangeError` where it is damaged or does not give `length` bytes. */
export function decompressLz4Raw(bytes: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length)
  const filled = decompressLz4Block(bytes, output, 0)
  if (filled !== length) throw new RangeError(`LZ4 gives ${filled} bytes where ${length} were declared`)
  return output
}

/**
 * The same for the codec that Parquet calls LZ4: blocks as Hadoop writes them, each behind its two lengths, or as earlier writers did one
 * block and nothing else.
 */
export function decompressLz4(bytes: Uint8Array, length: number): Uint8Array {
  const blocks = hadoopBlocks(bytes, length)
  if (blocks === null) return decompressLz4Raw(bytes, length)
  const output = new Uint8Array(length)
  let filled = 0
  for (const block of blocks) filled = decompressLz4Block(block, output, filled)
  if (filled !== length) throw new RangeError(`LZ4 gives ${filled} bytes where ${length} were declared`)
  return output
}

/** The blocks behind their lengths (bytes once decompressed, bytes stored; big-endian); null where they do not add up. */
function hadoopBlocks(bytes: Uint8Array, length: number): readonly Uint8Array[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const blocks: Uint8Array[] = []
  let total = 0
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) return null
    total += view.getUint32(at)
    const stored = view.getUint32(at + 4)
    at += 8
    if (at + stored > bytes.length || total > length) return null
    blocks.push(bytes.subarray(at, at + stored))
    at += stored
  }
  return total === length ? blocks : null
}
