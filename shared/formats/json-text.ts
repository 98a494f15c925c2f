import type { JsonValue } from '../containers/container.ts'
import { parseJson } from '../containers/json.ts'

/** What a text holds as JSON, no deeper than a record may be; `undefined` where it is none. */
export function jsonIn(text: string): JsonValue | undefined {
  const bytes = new TextEncoder().encode(text)
  try {
    return parseJson(bytes, 0, bytes.length)
  } catch {
    return undefined
  }
}

/** A list that a text holds as JSON, as columns of texts have it; null where it holds something else. */
export function listIn(text: string): JsonValue[] | null {
  const value = /^\s*\[/.test(text) ? jsonIn(text) : null
  return Array.isArray(value) ? value : null
}
