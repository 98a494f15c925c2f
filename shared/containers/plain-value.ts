import type { JsonObject, JsonValue } from './container.ts'
import { MAX_DEPTH } from './json.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A value of a binary container as formats see it. Integers beyond ±2^53 become texts of their digits, which every field that
 * names something takes and no field that counts; dates ISO 8601 texts; bytes that are UTF-8 a text, other bytes `{ "bytes": length }`.
 * Arrays of numbers stay typed (`numbersOf`); maps become objects. Throws `RangeError` for what is nested deeper than JSON may be.
 */
export function plainValue(value: unknown, depth = 0): JsonValue {
  switch (typeof value) {
    case 'number':
    case 'boolean':
    case 'string':
      return value
    case 'bigint':
      return plainInteger(value)
    case 'object':
      break
    default:
      return null
  }
  if (value === null) return null
  if (depth >= MAX_DEPTH) throw new RangeError(`values are nested deeper than ${MAX_DEPTH} levels`)
  if (value instanceof Uint8Array) return plainBytesValue(value)
  if (ArrayBuffer.isView(value)) return numbersOf(value as unknown as ArrayLike<number | bigint>)
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth + 1))
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  const entries = value instanceof Map ? value.entries() : Object.entries(value)
  const object: JsonObject = {}
  for (const [key, item] of entries) setOwn(object, keyText(key), plainValue(item, depth + 1))
  return object
}

/** An integer as a number where a double holds it exactly, else as its digits. */
export function plainInteger(value: bigint): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/**
 * Numbers as an importer wants them: `Int32Array` where they are integers of 32 bits, else `Float64Array`. Floats stay floats
 * even where each happens to be whole. A 64-bit integer that no double holds is rounded, as it is in JSON.
 */
export function numbersOf(values: ArrayLike<number | bigint>): Int32Array | Float64Array {
  if (values instanceof Int32Array || values instanceof Float64Array) return values
  if (values instanceof Float32Array) return Float64Array.from(values)
  const numbers = new Float64Array(values.length)
  let fits = true
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i])
    numbers[i] = value
    if (value !== (value | 0)) fits = false
  }
  return fits ? Int32Array.from(numbers) : numbers
}

/** As `plainValue`, with every list of nothing but numbers, booleans and null as a typed array: booleans 1 and 0, null NaN. */
export function typedValue(value: unknown, depth = 0): JsonValue {
  if (Array.isArray(value) && depth < MAX_DEPTH) {
    return numericList(value) ?? value.map((item) => typedValue(item, depth + 1))
  }
  const isRecord = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  if (!isRecord || depth >= MAX_DEPTH) return plainValue(value, depth)
  const object: JsonObject = {}
  for (const [key, item] of Object.entries(value)) setOwn(object, key, typedValue(item, depth + 1))
  return object
}

function numericList(values: readonly unknown[]): Int32Array | Float64Array | null {
  let known = false
  for (const value of values) {
    if (value === null) continue
    if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'bigint') return null
    known = true
  }
  return known ? numbersOf(values.map((value) => (value === null ? Number.NaN : Number(value)))) : null
}

/** Sets an own property, whatever its name: `__proto__` is a key like any other. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else object[key] = value
}

function plainBytesValue(bytes: Uint8Array): JsonValue {
  try {
    const text = UTF8.decode(bytes)
    // A NUL is legal UTF-8, and the surest sign that these bytes are no text.
    if (!text.includes('\0')) return text
  } catch {
    // No text.
  }
  return { bytes: bytes.length }
}

function keyText(key: unknown): string {
  return typeof key === 'string' ? key : key instanceof Uint8Array ? String(plainBytesValue(key)) : String(key)
}
