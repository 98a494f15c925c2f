import type { JsonObject, JsonValue } from './container.ts'
import { describeByte, JsonError } from './json-error.ts'
import { asciiText, matches, type NumberScan, scanNumber } from './json-number.ts'
import { type NumbersScan, scanNumbers, skipSpace } from './json-numbers.ts'
import { StringReader } from './json-string.ts'
import { kernelOver } from './kernel/thread-kernel.ts'
import { ScriptedNumbers } from './plain-numbers.ts'

/** Deeper nesting than this is refused: no dump needs it, and a hostile one would exhaust the stack. */
export const MAX_DEPTH = 512

/**
 * Reads one JSON value that fills `bytes[start … end)` but for white space around it. As `JSON.parse`, and beyond it:
 * bare `NaN` and `±Infinity` are numbers, and arrays of numbers that stand under one of `numericKeys`, at any depth,
 * are typed arrays (see `JsonValue`). Integers beyond ±2^53 outside of these are texts of their digits, as in binary containers (`plainValue`): they
 * name something. A `__proto__` key is an ordinary own property.
 * Throws `JsonError` with the offset in `bytes` of what is wrong.
 */
export function parseJson(
  bytes: Uint8Array,
  start: number,
  end: number,
  numericKeys: ReadonlySet<string> = new Set(),
  told: TellsNumbers | null = null,
): JsonValue {
  return new JsonReader(bytes, end, numericKeys, told).document(start)
}

/** Hears of each array of numbers: where its bracket is, where it ends, and its numbers. */
export type TellsNumbers = (at: number, next: number, numbers: Int32Array | Float64Array) => void

class JsonReader {
  private pos = 0
  private readonly number: NumberScan = { next: 0, integer: false }
  private readonly numbers: NumbersScan
  private readonly strings: StringReader

  constructor(
    private readonly bytes: Uint8Array,
    private readonly end: number,
    private readonly numericKeys: ReadonlySet<string>,
    private readonly told: TellsNumbers | null,
  ) {
    this.strings = new StringReader(bytes, end)
    this.numbers = { next: 0, plain: kernelOver(bytes) ?? new ScriptedNumbers(bytes) }
  }

  document(start: number): JsonValue {
    this.pos = skipSpace(this.bytes, start, this.end)
    const value = this.value(0, false)
    this.space()
    if (this.pos < this.end) throw new JsonError(this.pos, `the value has ended, then follows ${this.found()}`)
    return value
  }

  /** The value at `pos`; `numeric` where a numeric key stands above it. */
  private value(depth: number, numeric: boolean): JsonValue {
    switch (this.pos < this.end ? this.bytes[this.pos] : 0) {
      case 0x7b:
        return this.object(depth)
      case 0x5b:
        return this.array(depth, numeric)
      case 0x22:
        return this.text()
      case 0x74:
        return this.word('true', true)
      case 0x66:
        return this.word('false', false)
      case 0x6e:
        return this.word('null', null)
      default: {
        const start = this.pos
        const value = scanNumber(this.bytes, start, this.end, this.number)
        this.pos = this.number.next
        return this.number.integer && !Number.isSafeInteger(value) ? asciiText(this.bytes, start, this.pos) : value
      }
    }
  }

  private object(depth: number): JsonObject {
    if (depth >= MAX_DEPTH) throw this.tooDeep()
    const object: JsonObject = {}
    this.pos++
    this.space()
    if (this.peek() === 0x7d) {
      this.pos++
      return object
    }
    for (;;) {
      if (this.peek() !== 0x22) throw new JsonError(this.pos, `a key in quotes was expected, found ${this.found()}`)
      const key = this.strings.key(this.pos)
      this.pos = this.strings.next
      this.space()
      if (this.peek() !== 0x3a)
        throw new JsonError(this.pos, `":" was expected after the key "${key.slice(0, 80)}", found ${this.found()}`)
      this.pos++
      this.space()
      const value = this.value(depth + 1, this.numericKeys.has(key))
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
      } else object[key] = value
      this.space()
      const byte = this.peek()
      if (byte !== 0x2c && byte !== 0x7d)
        throw new JsonError(this.pos, `"," or "}" was expected, found ${this.found()}`)
      this.pos++
      if (byte === 0x7d) return object
      this.space()
    }
  }

  private array(depth: number, numeric: boolean): JsonValue {
    if (depth >= MAX_DEPTH) throw this.tooDeep()
    if (numeric) {
      const numbers = scanNumbers(this.bytes, this.pos, this.end, this.numbers)
      if (numbers !== null) {
        this.told?.(this.pos, this.numbers.next, numbers)
        this.pos = this.numbers.next
        return numbers
      }
    }
    const array: JsonValue[] = []
    this.pos++
    this.space()
    if (this.peek() === 0x5d) {
      this.pos++
      return array
    }
    for (;;) {
      array.push(this.value(depth + 1, numeric))
      this.space()
      const byte = this.peek()
      if (byte !== 0x2c && byte !== 0x5d)
        throw new JsonError(this.pos, `"," or "]" was expected, found ${this.found()}`)
      this.pos++
      if (byte === 0x5d) return array
      this.space()
    }
  }

  private text(): string {
    const text = this.strings.text(this.pos)
    this.pos = this.strings.next
    return text
  }

  private word<T>(word: string, value: T): T {
    if (!matches(this.bytes, this.pos, this.end, word)) {
      throw new JsonError(this.pos, `a value was expected, found ${this.found()}`)
    }
    this.pos += word.length
    return value
  }

  private peek(): number {
    return this.pos < this.end ? (this.bytes[this.pos] as number) : -1
  }

  private space(): void {
    const { bytes, pos, end } = this
    // Most often there is none, or the one blank that Python writes.
    if (pos < end && (bytes[pos] as number) <= 0x20) this.pos = skipSpace(bytes, pos, end)
  }

  private found(): string {
    return describeByte(this.bytes, this.pos, this.end)
  }

  private tooDeep(): JsonError {
    return new JsonError(this.pos, `values are nested deeper than ${MAX_DEPTH} levels`)
  }
}
