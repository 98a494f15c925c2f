import { describeByte } from './json-error.ts'

/** A value's place in the container, bytes, half-open. */
export interface Boundary {
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** What may come next at the top level. */
type Expectation = 'first' | 'element-or-end' | 'element' | 'comma-or-end' | 'value-or-nothing' | 'nothing'

/**
 * Finds where values begin and end by depth and quotes alone, without parsing them, over chunks of any size. It goes
 * on until the structure between the values breaks; what is wrong inside a value is for the parser to say.
 */
export class ValueFinder {
  /** What broke, for people; null while all is well. */
  broken: string | null = null
  /** Where the first value that was not found whole begins. */
  restStart = 0

  private base = 0
  private expectation: Expectation = 'first'
  private depth = 0
  private inString = false
  /** The last byte of the chunk before was a backslash that escapes the next. */
  private escaped = false
  private valueStart = -1
  /** A number, `true`, `null`: ends before the next comma, bracket or white space. */
  private inScalar = false

  /** Scans on; values that end in `chunk` are pushed to `found`. */
  scan(chunk: Uint8Array, found: Boundary[]): void {
    let pos = 0
    while (pos < chunk.length && this.broken === null) {
      if (this.inString) pos = this.skipString(chunk, pos, found)
      else if (this.depth > 0) pos = this.skipNested(chunk, pos, found)
      else pos = this.between(chunk, pos, found)
    }
    this.base += chunk.length
  }

  /** The bytes have ended. */
  finish(found: Boundary[]): void {
    if (this.broken !== null) return
    if (this.inScalar) this.close(this.base, found)
    if (this.valueStart >= 0) this.broken = `the file ends inside a value that begins at byte ${this.valueStart}`
    else if (
      this.expectation === 'element-or-end' ||
      this.expectation === 'element' ||
      this.expectation === 'comma-or-end'
    ) {
      this.restStart = this.base
      this.broken = 'the file ends before the closing "]" of its array'
    }
  }

  private skipString(chunk: Uint8Array, from: number, found: Boundary[]): number {
    let pos = from
    if (this.escaped) {
      this.escaped = false
      pos++
    }
    for (; pos < chunk.length; pos++) {
      const byte = chunk[pos] as number
      if (byte === BACKSLASH) {
        if (++pos === chunk.length) this.escaped = true
      } else if (byte === QUOTE) {
        this.inString = false
        if (this.depth === 0) this.close(this.base + pos + 1, found)
        return pos + 1
      }
    }
    return pos
  }

  private skipNested(chunk: Uint8Array, from: number, found: Boundary[]): number {
    let depth = this.depth
    for (let pos = from; pos < chunk.length; pos++) {
      const byte = chunk[pos] as number
      if (byte === QUOTE) {
        this.depth = depth
        this.inString = true
        return pos + 1
      }
      // One test for most bytes: all brackets and braces, and little else, have these bits in common.
      if ((byte & 0xd9) !== 0x59) continue
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (--depth === 0) {
          this.depth = 0
          this.close(this.base + pos + 1, found)
          return pos + 1
        }
      }
    }
    this.depth = depth
    return chunk.length
  }

  private between(chunk: Uint8Array, from: number, found: Boundary[]): number {
    for (let pos = from; pos < chunk.length; pos++) {
      const byte = chunk[pos] as number
      const space = byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
      if (this.inScalar) {
        if (!space && byte !== COMMA && byte !== CLOSE_BRACKET) continue
        this.close(this.base + pos, found)
      }
      if (space || this.isMark(byte, this.base + pos)) continue
      if (this.expectation === 'first' && byte === OPEN_BRACKET) {
        this.expectation = 'element-or-end'
        this.restStart = this.base + pos + 1
      } else if (byte === COMMA && this.expectation === 'comma-or-end') {
        this.expectation = 'element'
        this.restStart = this.base + pos + 1
      } else if (
        byte === CLOSE_BRACKET &&
        (this.expectation === 'comma-or-end' || this.expectation === 'element-or-end')
      ) {
        this.expectation = 'nothing'
      } else if (this.expectation === 'nothing' || this.expectation === 'comma-or-end' || byte === COMMA) {
        return this.breakAt(chunk, pos)
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
        return this.breakAt(chunk, pos)
      } else {
        this.valueStart = this.base + pos
        this.restStart = this.valueStart
        if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.depth = 1
        else if (byte === QUOTE) this.inString = true
        else {
          this.inScalar = true
          continue
        }
        return pos + 1
      }
    }
    return chunk.length
  }

  /** A byte order mark at the very start. */
  private isMark(byte: number, at: number): boolean {
    return at < 3 && byte === [0xef, 0xbb, 0xbf][at]
  }

  private close(end: number, found: Boundary[]): void {
    found.push({ start: this.valueStart, end })
    this.valueStart = -1
    this.inScalar = false
    const alone = this.expectation === 'first' || this.expectation === 'value-or-nothing'
    this.expectation = alone ? 'value-or-nothing' : 'comma-or-end'
    this.restStart = end
  }

  private breakAt(chunk: Uint8Array, pos: number): number {
    this.restStart = this.base + pos
    const expected = {
      first: 'a value',
      'element-or-end': 'a record or "]"',
      element: 'a record',
      'comma-or-end': '"," or "]"',
      'value-or-nothing': 'another object or the end of the file',
      nothing: 'the end of the file',
    }[this.expectation]
    this.broken = `at byte ${this.restStart} of the file ${expected} was expected, found ${describeByte(chunk, pos, chunk.length)}; nothing after it can be read`
    return chunk.length
  }
}
