/** Values of a run-length and bit-packed hybrid, at most 32 bits each. */
export type Runs = Uint8Array | Uint32Array

/**
 * Reads `count` values of `width` bits from the hybrid encoding of Parquet at `start`. Unlike a run itself may claim, no
 * more than `count` are ever made. Throws `RangeError` where the bytes end before.
 */
export function readRuns(bytes: Uint8Array, start: number, end: number, width: number, count: number): Runs {
  if (width > 32) throw new RangeError(`levels of ${width} bits`)
  const values = width <= 8 ? new Uint8Array(count) : new Uint32Array(count)
  if (width === 0) return values
  const byteWidth = (width + 7) >> 3
  const mask = width === 32 ? 0xffffffff : 2 ** width - 1
  let at = start
  let seen = 0
  while (seen < count) {
    let header = 0
    let shift = 0
    for (;;) {
      if (at >= end || shift > 28) throw new RangeError('a run of levels or dictionary indices is cut off')
      const byte = bytes[at++] as number
      header += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) break
      shift += 7
    }
    if (header % 2 === 0) {
      const length = Math.min(header / 2, count - seen)
      if (length === 0) continue
      if (at + byteWidth > end) throw new RangeError('a run of levels or dictionary indices is cut off')
      let value = 0
      for (let i = 0; i < byteWidth; i++) value += (bytes[at + i] as number) * 2 ** (8 * i)
      at += byteWidth
      values.fill(value, seen, seen + length)
      seen += length
      continue
    }
    const length = Math.min(((header - 1) / 2) * 8, count - seen)
    // The last group may be cut where only padding is missing.
    if (at + Math.ceil((length * width) / 8) > end) {
      throw new RangeError('packed levels or dictionary indices are cut off')
    }
    if (width === 1)
      for (let i = 0; i < length; i++) values[seen + i] = ((bytes[at + (i >> 3)] as number) >> (i & 7)) & 1
    else {
      let bit = 0
      for (let i = 0; i < length; i++, bit += width) {
        let byte = at + (bit >> 3)
        let value = (bytes[byte] as number) >> (bit & 7)
        for (let have = 8 - (bit & 7); have < width; have += 8) value += (bytes[++byte] as number) * 2 ** have
        values[seen + i] = width <= 24 ? value & mask : value % 2 ** width
      }
    }
    at += Math.ceil((((header - 1) / 2) * 8 * width) / 8)
    seen += length
  }
  return values
}
