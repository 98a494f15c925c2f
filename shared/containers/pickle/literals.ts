import { MAX_TEXT_BYTES } from './budget.ts'
import type { BuildContext } from './context.ts'
import { decodeLong, parseInteger } from './integers.ts'
import { asciiOrNull } from './text.ts'
import { type ByteRange, Placeholder, PyBytes, type PyValue } from './values.ts'
import type { Window } from './window.ts'

/** An integer longer than this is no number that a dump needs. */
const MAX_LONG_BYTES = 1024

/** How literals stand in the window: integers, texts and bytes, each checked and charged for before it is held. */
export class Literals {
  /**
   * @param lazyBytes `bytes` of this length or more stay in the file
   * @param range bytes `start` to `start + length` of the file, to be read later
   */
  constructor(
    private readonly window: Window,
    private readonly context: BuildContext,
    private readonly lazyBytes: number,
    private readonly range: (start: number, length: number) => ByteRange,
  ) {}

  /** The number of a memoised value, in decimals. */
  index(text: string): number {
    if (!/^\d{1,15}$/.test(text.trim()))
      throw this.context.error('bad-pickle', 'the number of a memoised value is not written in digits')
    return Number(text)
  }

  /** As protocol 0 writes integers and, as `00` and `01`, booleans. */
  int(text: string): PyValue {
    if (text === '00') return false
    if (text === '01') return true
    return this.decimal(text)
  }

  /** An integer in decimals; a placeholder where it is too long. */
  decimal(text: string): PyValue {
    return parseInteger(text, this.window.at) ?? this.hugeInteger(`${text.trim().length} digits`)
  }

  private hugeInteger(size: string): Placeholder {
    const name = `an integer of ${size}`
    this.context.issues.add('inexact-integer', `${name} is not shown`)
    return new Placeholder(name)
  }

  /** An integer of `length` bytes in two's complement, the lowest first. */
  long(length: number): PyValue {
    if (length < 0) throw this.context.error('bad-pickle', `an integer of ${length} bytes is announced`)
    this.window.checkLength(length, 'an integer')
    if (length <= MAX_LONG_BYTES) return decodeLong(this.window.take(length))
    this.window.skip(length)
    return this.hugeInteger(`${length} bytes`)
  }

  /** The next `length` bytes, checked and charged for as a text. */
  taken(length: number, what: string): Uint8Array {
    this.window.checkLength(length, what)
    if (length > MAX_TEXT_BYTES) {
      throw this.context.error(
        'too-large',
        `${what} has ${length} bytes, more than the ${MAX_TEXT_BYTES} that one may have`,
      )
    }
    const bytes = this.window.take(length)
    this.context.budget.charge(length, this.window.at)
    return bytes
  }

  /** The next `length` bytes as `bytes`, in memory or left in the file. */
  bytes(length: number): PyBytes {
    const { window } = this
    window.checkLength(length, 'a string of bytes')
    if (length >= this.lazyBytes) {
      const range = this.range(window.offset, length)
      window.skip(length)
      return new PyBytes(range)
    }
    const bytes = window.take(length)
    this.context.budget.charge(length, this.window.at)
    // A copy, so that a few bytes do not keep the whole window in memory.
    return new PyBytes(bytes.slice())
  }

  /** A `str` of Python 2: a text, or bytes where it cannot be one. */
  oldText(bytes: Uint8Array): PyValue {
    return asciiOrNull(bytes) ?? new PyBytes(bytes.slice())
  }
}
