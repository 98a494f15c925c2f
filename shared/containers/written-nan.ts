import type { JsonValue } from './container.ts'

const written = new WeakMap<Float64Array, Int32Array>()

/** Remembers which elements of an array that holds nulls too were written as bare NaN; in the array both are NaN. */
export function keepWrittenNaN(array: Float64Array, places: readonly number[]): void {
  written.set(array, Int32Array.from(places))
}

/**
 * The elements of a JSON array that are written as bare NaN where others are null: numbers that went wrong beside ones that are absent. Null
 * where the array has only one of the two, of which either may stand for what is absent.
 */
export function writtenNaN(value: JsonValue): Int32Array | null {
  if (value instanceof Float64Array) return written.get(value) ?? null
  if (!Array.isArray(value) || !value.includes(null)) return null
  const places = value.flatMap((element, i) => (typeof element === 'number' && Number.isNaN(element) ? [i] : []))
  return places.length === 0 ? null : Int32Array.from(places)
}
