import { Hash64 } from './hash.ts'

/** Does what `hashStripes` does over bytes of its own memory, many times as fast. The words are in `low` and `high` afterwards. */
export interface StripeHasher {
  /** The bytes lie in its own memory, at the same offsets as in the array that is hashed. */
  hashBytes(start: number, end: number): void
  /** The numbers lie in its own memory. */
  hashNumbers(numbers: Int32Array, start: number, end: number): void
  readonly low: number
  readonly high: number
}

/** Words of 32 bits, and bytes, that are hashed at once. */
const STRIPE = 8
const STRIPE_BYTES = 4 * STRIPE

/**
 * A hash of much, for identity and not for security: whole stripes of 32 bytes by the rounds of XXH64 (Yann Collet, BSD), and what is left of them as
 * `Hash64` does. Little-endian, as every machine is that this runs on. In two parts it hashes to something else than at once.
 */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number, hasher: StripeHasher | null): Hash64 {
  const whole = start + ((end - start) & -STRIPE_BYTES)
  if (whole <= start) return new Hash64().bytes(bytes, start, end)
  hasher?.hashBytes(start, whole)
  const { low, high } = hasher ?? hashStripes(wordsOf(bytes, start, whole))
  return Hash64.from(low, high, (whole - start) >> 2).bytes(bytes, whole, end)
}

/** As `hashOfBytes`, of numbers of 32 bits. */
export function hashOfNumbers(numbers: Int32Array, start: number, end: number, hasher: StripeHasher | null): Hash64 {
  const whole = start + ((end - start) & -STRIPE)
  if (whole <= start) return new Hash64().words(numbers, start, end)
  hasher?.hashNumbers(numbers, start, whole)
  const { low, high } = hasher ?? hashStripes(numbers.subarray(start, whole))
  return Hash64.from(low, high, whole - start).words(numbers, whole, end)
}

/** 16 hex digits, as `hashOfBytes`. */
export function hashBytes(
  bytes: Uint8Array,
  start = 0,
  end = bytes.length,
  hasher: StripeHasher | null = null,
): string {
  return hashOfBytes(bytes, start, end, hasher).digest()
}

/** Bytes from `start` to `end`, a multiple of four, as words: where they begin at none in memory, copied to where they do. */
function wordsOf(bytes: Uint8Array, start: number, end: number): Int32Array {
  const at = bytes.byteOffset + start
  if (at % 4 === 0) return new Int32Array(bytes.buffer, at, (end - start) >> 2)
  return new Int32Array(Uint8Array.from(bytes.subarray(start, end)).buffer)
}

/** Primes of XXH64, in words of 32 bits. */
const FIRST = [0x85ebca87 | 0, 0x9e3779b1 | 0] as const
const SECOND = [0x27d4eb4f, 0xc2b2ae3d | 0] as const
const FOURTH = [0xc2b2ae63 | 0, 0x85ebca77 | 0] as const

/** What the four lanes begin with, the lower word of each in front of its higher one: the sum of both primes, the second, nothing, the first below zero. */
const BEGIN = [0xadc0b5d6 | 0, 0x60ea27ee, ...SECOND, 0, 0, 0x7a143579, 0x61c8864e] as const

/** By how much each lane is turned before all are added up. */
const TURNS = [1, 7, 12, 18] as const

/** What kernel.wat's `stripes` does, of a whole number of stripes. */
function hashStripes(words: Int32Array): { readonly low: number; readonly high: number } {
  const lanes = Int32Array.from(BEGIN)
  for (let at = 0; at < words.length; at += STRIPE) {
    for (let lane = 0; lane < STRIPE; lane += 2) {
      round(lanes, lane, words[at + lane] as number, words[at + lane + 1] as number)
    }
  }
  let [low, high] = [0, 0]
  TURNS.forEach((bits, lane) => {
    const [lower, higher] = [lanes[2 * lane] as number, lanes[2 * lane + 1] as number]
    const turned = (lower << bits) | (higher >>> (32 - bits))
    low = (low + turned) | 0
    high = (high + ((higher << bits) | (lower >>> (32 - bits))) + carry(low, turned)) | 0
  })
  const merged = new Int32Array(2)
  for (let lane = 0; lane < STRIPE; lane += 2) {
    merged.fill(0)
    round(merged, 0, lanes[lane] as number, lanes[lane + 1] as number)
    const lower = low ^ (merged[0] as number)
    const product = Math.imul(lower, FIRST[0])
    high = highProduct(lower, FIRST[0]) + Math.imul(lower, FIRST[1]) + Math.imul(high ^ (merged[1] as number), FIRST[0])
    low = (product + FOURTH[0]) | 0
    high = (high + FOURTH[1] + carry(low, FOURTH[0])) | 0
  }
  return { low, high }
}

/** One round: to a lane 64 bits of the input are added, times the second prime, and it is turned by 31 bits and multiplied by the first. */
function round(lanes: Int32Array, lane: number, low: number, high: number): void {
  const added = Math.imul(low, SECOND[0])
  const addedHigh = highProduct(low, SECOND[0]) + Math.imul(low, SECOND[1]) + Math.imul(high, SECOND[0])
  const sum = ((lanes[lane] as number) + added) | 0
  const sumHigh = ((lanes[lane + 1] as number) + addedHigh + carry(sum, added)) | 0
  const turned = (sum << 31) | (sumHigh >>> 1)
  const turnedHigh = (sumHigh << 31) | (sum >>> 1)
  lanes[lane] = Math.imul(turned, FIRST[0])
  lanes[lane + 1] = highProduct(turned, FIRST[0]) + Math.imul(turned, FIRST[1]) + Math.imul(turnedHigh, FIRST[0])
}

/** What a sum of 32 bits carries to those above it. */
function carry(sum: number, added: number): number {
  return sum >>> 0 < added >>> 0 ? 1 : 0
}

/** The upper 32 of the 64 bits of a product of two numbers without a sign. */
function highProduct(a: number, b: number): number {
  const upper = a >>> 16
  const first = Math.imul(a & 0xffff, b & 0xffff) >>> 16
  const middle = (Math.imul(upper, b & 0xffff) + first) | 0
  const other = (Math.imul(a & 0xffff, b >>> 16) + (middle & 0xffff)) | 0
  return (Math.imul(upper, b >>> 16) + (middle >>> 16) + (other >>> 16)) | 0
}
