/**
 * Loops over the verdicts of all rollouts, each a function of its own that does nothing else: what stands behind a long loop is not known when the
 * engine compiles the loop, which is thrown away when it gets there.
 */

/** Places of all rollouts that have the wanted verdict, in their order. */
export function indicesOf(verdicts: Uint8Array, wanted: number): Int32Array {
  const most = countOf(verdicts, wanted)
  // The last place is for those behind the last that fits: there is nothing to guess for the processor.
  const indices = new Int32Array(most + 1)
  if (most > 0) pick(verdicts, wanted, indices)
  return indices.subarray(0, most)
}

export function countOf(verdicts: Uint8Array, wanted: number): number {
  let count = 0
  for (let i = 0; i < verdicts.length; i++) count += Number(verdicts[i] === wanted)
  return count
}

function pick(verdicts: Uint8Array, wanted: number, into: Int32Array): void {
  let count = 0
  for (let i = 0; i < verdicts.length; i++) {
    into[count] = i
    count += Number(verdicts[i] === wanted)
  }
}

/** Those of an order that fit, of which there are so many. Rollouts that came after the query was asked have no verdict. */
export function fittingInOrder(order: Int32Array, verdicts: Uint8Array, most: number): Int32Array {
  const indices = new Int32Array(most + 1)
  pickInOrder(order, verdicts, indices)
  return indices.subarray(0, most)
}

function pickInOrder(order: Int32Array, verdicts: Uint8Array, into: Int32Array): void {
  let count = 0
  for (let i = 0; i < order.length; i++) {
    const index = order[i] as number
    into[count] = index
    count += index < verdicts.length ? (verdicts[index] as number) >> 1 : 0
  }
}

/** Adds up by the list of each how many rollouts fit. */
export function countByList(verdicts: Uint8Array, lists: Int32Array, into: Uint32Array): void {
  for (let i = 0; i < verdicts.length; i++) {
    const list = lists[i] as number
    into[list] = (into[list] as number) + ((verdicts[i] as number) >> 1)
  }
}

/** What both say. */
export function withBoth(verdicts: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < verdicts.length; i++) verdicts[i] = (verdicts[i] as number) & (other[i] as number)
}

/** What either says. */
export function withEither(verdicts: Uint8Array, other: Uint8Array): void {
  for (let i = 0; i < verdicts.length; i++) verdicts[i] = (verdicts[i] as number) | (other[i] as number)
}

/** For each rollout what the table has at its place in `at`. */
export function lookedUp(table: Uint8Array, at: Int32Array | Uint8Array, into: Uint8Array): void {
  for (let i = 0; i < into.length; i++) into[i] = table[at[i] as number] as number
}
