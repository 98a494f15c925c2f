/**
 * A fast, stable 64-bit hash for identity (records, id sequences, fingerprints), not for security. Two 32-bit
 * lanes with the constants of MurmurHash3 (Austin Appleby, public domain), read as little-endian words.
 */
export class Hash64 {
  private low: number
  private high: number
  private length = 0

  constructor(seed = 0) {
    this.low = (seed ^ 0x9e3779b9) | 0
    this.high = (seed ^ 0x85ebca6b) | 0
  }

  private mix(word: number): void {
    let k = Math.imul(word, 0xcc9e2d51)
    k = (k << 15) | (k >>> 17)
    this.low ^= Math.imul(k, 0x1b873593)
    this.low = (Math.imul((this.low << 13) | (this.low >>> 19), 5) + 0xe6546b64) | 0
    k = Math.imul(word, 0x239b961b)
    k = (k << 16) | (k >>> 16)
    this.high ^= Math.imul(k, 0xab0e9789)
    this.high = (Math.imul((this.high << 17) | (this.high >>> 15), 5) + 0x561ccd1b) | 0
  }

  /** What so many words were hashed to, by its lanes. */
  static from(low: number, high: number, words: number): Hash64 {
    const hash = new Hash64()
    hash.low = low
    hash.high = high
    hash.length = words * 4
    return hash
  }

  get lanes(): readonly [low: number, high: number] {
    return [this.low, this.high]
  }

  /** What goes on from what was hashed so far, which stays as it is. */
  fork(): Hash64 {
    const other = new Hash64()
    other.low = this.low
    other.high = this.high
    other.length = this.length
    return other
  }

  /** One number; integers hash by their low 32 bits. */
  word(value: number): this {
    this.mix(value | 0)
    this.length += 4
    return this
  }

  words(values: ArrayLike<number>, start = 0, end = values.length): this {
    // The lanes stay in local variables: written back once, this runs several times faster than `mix` per word.
    let low = this.low
    let high = this.high
    for (let i = start; i < end; i++) {
      const word = values[i] as number
      let k = Math.imul(word, 0xcc9e2d51)
      k = (k << 15) | (k >>> 17)
      low ^= Math.imul(k, 0x1b873593)
      low = (Math.imul((low << 13) | (low >>> 19), 5) + 0xe6546b64) | 0
      k = Math.imul(word, 0x239b961b)
      k = (k << 16) | (k >>> 16)
      high ^= Math.imul(k, 0xab0e9789)
      high = (Math.imul((high << 17) | (high >>> 15), 5) + 0x561ccd1b) | 0
    }
    this.low = low
    this.high = high
    this.length += (end - start) * 4
    return this
  }

  bytes(bytes: Uint8Array, start = 0, end = bytes.length): this {
    const whole = start + ((end - start) & ~3)
    if (start < whole) this.mixWords(bytes, start, whole)
    this.mixTail(bytes, whole, start, end)
    return this
  }

  /** What is left behind whole words. */
  private mixTail(bytes: Uint8Array, whole: number, start: number, end: number): void {
    if (whole < end) {
      let tail = 0
      for (let i = whole, shift = 0; i < end; i++, shift += 8) tail |= (bytes[i] as number) << shift
      this.mix(tail)
    }
    this.length += end - start
  }

  private mixWords(bytes: Uint8Array, start: number, end: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let low = this.low
    let high = this.high
    for (let at = start; at < end; at += 4) {
      const word = view.getInt32(at, true)
      let k = Math.imul(word, 0xcc9e2d51)
      k = (k << 15) | (k >>> 17)
      low ^= Math.imul(k, 0x1b873593)
      low = (Math.imul((low << 13) | (low >>> 19), 5) + 0xe6546b64) | 0
      k = Math.imul(word, 0x239b961b)
      k = (k << 16) | (k >>> 16)
      high ^= Math.imul(k, 0xab0e9789)
      high = (Math.imul((high << 17) | (high >>> 15), 5) + 0x561ccd1b) | 0
    }
    this.low = low
    this.high = high
  }

  text(text: string): this {
    let low = this.low
    let high = this.high
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      let k = Math.imul(unit, 0xcc9e2d51)
      k = (k << 15) | (k >>> 17)
      low ^= Math.imul(k, 0x1b873593)
      low = (Math.imul((low << 13) | (low >>> 19), 5) + 0xe6546b64) | 0
      k = Math.imul(unit, 0x239b961b)
      k = (k << 16) | (k >>> 16)
      high ^= Math.imul(k, 0xab0e9789)
      high = (Math.imul((high << 17) | (high >>> 15), 5) + 0x561ccd1b) | 0
    }
    this.low = low
    this.high = high
    this.length += text.length
    return this
  }

  /** 16 hex digits. */
  digest(): string {
    const a = finish(this.high ^ this.length, this.low)
    const b = finish(this.low ^ this.length, this.high)
    return sixteenDigits(a, b)
  }
}

function finish(value: number, other: number): number {
  let h = value ^ Math.imul(other, 0x27d4eb2f)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** The hex digits of two numbers of 32 bits. A dump has such a text for each rollout and each finding: one call makes it in one piece. */
export function sixteenDigits(a: number, b: number): string {
  return String.fromCharCode(
    digit(a, 28),
    digit(a, 24),
    digit(a, 20),
    digit(a, 16),
    digit(a, 12),
    digit(a, 8),
    digit(a, 4),
    digit(a, 0),
    digit(b, 28),
    digit(b, 24),
    digit(b, 20),
    digit(b, 16),
    digit(b, 12),
    digit(b, 8),
    digit(b, 4),
    digit(b, 0),
  )
}

/** The hex digits of 32 bits. */
export function eightDigits(bits: number): string {
  return String.fromCharCode(
    digit(bits, 28),
    digit(bits, 24),
    digit(bits, 20),
    digit(bits, 16),
    digit(bits, 12),
    digit(bits, 8),
    digit(bits, 4),
    digit(bits, 0),
  )
}

const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/** The character code of the hex digit of four bits. */
function digit(bits: number, shift: number): number {
  return DIGITS[(bits >>> shift) & 15] as number
}
