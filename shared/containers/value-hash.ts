import { Hash64 } from '../model/hash.ts'
import type { JsonValue } from './container.ts'

/**
 * Identity of a record without bytes of its own, 16 hex digits over its decoded value: kinds, keys in their order, texts,
 * and the bits of numbers. The same record gives the same hash on every read, in every thread and whatever compressed its file;
 * an equal record in another container (JSON text, say) may not.
 */
export function hashValue(value: JsonValue): string {
  const hash = new Hash64()
  add(hash, value)
  return hash.digest()
}

const scratch = new Float64Array(1)
const words = new Int32Array(scratch.buffer)

function add(hash: Hash64, value: JsonValue): void {
  if (value === null) hash.word(0)
  else if (typeof value === 'boolean') hash.word(value ? 1 : 2)
  else if (typeof value === 'number') {
    scratch[0] = value
    hash.word(3).words(words)
  } else if (typeof value === 'string') hash.word(4).word(value.length).text(value)
  else if (value instanceof Int32Array) hash.word(5).word(value.length).words(value)
  else if (value instanceof Float64Array) {
    hash
      .word(6)
      .word(value.length)
      .words(new Int32Array(value.buffer, value.byteOffset, value.length * 2))
  } else if (Array.isArray(value)) {
    hash.word(7).word(value.length)
    for (const item of value) add(hash, item)
  } else {
    const keys = Object.keys(value)
    hash.word(8).word(keys.length)
    for (const key of keys) {
      hash.word(key.length).text(key)
      add(hash, value[key] as JsonValue)
    }
  }
}
