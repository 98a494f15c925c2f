import { JsonError } from './json-error.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Strings up to this many bytes are put together by hand; longer ones are worth the call of a decoder. */
const SHORT = 24
/** Keys repeat in every record: more than this many different ones are no longer keys but data. */
const KNOWN_KEYS = 4096

/** A byte order mark inside a string is text like any other. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const keys = new Map<number, string>()

/** Reads JSON strings; `next` is the offset after the closing quote of the last one. */
export class StringReader {
  next = 0

  constructor(
    private readonly bytes: Uint8Array,
    private readonly end: number,
  ) {}

  /** The string whose opening quote is at `at`. Bytes that are no UTF-8 become U+FFFD. */
  text(at: number): string {
    const bytes = this.bytes
    const end = this.end
    const start = at + 1
    let pos = start
    let plain = true
    for (; pos < end; pos++) {
      const byte = bytes[pos] as number
      if (byte === QUOTE) break
      if (byte === BACKSLASH) return this.escaped(start, pos)
      if (byte < 0x20) throw controlCharacter(pos, byte)
      if (byte > 0x7f) plain = false
    }
    if (pos >= end) throw unterminated(end)
    this.next = pos + 1
    return plain && pos - start <= SHORT ? ascii(bytes, start, pos) : decoder.decode(bytes.subarray(start, pos))
  }

  /** As `text`, but strings seen before as keys are not made again. */
  key(at: number): string {
    const bytes = this.bytes
    const end = this.end
    const start = at + 1
    let hash = 0x811c9dc5
    for (let pos = start; pos < end && pos - start <= SHORT; pos++) {
      const byte = bytes[pos] as number
      if (byte === QUOTE) {
        const known = keys.get(hash)
        if (known !== undefined && equals(bytes, start, pos, known)) {
          this.next = pos + 1
          return known
        }
        const key = this.text(at)
        if (known === undefined && keys.size < KNOWN_KEYS) keys.set(hash, key)
        return key
      }
      if (byte === BACKSLASH || byte < 0x20 || byte > 0x7f) break
      hash = Math.imul(hash ^ byte, 0x01000193)
    }
    return this.text(at)
  }

  /** A string with an escape, the first at `firstEscape`: its end is found here, the rest is left to `JSON.parse`. */
  private escaped(start: number, firstEscape: number): string {
    const bytes = this.bytes
    const end = this.end
    let pos = firstEscape
    for (; pos < end; pos++) {
      const byte = bytes[pos] as number
      if (byte === QUOTE) break
      if (byte === BACKSLASH) pos++
      else if (byte < 0x20) throw controlCharacter(pos, byte)
    }
    if (pos >= end) throw unterminated(end)
    this.next = pos + 1
    try {
      return JSON.parse(decoder.decode(bytes.subarray(start - 1, pos + 1))) as string
    } catch {
      throw new JsonError(start - 1, 'the text in quotes holds an escape that JSON does not know')
    }
  }
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i] as number)
  return text
}

function equals(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (text.length !== end - start) return false
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

function unterminated(at: number): JsonError {
  return new JsonError(at, 'the record ends inside a text in quotes')
}

function controlCharacter(at: number, byte: number): JsonError {
  return new JsonError(
    at,
    byte === 0x0a || byte === 0x0d
      ? 'a line break stands inside a text in quotes'
      : `the control character 0x${byte.toString(16).padStart(2, '0')} stands inside a text in quotes`,
  )
}
