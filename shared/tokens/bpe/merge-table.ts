import type { Merges } from './encoding.ts'

/** Integers a slot: left id, right id, rank, id of the two joined. */
const STRIDE = 4
const FREE = -1
/** Ids below this one are those of the 256 bytes in most vocabularies: half of all pairs that are looked for are of two of them. */
const LOW = 256

/**
 * The merges of a byte-pair encoding: which two neighbouring ids join, how early, and into which id. An open-addressed
 * hash table in one `Int32Array`: a `Map` of a quarter of a million pairs would need an object or a text a pair.
 */
export class MergeTable {
  readonly #slots: Int32Array
  readonly #mask: number
  /** By left · 256 + right, where the merge of two low ids is; -1 where they do not join. Small enough to stay in a processor's cache. */
  readonly #low = new Int32Array(LOW * LOW).fill(FREE)

  constructor({ left, right, joined }: Merges) {
    const count = joined.length
    // At most five slots in eight are taken, which keeps the runs of taken slots short.
    let capacity = 16
    while (capacity * 5 < count * 8) capacity *= 2
    this.#mask = capacity - 1
    this.#slots = new Int32Array(capacity * STRIDE).fill(FREE)
    for (let rank = 0; rank < count; rank++) {
      this.#set(left[rank] as number, right[rank] as number, rank, joined[rank] as number)
    }
  }

  /** A pair that is set again takes the later rank, as in the library and in the Rust implementation. */
  #set(left: number, right: number, rank: number, joined: number): void {
    const at = this.#slotOf(left, right)
    this.#slots[at] = left
    this.#slots[at + 1] = right
    this.#slots[at + 2] = rank
    this.#slots[at + 3] = joined
    if ((left | right) < LOW) this.#low[left * LOW + right] = at
  }

  /** Where the merge of a pair is, for `rank` and `joined`; -1 where the two do not join. */
  find(left: number, right: number): number {
    if ((left | right) < LOW) return this.#low[left * LOW + right] as number
    const at = this.#slotOf(left, right)
    return this.#slots[at] === FREE ? -1 : at
  }

  rank(at: number): number {
    return this.#slots[at + 2] as number
  }

  joined(at: number): number {
    return this.#slots[at + 3] as number
  }

  #slotOf(left: number, right: number): number {
    const slots = this.#slots
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)
    hash ^= hash >>> 15
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * STRIDE
      const taken = slots[at]
      if (taken === FREE || (taken === left && slots[at + 1] === right)) return at
    }
  }
}
