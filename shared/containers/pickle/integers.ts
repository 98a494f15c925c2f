import { PickleError } from './error.ts'

/** Digits of a decimal integer that is read; Python itself refuses longer ones by default (`sys.set_int_max_str_digits`). */
const MAX_DIGITS = 4300

/** A number where a double holds it exactly, else a bigint. */
export function fromBigInt(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Little-endian two's complement, as LONG1 and LONG4 write it. */
export function decodeLong(bytes: Uint8Array): number | bigint {
  const length = bytes.length
  if (length === 0) return 0
  const negative = (bytes[length - 1] as number) >= 0x80
  if (length <= 6) {
    let value = 0
    for (let i = length - 1; i >= 0; i--) value = value * 256 + (bytes[i] as number)
    return negative ? value - 256 ** length : value
  }
  let hex = '0x'
  for (let i = length - 1; i >= 0; i--) hex += (bytes[i] as number).toString(16).padStart(2, '0')
  const value = BigInt(hex)
  return fromBigInt(negative ? value - (1n << BigInt(8 * length)) : value)
}

/** The decimal text of INT and LONG, without a trailing `L`; null for one of more than `MAX_DIGITS`. */
export function parseInteger(text: string, at: number): number | bigint | null {
  const plain = text.trim()
  if (!/^[+-]?\d+$/.test(plain)) throw new PickleError('bad-pickle', at, 'an integer is not written in digits')
  if (plain.length > MAX_DIGITS) return null
  const number = Number(plain)
  return Number.isSafeInteger(number) ? (Object.is(number, -0) ? 0 : number) : BigInt(plain)
}

/** Python's `repr` of a float. */
export function parseFloatText(text: string, at: number): number {
  const plain = text.trim().toLowerCase()
  const special = /^([+-]?)(inf|infinity|nan)$/.exec(plain)
  if (special !== null) {
    if (special[2] === 'nan') return Number.NaN
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(plain)) {
    throw new PickleError('bad-pickle', at, 'a float is not written as a number')
  }
  return Number(plain)
}
