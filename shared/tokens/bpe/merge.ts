import type { MergeTable } from './merge-table.ts'

/** From this length on, a heap beats looking through all pairs for each merge. */
const LONG = 48
/** More than any position in a text; rank and position together stay below 2^53. */
const POSITIONS = 2 ** 31
const NONE = -1

/**
 * Joins neighbours within the first `length` of `ids` until none join any more: always the pair of the lowest rank, of
 * several the leftmost. Works in place and returns the new length.
 */
export function mergeIds(ids: Int32Array, length: number, table: MergeTable): number {
  return length < LONG ? mergeShort(ids, length, table) : mergeLong(ids, length, table)
}

/** Of each pair of a short piece, by its left member, the slot in the merge table and the rank. */
const slots = new Int32Array(LONG)
const ranks = new Int32Array(LONG)
const NEVER = 2 ** 31 - 1

function mergeShort(ids: Int32Array, length: number, table: MergeTable): number {
  const look = (i: number) => {
    const slot = table.find(ids[i] as number, ids[i + 1] as number)
    slots[i] = slot
    ranks[i] = slot === NONE ? NEVER : table.rank(slot)
  }
  let last = length - 1
  for (let i = 0; i < last; i++) look(i)
  for (;;) {
    let best = NONE
    let bestRank = NEVER
    for (let i = 0; i < last; i++) {
      const rank = ranks[i] as number
      if (rank < bestRank) {
        bestRank = rank
        best = i
      }
    }
    if (best === NONE) return last + 1
    ids[best] = table.joined(slots[best] as number)
    last--
    for (let i = best + 1; i <= last; i++) {
      ids[i] = ids[i + 1] as number
      slots[i] = slots[i + 1] as number
      ranks[i] = ranks[i + 1] as number
    }
    if (best > 0) look(best - 1)
    if (best < last) look(best)
  }
}

/**
 * The ids as a linked list over their first positions. A pair is in the heap as rank and position; what is popped
 * counts only where the pair at that position still has that rank.
 */
function mergeLong(ids: Int32Array, length: number, table: MergeTable): number {
  const next = new Int32Array(length)
  const previous = new Int32Array(length)
  /** Slot of the pair that begins at a position; none for the last one and for those joined to the one before. */
  const pairs = new Int32Array(length).fill(NONE)
  const heap = new Heap(length * 2)
  const look = (left: number, right: number) => {
    const slot = table.find(ids[left] as number, ids[right] as number)
    pairs[left] = slot
    if (slot !== NONE) heap.push(table.rank(slot) * POSITIONS + left)
  }
  for (let i = 0; i < length; i++) {
    previous[i] = i - 1
    next[i] = i + 1 < length ? i + 1 : NONE
    if (i + 1 < length) look(i, i + 1)
  }
  while (heap.size > 0) {
    const lowest = heap.pop()
    const left = lowest % POSITIONS
    const slot = pairs[left] as number
    if (slot === NONE || table.rank(slot) !== (lowest - left) / POSITIONS) continue
    const right = next[left] as number
    const after = next[right] as number
    ids[left] = table.joined(slot)
    next[left] = after
    pairs[left] = NONE
    pairs[right] = NONE
    if (after !== NONE) {
      previous[after] = left
      look(left, after)
    }
    const before = previous[left] as number
    if (before !== NONE) look(before, left)
  }
  let kept = 0
  for (let at = 0; at !== NONE; at = next[at] as number) ids[kept++] = ids[at] as number
  return kept
}

/** A binary heap of numbers, the lowest first. */
class Heap {
  size = 0
  readonly #values: Float64Array

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity)
  }

  push(value: number): void {
    const values = this.#values
    let at = this.size++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((values[parent] as number) <= value) break
      values[at] = values[parent] as number
      at = parent
    }
    values[at] = value
  }

  /** Removes the lowest and returns it; the heap must not be empty. */
  pop(): number {
    const values = this.#values
    const lowest = values[0] as number
    const moved = values[--this.size] as number
    const size = this.size
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && (values[child + 1] as number) < (values[child] as number)) child++
      if ((values[child] as number) >= moved) break
      values[at] = values[child] as number
      at = child
    }
    values[at] = moved
    return lowest
  }
}
