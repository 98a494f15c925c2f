/**
 * Decompresses one LZ4 block (lz4 doc/lz4_Block_format.md) into `output` from `from` on, and gives where it ends. Throws `RangeError` where
 * it is damaged or gives more than there is room for.
 */
export function decompressLz4Block(block: Uint8Array, output: Uint8Array, from: number): number {
  let out = from
  let at = 0
  const lengthFrom = (first: number): number => {
    let length = first
    if (first !== 15) return length
    for (;;) {
      const byte = block[at++]
      if (byte === undefined) throw new RangeError('an LZ4 block is cut off')
      length += byte
      if (byte !== 255) return length
    }
  }
  while (at < block.length) {
    const token = block[at++] as number
    const literals = lengthFrom(token >> 4)
    if (at + literals > block.length || out + literals > output.length) throw new RangeError('an LZ4 block is damaged')
    output.set(block.subarray(at, at + literals), out)
    at += literals
    out += literals
    if (at >= block.length) return out
    const offset = (block[at] as number) | ((block[at + 1] ?? 0) << 8)
    at += 2
    const match = lengthFrom(token & 15) + 4
    if (offset === 0 || offset > out || out + match > output.length) throw new RangeError('an LZ4 block is damaged')
    if (offset >= match) {
      output.copyWithin(out, out - offset, out - offset + match)
      out += match
    } else for (const end = out + match; out < end; out++) output[out] = output[out - offset] as number
  }
  return out
}
