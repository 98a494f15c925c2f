import type { Container, JsonValue, RawRecord } from './container.ts'
import { DEFAULT_BATCH_BYTES, SpansBuilder } from './spans.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The key under which an object keeps its only list, where that list holds objects; null where there is no such list. */
export function listKeyOf(value: JsonValue): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) return null
  const lists = Object.entries(value).filter(([, each]) => Array.isArray(each) || ArrayBuffer.isView(each))
  const [only] = lists
  if (only === undefined || lists.length > 1) return null
  const [key, list] = only
  const holdsObjects = Array.isArray(list) && list.length > 0 && list.every(isPlainObject)
  return holdsObjects ? key : null
}

function isPlainObject(value: JsonValue): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

/**
 * A container of JSON whose one record is an object around a list, as a container of what is in the list: `{"rollouts": [{…}, {…}]}`.
 *
 * @param wrapper that record, which was read without a fault
 * @param key where its list stands
 */
export function unwrapped(container: Container, wrapper: RawRecord, key: string): Container {
  const { byte, length, value } = wrapper
  const beside = Object.keys(value as object).filter((each) => each !== key)
  const rest = beside.length === 0 ? '' : `; what stands beside it is not read (${beside.slice(0, 8).join(', ')})`
  return {
    ...container,
    givesChunks: false,
    notes: [
      ...(container.notes ?? []),
      `its records are the list under ${JSON.stringify(key)} of its one object${rest}`,
    ],
    async *index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      const whole = {
        first: wrapper.record,
        lines: Float64Array.of(0),
        offsets: Float64Array.of(byte),
        lengths: Float64Array.of(length),
      }
      const { bytes } = await container.read(whole)
      signal?.throwIfAborted()
      const builder = new SpansBuilder({ first: firstBatchBytes, most: batchBytes })
      for (const { start, end } of elementsUnder(bytes[0] as Uint8Array, key)) {
        const full = builder.add(byte + start, end - start, 0)
        if (full !== null) yield full
      }
      const last = builder.finish()
      if (last !== null) yield last
      onBytes?.(container.source.size)
    },
  }
}

/** Where the elements of the list under `key` lie, in the bytes of a sound object. Of a key that comes twice the last counts. */
function elementsUnder(bytes: Uint8Array, key: string): { start: number; end: number }[] {
  const decoder = new TextDecoder()
  let found: { start: number; end: number }[] = []
  let pos = bytes.indexOf(0x7b) + 1
  for (;;) {
    while (pos < bytes.length && bytes[pos] !== QUOTE && bytes[pos] !== 0x7d) pos++
    if (bytes[pos] !== QUOTE) return found
    const nameEnd = endOfValue(bytes, pos)
    const name: unknown = JSON.parse(decoder.decode(bytes.subarray(pos, nameEnd)))
    pos = skip(bytes, skip(bytes, nameEnd) + 1)
    const end = endOfValue(bytes, pos)
    if (name === key) found = bytes[pos] === 0x5b ? elements(bytes, pos + 1) : []
    pos = end
  }
}

function elements(bytes: Uint8Array, from: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  for (let pos = skip(bytes, from); pos < bytes.length && bytes[pos] !== 0x5d; ) {
    const end = endOfValue(bytes, pos)
    found.push({ start: pos, end })
    pos = skip(bytes, end)
    if (bytes[pos] === 0x2c) pos = skip(bytes, pos + 1)
  }
  return found
}

/** The first byte from `at` on that is no white space. */
function skip(bytes: Uint8Array, at: number): number {
  let pos = at
  while (pos < bytes.length && (bytes[pos] as number) <= 0x20) pos++
  return pos
}

/** Behind the value that begins at `start`: by depth and quotes alone, since it was parsed before. */
function endOfValue(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let pos = start; pos < bytes.length; pos++) {
    const byte = bytes[pos] as number
    if (byte === QUOTE) {
      pos++
      while (pos < bytes.length && bytes[pos] !== QUOTE) pos += bytes[pos] === BACKSLASH ? 2 : 1
      if (depth === 0) return pos + 1
    } else if (byte === 0x7b || byte === 0x5b) depth++
    else if (byte === 0x7d || byte === 0x5d) {
      // The bracket of what holds a number, `true` or `null`.
      if (depth === 0) return pos
      if (--depth === 0) return pos + 1
    } else if (depth === 0 && (byte === 0x2c || byte <= 0x20)) return pos
  }
  return bytes.length
}
