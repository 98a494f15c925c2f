import { decimalToDouble } from './decimal.ts'
import { describeByte, JsonError } from './json-error.ts'

const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const ZERO = 0x30
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
  const digitsStart = pos
  let digit = pos < end ? (bytes[pos] as number) - ZERO : -1
  if (digit < 0 || digit > 9) return scanWord(bytes, at, end, scan)
  let head = digit
  while (++pos < end) {
    digit = (bytes[pos] as number) - ZERO
    if (digit < 0 || digit > 9) break
    head = (Math.imul(head, 10) + digit) | 0
  }
  const whole = pos - digitsStart
  if (whole > 1 && bytes[digitsStart] === ZERO) {
    throw new JsonError(digitsStart, 'a number must not begin with a superfluous 0')
  }
  let significant = head === 0 && whole === 1 ? 0 : whole
  let tail = 0
  let exponent = 0
  let integer = true
  if (pos < end && bytes[pos] === DOT) {
    integer = false
    const fractionStart = ++pos
    if (significant === 0) while (pos < end && bytes[pos] === ZERO) pos++
    for (; pos < end; pos++) {
      digit = (bytes[pos] as number) - ZERO
      if (digit < 0 || digit > 9) break
      if (significant < WORD_DIGITS) head = (Math.imul(head, 10) + digit) | 0
      else tail = (Math.imul(tail, 10) + digit) | 0
      significant++
    }
    if (pos === fractionStart) throw new JsonError(pos, digitExpected(bytes, pos, end))
    exponent = fractionStart - pos
  }
  if (pos < end && ((bytes[pos] as number) | 0x20) === 0x65) {
    integer = false
    const sign = ++pos < end ? (bytes[pos] as number) : 0
    if (sign === MINUS || sign === PLUS) pos++
    const exponentStart = pos
    let written = 0
    for (; pos < end; pos++) {
      digit = (bytes[pos] as number) - ZERO
      if (digit < 0 || digit > 9) break
      if (written < 10_000) written = written * 10 + digit
    }
    if (pos === exponentStart) throw new JsonError(pos, digitExpected(bytes, pos, end))
    exponent += sign === MINUS ? -written : written
  }
  scan.next = pos
  let magnitude = 0
  if (significant > 0) {
    const tailDigits = significant > WORD_DIGITS ? significant - WORD_DIGITS : 0
    // Beyond these digits head or tail has overflowed; the text is left to the language.
    const fits = whole <= WORD_DIGITS && tailDigits <= WORD_DIGITS
    magnitude = fits ? decimalToDouble(head, tail, tailDigits, significant, exponent) : Number.NaN
    if (Number.isNaN(magnitude)) magnitude = Number(asciiText(bytes, digitsStart, pos))
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

function digitExpected(bytes: Uint8Array, at: number, end: number): string {
  return `a digit was expected, found ${describeByte(bytes, at, end)}`
}

/** What stands there, all of it ASCII: a list of arguments as long as a hostile number would exhaust the stack. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i] as number)
  return text
}
