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
export function hasId(set: IdSet, id: number): boolean {
  return (((set[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1
}
