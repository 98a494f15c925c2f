import { kernelWith } from '../containers/kernel/thread-kernel.ts'

/** Ids of a vocabulary, a bit each: so few bytes stay near the processor while a loop asks for every token of a dump. */
export type IdSet = Uint32Array

/** Those of `ids` that a vocabulary of `size` ids has. */
export function idSet(size: number, ids: Iterable<number>): IdSet {
  const bits = new Uint32Array((size + 31) >>> 5)
  for (const id of ids) if (id >= 0 && id < size) addId(bits, id)
  return bits
}

/** Adds an id that the vocabulary has. */
function addId(set: IdSet, id: number): void {
  set[id >>> 5] = (set[id >>> 5] as number) | (1 << (id & 31))
}

/** False for ids that the vocabulary does not have. */
function hasId(set: IdSet, id: number): boolean {
  return (((set[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1
}

/** The first index of `[start, end)` at which an id of the set stands; `end` where none does. */
export function firstOf(set: IdSet, ids: Int32Array, start: number, end: number): number {
  if (start >= end) return end
  return kernelWith(ids)?.firstMember(ids, set, start, end) ?? scan(set, ids, start, end)
}

function scan(set: IdSet, ids: Int32Array, start: number, end: number): number {
  let at = start
  while (at < end && !hasId(set, ids[at] as number)) at++
  return at
}
