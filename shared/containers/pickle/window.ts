import { PickleError } from './error.ts'

/** Thrown within `run` when the operation at hand needs bytes behind the window; `bytes` counts from the operation's own first. */
export class NeedMore {
  bytes = 0
}

/** A line longer than this is no name and no number; texts of protocol 0 may be as long as other texts. */
const MAX_LINE = 1 << 16

/**
 * The part of a pickle that is in memory. Reading beyond it throws `NeedMore` where the file goes on, and `PickleError` (`cut-off`) where
 * it does not.
 */
export class Window {
  pos = 0
  /** Where the operation at hand begins, absolute. */
  at = 0
  /** What is in memory; `pos` counts from its first byte. */
  bytes: Uint8Array = new Uint8Array(0)
  view: DataView = new DataView(new ArrayBuffer(0))
  private base = 0
  private readonly more = new NeedMore()

  /** @param total bytes of the whole file */
  constructor(private total: number) {}

  /** Puts `bytes` under the window, which begin at offset `base`; fewer than were asked for mean that the file has become shorter. */
  move(bytes: Uint8Array, base: number, short: boolean): void {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.base = base
    this.pos = 0
    if (short) this.total = base + bytes.length
  }

  get offset(): number {
    return this.base + this.pos
  }

  /** Bytes of the file behind the current position, in the window or not. */
  get left(): number {
    return this.total - this.base - this.pos
  }

  get ended(): boolean {
    return this.pos >= this.bytes.length
  }

  begin(): number {
    this.at = this.offset
    return this.bytes[this.pos++] as number
  }

  /** Back to the operation's first byte. */
  rewind(): void {
    this.pos = this.at - this.base
  }

  byte(): number {
    this.need(1)
    return this.bytes[this.pos++] as number
  }

  uint16(): number {
    this.need(2)
    this.pos += 2
    return this.view.getUint16(this.pos - 2, true)
  }

  int32(): number {
    this.need(4)
    this.pos += 4
    return this.view.getInt32(this.pos - 4, true)
  }

  uint32(): number {
    this.need(4)
    this.pos += 4
    return this.view.getUint32(this.pos - 4, true)
  }

  double(): number {
    this.need(8)
    this.pos += 8
    return this.view.getFloat64(this.pos - 8, false)
  }

  /** 8 bytes; lengths beyond 2^53 come out rounded, and are too large for any file. */
  uint64(): number {
    const low = this.uint32()
    return this.uint32() * 2 ** 32 + low
  }

  /** A length that the file declares; refused at once when the file does not go on for so long. */
  checkLength(length: number, what: string): void {
    if (length > this.left) {
      throw this.error(
        'cut-off',
        `${what} of ${length} bytes is announced, the file ends after ${Math.max(this.left, 0)}`,
      )
    }
  }

  /** A view of the next `length` bytes. */
  take(length: number): Uint8Array {
    this.need(length)
    this.pos += length
    return this.bytes.subarray(this.pos - length, this.pos)
  }

  /** Moves on over bytes that need not be in the window. */
  skip(length: number): void {
    this.pos += length
  }

  /** A view of the bytes up to the next line feed, which is passed. */
  line(longest = MAX_LINE): Uint8Array {
    const end = this.bytes.indexOf(0x0a, this.pos)
    if (end < 0 || end - this.pos > longest) {
      if (this.bytes.length - this.pos > longest) {
        throw this.error('bad-pickle', `a line is longer than ${longest} bytes`)
      }
      // Twice what is there, so that a long text is not scanned again for every few bytes.
      this.need(2 * (this.bytes.length - this.pos) + 64, true)
      throw this.error('cut-off', 'the file ends within a line')
    }
    const line = this.bytes.subarray(this.pos, end)
    this.pos = end + 1
    return line
  }

  /** Asks for `length` bytes from the current position on; with `orLess`, for as many as there are. */
  need(length: number, orLess = false): void {
    if (this.pos + length <= this.bytes.length) return
    if (this.base + this.bytes.length >= this.total) {
      if (orLess) return
      throw this.error('cut-off', 'the file ends within an operation')
    }
    if (!orLess && length > this.left) throw this.error('cut-off', 'the file ends within an operation')
    this.more.bytes = Math.min(this.offset + length, this.total) - this.at
    throw this.more
  }

  error(code: PickleError['code'], what: string): PickleError {
    return new PickleError(code, this.at, what)
  }
}
