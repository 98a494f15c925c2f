import type { SpeltIds } from './encoding.ts'

/**
 * Ids of whole pieces by their bytes. Looked up for every new piece of several ids and nearly always in vain, so it
 * builds no text to look for.
 */
export class WholeTable {
  /** Index of a spelt id and 1; 0 = free. */
  readonly #slots: Int32Array
  readonly #mask: number
  readonly #spelt: SpeltIds

  constructor(spelt: SpeltIds) {
    let capacity = 16
    while (capacity < spelt.ids.length * 2) capacity *= 2
    this.#mask = capacity - 1
    this.#slots = new Int32Array(capacity)
    this.#spelt = spelt
    const { bytes, offsets, ids } = spelt
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] === -1) continue
      this.#slots[this.#slotOf(bytes, offsets[i] as number, offsets[i + 1] as number)] = i + 1
    }
  }

  /** Id of the bytes from `start` to `end`; -1 where they are no whole piece. */
  find(bytes: Uint8Array, start: number, end: number): number {
    const taken = this.#slots[this.#slotOf(bytes, start, end)] as number
    return taken === 0 ? -1 : (this.#spelt.ids[taken - 1] as number)
  }

  #slotOf(bytes: Uint8Array, start: number, end: number): number {
    const slots = this.#slots
    let hash = end - start
    for (let i = start; i < end; i++) hash = Math.imul(hash, 0x01000193) ^ (bytes[i] as number)
    hash ^= hash >>> 15
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const taken = slots[slot] as number
      if (taken === 0 || this.#holds(taken - 1, bytes, start, end)) return slot
    }
  }

  #holds(index: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { bytes: own, offsets } = this.#spelt
    const from = offsets[index] as number
    if ((offsets[index + 1] as number) - from !== end - start) return false
    for (let i = start; i < end; i++) if (own[from + i - start] !== bytes[i]) return false
    return true
  }
}
