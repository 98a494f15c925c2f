import { decimalToDouble } from './decimal.ts'
import { describeByte, JsonError } from './json-error.ts'

const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
/** Digits that fit 32 bits whatever they are. */
const WORD_DIGITS = 9

/** Where the last scanned number ended, and whether it was written as an integer (`2`, not `2.0`, `2e0` or `-0`). */
export interface NumberScan {
  next: number
  integer: boolean
}

/**
 * Scans one JSON number at `at`; also Python's bare `NaN`, `Infinity` and `-Infinity`. Throws `JsonError` where there is none.
 * `scan` receives the rest, so that nothing is allocated per number.
 */
export function scanNumber(bytes: Uint8Array, at: number, end: number, scan: NumberScan): number {
  let pos = at
  const negative = bytes[pos] === MINUS
  if (negative) pos++
  const first = pos < end ? (bytes[pos] as number) : 0
  if (first < ZERO || first > NINE) return scanWord(bytes, at, end, scan)

  const digitsStart = pos
  let head = 0
  let tail = 0
  let exponent = 0
  let significant = 0
  let integer = true
  for (; pos < end; pos++) {
    const byte = bytes[pos] as number
    if (byte >= ZERO && byte <= NINE) {
      if (!integer) exponent--
      if (significant === 0 && byte === ZERO) continue
      if (significant < WORD_DIGITS) head = (Math.imul(head, 10) + (byte - ZERO)) | 0
      else if (significant < 2 * WORD_DIGITS) tail = (Math.imul(tail, 10) + (byte - ZERO)) | 0
      significant++
    } else if (byte === DOT && integer) {
      checkLeadingZero(bytes, digitsStart, pos)
      integer = false
      const next = pos + 1 < end ? (bytes[pos + 1] as number) : 0
      if (next < ZERO || next > NINE) throw new JsonError(pos + 1, digitExpected(bytes, pos + 1, end))
    } else break
  }
  if (integer) checkLeadingZero(bytes, digitsStart, pos)
  if (pos < end && ((bytes[pos] as number) | 0x20) === 0x65) {
    integer = false
    pos++
    const sign = pos < end ? (bytes[pos] as number) : 0
    if (sign === MINUS || sign === PLUS) pos++
    const exponentStart = pos
    let written = 0
    for (; pos < end; pos++) {
      const byte = bytes[pos] as number
      if (byte < ZERO || byte > NINE) break
      if (written < 10_000) written = written * 10 + (byte - ZERO)
    }
    if (pos === exponentStart) throw new JsonError(pos, digitExpected(bytes, pos, end))
    exponent += sign === MINUS ? -written : written
  }
  scan.next = pos
  const tailDigits = significant > WORD_DIGITS ? significant - WORD_DIGITS : 0
  let magnitude = 0
  if (significant > 0) {
    const exact = tailDigits > WORD_DIGITS ? Number.NaN : decimalToDouble(head, tail, tailDigits, significant, exponent)
    magnitude = Number.isNaN(exact) ? Number(asciiText(bytes, digitsStart, pos)) : exact
  }
  scan.integer = integer && !(negative && magnitude === 0)
  return negative ? -magnitude : magnitude
}

const WORDS: readonly [word: string, value: number][] = [
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]

function scanWord(bytes: Uint8Array, at: number, end: number, scan: NumberScan): number {
  for (const [word, value] of WORDS) {
    if (!matches(bytes, at, end, word)) continue
    scan.next = at + word.length
    scan.integer = false
    return value
  }
  const wrong = bytes[at] === MINUS ? at + 1 : at
  throw new JsonError(
    wrong,
    wrong === at ? `a value was expected, found ${describeByte(bytes, at, end)}` : digitExpected(bytes, wrong, end),
  )
}

/** Whether the ASCII text of `word` stands at `at`. */
export function matches(bytes: Uint8Array, at: number, end: number, word: string): boolean {
  if (at + word.length > end) return false
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word.charCodeAt(i)) return false
  return true
}

function checkLeadingZero(bytes: Uint8Array, start: number, end: number): void {
  if (end - start > 1 && bytes[start] === ZERO)
    throw new JsonError(start, 'a number must not begin with a superfluous 0')
}

function digitExpected(bytes: Uint8Array, at: number, end: number): string {
  return `a digit was expected, found ${describeByte(bytes, at, end)}`
}

function asciiText(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i] as number)
  return text
}
