import { matches, type NumberScan, scanNumber } from './json-number.ts'
import { PLAIN_MARGIN, type PlainNumbers } from './plain-numbers.ts'
import { keepWrittenNaN } from './written-nan.ts'

/** Where an array of numbers is scanned from, and the offset after its closing bracket. */
export interface NumbersScan {
  next: number
  /** Of the same bytes. */
  readonly plain: PlainNumbers
}

const COMMA = 0x2c
const CLOSE = 0x5d
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
/** Larger scratch is let go after use, so that one huge record does not hold memory for the rest of a session. */
const KEPT_SCRATCH = 1 << 22
/** Nine digits cannot overflow 32 bits. */
const SAFE_DIGITS = 9

let floats = new Float64Array(1 << 10)
const number: NumberScan = { next: 0, integer: false }

/**
 * Scans an array of numbers, booleans (1 and 0) and nulls (NaN) whose opening bracket is at `at` straight into a typed
 * array: `Int32Array` where every element is written as an integer of 32 bits or is a boolean, else `Float64Array`.
 * Null where something else is in it or it is damaged: the ordinary reader then reads it again and says what.
 */
export function scanNumbers(
  bytes: Uint8Array,
  at: number,
  end: number,
  scan: NumbersScan,
): Int32Array | Float64Array | null {
  const scanned = scan.plain.scannedAt(at, scan)
  if (scanned !== null) return scanned
  let pos = skipSpace(bytes, at + 1, end)
  if (bytes[pos] === CLOSE && pos < end) {
    scan.next = pos + 1
    return new Int32Array(0)
  }
  const { plain } = scan
  let count = 0
  const plainEnd = end - PLAIN_MARGIN
  while (pos < end) {
    if (pos < plainEnd) {
      pos = plain.scan(pos, plainEnd, count)
      count = plain.count
    }
    // A line break or more than one blank after the comma.
    if ((bytes[pos] as number) <= 0x20) pos = skipSpace(bytes, pos, end)
    if (pos === end) return null
    let byte = bytes[pos] as number
    const start = pos
    const negative = byte === MINUS
    if (negative && ++pos < end) byte = bytes[pos] as number
    let value = byte - ZERO
    if (value < 0 || value > 9) {
      if (matches(bytes, start, end, 'true')) value = 1
      else if (matches(bytes, start, end, 'false')) value = 0
      else return scanFloats(bytes, start, end, count, scan)
      pos = start + (value === 1 ? 4 : 5)
    } else {
      const digitsStart = pos
      while (++pos < end) {
        const digit = (bytes[pos] as number) - ZERO
        if (digit < 0 || digit > 9) break
        value = (Math.imul(value, 10) + digit) | 0
      }
      const digits = pos - digitsStart
      // Long integers, superfluous zeros, -0, fractions and exponents are for the careful reader.
      if (digits > SAFE_DIGITS || (byte === ZERO && (digits > 1 || negative))) {
        return scanFloats(bytes, start, end, count, scan)
      }
      if (negative) value = -value
    }
    plain.put(count++, value)
    byte = pos < end ? (bytes[pos] as number) : 0
    if (byte !== COMMA && byte !== CLOSE) {
      pos = skipSpace(bytes, pos, end)
      byte = pos < end ? (bytes[pos] as number) : 0
    }
    if (byte === CLOSE) {
      scan.next = pos + 1
      return plain.taken(count)
    }
    if (byte !== COMMA) return scanFloats(bytes, start, end, count - 1, scan)
    // After a comma there is nothing, or the one blank that Python writes; anything longer is rare.
    if (bytes[++pos] === 0x20 && (bytes[++pos] as number) <= 0x20) pos = skipSpace(bytes, pos, end)
    else if ((bytes[pos] as number) <= 0x20) pos = skipSpace(bytes, pos, end)
  }
  return null
}

/** Goes on from element `done` at `at`; the elements before are in `scan.plain`. */
function scanFloats(
  bytes: Uint8Array,
  at: number,
  end: number,
  done: number,
  scan: NumbersScan,
): Int32Array | Float64Array | null {
  let count = done
  let pos = at
  while (floats.length < count) floats = new Float64Array(floats.length * 2)
  scan.plain.copyTo(floats, count)
  let buffer = floats
  let capacity = buffer.length
  let allInts = true
  let nulls = false
  let nans: number[] | null = null
  while (pos < end) {
    const byte = bytes[pos] as number
    let value: number
    if (byte === MINUS || (byte >= ZERO && byte <= NINE) || byte === 0x4e || byte === 0x49) {
      value = scanNumber(bytes, pos, end, number)
      pos = number.next
      if (byte === 0x4e) (nans ??= []).push(count)
      if (allInts && (!number.integer || value !== (value | 0))) allInts = false
    } else if (byte === 0x6e && isNull(bytes, pos, end)) {
      value = Number.NaN
      allInts = false
      nulls = true
      pos += 4
    } else if (byte === 0x74 && matches(bytes, pos, end, 'true')) {
      value = 1
      pos += 4
    } else if (byte === 0x66 && matches(bytes, pos, end, 'false')) {
      value = 0
      pos += 5
    } else return null
    if (count === capacity) {
      floats = grownFloats(buffer)
      buffer = floats
      capacity = buffer.length
    }
    buffer[count++] = value
    let after = pos < end ? (bytes[pos] as number) : 0
    if (after !== COMMA && after !== CLOSE) {
      pos = skipSpace(bytes, pos, end)
      after = pos < end ? (bytes[pos] as number) : 0
    }
    if (after === CLOSE) {
      scan.next = pos + 1
      const result = allInts ? Int32Array.from(buffer.subarray(0, count)) : buffer.slice(0, count)
      if (nulls && nans !== null && result instanceof Float64Array) keepWrittenNaN(result, nans)
      if (capacity > KEPT_SCRATCH) floats = new Float64Array(1 << 10)
      return result
    }
    if (after !== COMMA) return null
    if (bytes[++pos] === 0x20) pos++
    if ((bytes[pos] as number) <= 0x20) pos = skipSpace(bytes, pos, end)
  }
  return null
}

function isNull(bytes: Uint8Array, at: number, end: number): boolean {
  return at + 4 <= end && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c
}

function grownFloats(from: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(from.length * 2)
  grown.set(from)
  return grown
}

/** The first offset at or after `at` that is not JSON white space. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  let pos = at
  while (pos < end) {
    const byte = bytes[pos] as number
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) break
    pos++
  }
  return pos
}
