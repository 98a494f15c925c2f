/**
 * Scans the numbers of an array that are written plainly, each with its comma: nearly all of a dump. Whatever is not that ends it, and is for
 * a careful reader.
 */
export interface PlainNumbers {
  /** How many there are after `scan`. */
  readonly count: number
  /**
   * Goes on at the offset `at`, behind the `count` elements that are there. Returns the offset of the first element that is not written
   * plainly, or that is not before `end`. `PLAIN_MARGIN` bytes must follow `end`.
   */
  scan(at: number, end: number, count: number): number
  /** Makes `value` the element `index`, which is there or the next one. */
  put(index: number, value: number): void
  /** The first `count` elements, once the array has ended. */
  taken(count: number): Int32Array
  /** An array whose bracket is at the offset `at`, where it was scanned before; `scan.next` is then the offset behind it. */
  scannedAt(at: number, scan: { next: number }): Int32Array | null
  /** Copies the first `count` elements. */
  copyTo(floats: Float64Array, count: number): void
}

/** At least as many bytes as are looked at from an element on. */
export const PLAIN_MARGIN = 16

const MOST_FLAGS = 4
/** Words of four bytes, the first lowest: `0,0,` and, without the bits by which flags differ, all that is like it. */
const ZERO_ZERO = 0x2c302c30
const FLAG_FLAG = ~0x00010001
/** `0, 0` then `, 0,` then ` 0, `. */
const ZERO_BLANK = 0x30202c30
const FLAG_BLANK = ~0x01000001
const BLANK_ZERO = 0x2c30202c
const BLANK_FLAG = ~0x00010000
const LATE_ZERO = 0x202c3020
const LATE_FLAG = ~0x00000100
/** Four bytes are digits where each is 0x3_ and stays so when six is added. */
const FOUR_ZEROS = 0x30303030
const SIX_EACH = 0x06060606
const HIGH_HALVES = 0xf0f0f0f0 | 0
const LOW_HALVES = 0x0f0f0f0f
const COMMA = 0x2c
const ZERO = 0x30
/** Nine digits cannot overflow 32 bits. */
const SAFE_DIGITS = 9
/** Larger scratch is let go after use, so that one huge record does not hold memory for the rest of a session. */
const KEPT_SCRATCH = 1 << 22

let ints = new Int32Array(1 << 12)

/** In any memory: four bytes at a time. */
export class ScriptedNumbers implements PlainNumbers {
  count = 0
  private readonly view: DataView

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  put(index: number, value: number): void {
    if (index === ints.length) ints = grown(ints)
    ints[index] = value
  }

  taken(count: number): Int32Array {
    const copy = ints.slice(0, count)
    if (ints.length > KEPT_SCRATCH) ints = new Int32Array(1 << 12)
    return copy
  }

  scannedAt(): null {
    return null
  }

  copyTo(floats: Float64Array, count: number): void {
    floats.set(ints.subarray(0, count))
  }

  scan(at: number, end: number, before: number): number {
    const bytes = this.bytes
    const view = this.view
    let buffer = ints
    let capacity = buffer.length
    let count = before
    let pos = at
    while (pos < end) {
      if (count + MOST_FLAGS > capacity) {
        ints = grown(buffer)
        buffer = ints
        capacity = buffer.length
      }
      let word = view.getInt32(pos, true)
      if ((word & FLAG_FLAG) === ZERO_ZERO) {
        buffer[count++] = word & 1
        buffer[count++] = (word >>> 16) & 1
        pos += 4
        continue
      }
      if ((word & FLAG_BLANK) === ZERO_BLANK) {
        const second = view.getInt32(pos + 4, true)
        const third = view.getInt32(pos + 8, true)
        if ((second & BLANK_FLAG) === BLANK_ZERO && (third & LATE_FLAG) === LATE_ZERO) {
          buffer[count++] = word & 1
          buffer[count++] = (word >>> 24) & 1
          buffer[count++] = (second >>> 16) & 1
          buffer[count++] = (third >>> 8) & 1
          pos += 12
          continue
        }
      }
      const first = (word & 0xff) - ZERO
      if (first >>> 0 > 9) break
      let value = first
      let next = pos + 1
      let digit: number
      if ((word & HIGH_HALVES) === FOUR_ZEROS && ((word + SIX_EACH) & HIGH_HALVES) === FOUR_ZEROS) {
        if (first === 0) break
        // Two digits to a half word, then both halves together.
        word &= LOW_HALVES
        word = (Math.imul(word, 10) + (word >>> 8)) & 0x00ff00ff
        value = (Math.imul(word, 100) + (word >>> 16)) & 0xffff
        next = pos + 4
        digit = (bytes[next] as number) - ZERO
        const longest = pos + SAFE_DIGITS
        while (digit >>> 0 <= 9 && next < longest) {
          value = (Math.imul(value, 10) + digit) | 0
          digit = (bytes[++next] as number) - ZERO
        }
      } else {
        digit = ((word >>> 8) & 0xff) - ZERO
        if (digit >>> 0 <= 9) {
          if (first === 0) break
          value = value * 10 + digit
          next++
          digit = ((word >>> 16) & 0xff) - ZERO
          if (digit >>> 0 <= 9) {
            value = value * 10 + digit
            next++
            digit = (word >>> 24) - ZERO
          }
        }
      }
      if (digit !== COMMA - ZERO) break
      buffer[count++] = value
      pos = next + 1
      if (bytes[pos] === 0x20) pos++
    }
    this.count = count
    return pos
  }
}

function grown(from: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(from.length * 2)
  larger.set(from)
  return larger
}
