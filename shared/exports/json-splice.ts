const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = [0x7b, 0x5b]
const CLOSE = [0x7d, 0x5d]
const COMMA = 0x2c
const COLON = 0x3a

/** Where the value at a path lies in the text of a JSON value, which has been read before; null where there is none. */
export function valueSpan(
  bytes: Uint8Array,
  path: readonly (string | number)[],
): { start: number; end: number } | null {
  let span = { start: spaceEnd(bytes, 0), end: bytes.length }
  span.end = valueEnd(bytes, span.start)
  for (const step of path) {
    const next = memberSpan(bytes, span.start, step)
    if (next === null) return null
    span = next
  }
  return span
}

/** Texts of the elements of a list of numbers or booleans. */
export function elementsOf(text: string): string[] {
  const inner = text.trim().slice(1, -1).trim()
  return inner === '' ? [] : inner.split(',').map((element) => element.trim())
}

function memberSpan(bytes: Uint8Array, start: number, step: string | number): { start: number; end: number } | null {
  const isList = bytes[start] === 0x5b
  if (isList !== (typeof step === 'number')) return null
  let at = spaceEnd(bytes, start + 1)
  // Of two members of one name the last counts, as everywhere.
  let found: { start: number; end: number } | null = null
  for (let index = 0; at < bytes.length && !CLOSE.includes(bytes[at] as number); index++) {
    let name: string | number = index
    if (!isList) {
      const end = valueEnd(bytes, at)
      name = JSON.parse(new TextDecoder().decode(bytes.subarray(at, end))) as string
      at = spaceEnd(bytes, end)
      if (bytes[at] !== COLON) return null
      at = spaceEnd(bytes, at + 1)
    }
    const end = valueEnd(bytes, at)
    if (name === step) found = { start: at, end }
    at = spaceEnd(bytes, end)
    if (bytes[at] === COMMA) at = spaceEnd(bytes, at + 1)
  }
  return found
}

function valueEnd(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === QUOTE) {
      at = textEnd(bytes, at)
      if (depth === 0) return at + 1
    } else if (OPEN.includes(byte)) depth++
    else if (CLOSE.includes(byte)) {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return at
  }
  return bytes.length
}

/** The closing quote of a text. */
function textEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

function spaceEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at++
  return at
}
