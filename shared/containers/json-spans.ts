const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Where a value lies in the bytes of JSON text, half-open. */
export interface ValueSpan {
  readonly start: number
  readonly end: number
}

/** Where the value at a path lies in the text of a JSON value, which has been read before; null where there is none. */
export function valueSpan(bytes: Uint8Array, path: readonly (string | number)[]): ValueSpan | null {
  const start = spaceEnd(bytes, 0)
  let span: ValueSpan | null = { start, end: valueEnd(bytes, start) }
  for (const step of path) {
    if ((bytes[span.start] === OPEN_BRACKET) !== (typeof step === 'number')) return null
    let found: ValueSpan | null = null
    // Of two members of one name the last counts, as everywhere.
    for (const { name, start, end } of members(bytes, span.start)) if (name === step) found = { start, end }
    if (found === null) return null
    span = found
  }
  return span
}

/** Where the elements of the list at `start` lie, or the values of the object there. */
export function elementSpans(bytes: Uint8Array, start: number): ValueSpan[] {
  return Array.from(members(bytes, start), ({ start, end }) => ({ start, end }))
}

/** What a list or an object holds, by index or name: by depth and quotes alone, since it was parsed before. */
function* members(bytes: Uint8Array, start: number): Generator<ValueSpan & { readonly name: string | number }> {
  const isList = bytes[start] === OPEN_BRACKET
  const decoder = new TextDecoder()
  let at = spaceEnd(bytes, start + 1)
  for (let index = 0; at < bytes.length && bytes[at] !== CLOSE_BRACKET && bytes[at] !== CLOSE_BRACE; index++) {
    let name: string | number = index
    if (!isList) {
      const end = valueEnd(bytes, at)
      name = JSON.parse(decoder.decode(bytes.subarray(at, end))) as string
      at = spaceEnd(bytes, end)
      if (bytes[at] !== COLON) return
      at = spaceEnd(bytes, at + 1)
    }
    const end = valueEnd(bytes, at)
    yield { name, start: at, end }
    at = spaceEnd(bytes, end)
    if (bytes[at] === COMMA) at = spaceEnd(bytes, at + 1)
  }
}

function valueEnd(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      at++
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
      if (depth === 0) return at + 1
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      // The bracket of what holds a number, `true` or `null`.
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return at
  }
  return bytes.length
}

/** The first byte from `start` on that is no white space. */
function spaceEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at++
  return at
}
