import { Decompress, decompressSync } from 'fflate'

/** What deflate gives for a byte at the most. */
const MOST_OF_A_BYTE = 1032
/** Bytes that are put in at a time, after which is looked at what came out: 66 MB at the most. */
const STEP = 64 << 10

/**
 * Decompresses gzip (zlib and bare deflate too, as some writers take it) that gives `length` bytes. Throws where it is damaged or gives
 * another number: the library goes on for as long as a page of a megabyte has something to give, which is a gigabyte.
 */
export function gunzip(bytes: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length)
  if (bytes.length <= STEP || length >= bytes.length * MOST_OF_A_BYTE) {
    const plain = decompressSync(bytes, { out: output })
    if (plain.length === length) return plain
  }
  let filled = 0
  const stream = new Decompress((chunk) => {
    if (filled + chunk.length > length) throw new RangeError(`gzip gives more than the ${length} bytes declared`)
    output.set(chunk, filled)
    filled += chunk.length
  })
  for (let at = 0; at < bytes.length; at += STEP) stream.push(bytes.subarray(at, at + STEP), at + STEP >= bytes.length)
  if (filled !== length) throw new RangeError(`gzip gives ${filled} bytes where ${length} were declared`)
  return output
}
