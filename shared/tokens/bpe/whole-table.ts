import { BYTE_OF_CHARACTER } from '../byte-alphabet.ts'

/** Integers a slot: id and 1 (0 = free), where the bytes begin, their number. */
const STRIDE = 3

/**
 * Ids of whole pieces by their bytes. Looked up for every new piece of several ids and nearly always in vain, so it
 * builds no text to look for.
 */
export class WholeTable {
  readonly #slots: Int32Array
  readonly #mask: number
  readonly #bytes: Uint8Array

  /** From entries in the byte alphabet; those that leave it are never a piece and are left out. */
  constructor(ids: ReadonlyMap<string, number>) {
    let capacity = 16
    while (capacity < ids.size * 2) capacity *= 2
    this.#mask = capacity - 1
    this.#slots = new Int32Array(capacity * STRIDE)
    let length = 0
    for (const entry of ids.keys()) length += entry.length
    this.#bytes = new Uint8Array(length)
    let end = 0
    for (const [entry, id] of ids) {
      const start = end
      end = this.#write(entry, start)
      if (end - start !== entry.length) continue
      const at = this.#slotOf(this.#bytes, start, end)
      this.#slots[at] = id + 1
      this.#slots[at + 1] = start
      this.#slots[at + 2] = end - start
    }
  }

  /** Id of the bytes from `start` to `end`; -1 where they are no whole piece. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return (this.#slots[this.#slotOf(bytes, start, end)] as number) - 1
  }

  /** Writes the bytes of an entry up to the first character outside the alphabet; returns where they end. */
  #write(entry: string, start: number): number {
    for (let i = 0; i < entry.length; i++) {
      const byte = BYTE_OF_CHARACTER[entry.charCodeAt(i)] ?? -1
      if (byte < 0) return start + i
      this.#bytes[start + i] = byte
    }
    return start + entry.length
  }

  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    const slots = this.#slots
    let hash = end - start
    for (let i = start; i < end; i++) hash = Math.imul(hash, 0x01000193) ^ (bytes[i] as number)
    hash ^= hash >>> 15
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * STRIDE
      if (slots[at] === 0) return at
      if (slots[at + 2] === end - start && this.#holds(slots[at + 1] as number, bytes, start, end)) return at
    }
  }

  #holds(at: number, bytes: Uint8Array, start: number, end: number): boolean {
    for (let i = start; i < end; i++) if (this.#bytes[at + i - start] !== bytes[i]) return false
    return true
  }
}
