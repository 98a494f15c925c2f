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
  const fours = foursOf(verdicts)
  const all = wanted * LOW_BITS
  let count = 0
  for (let i = 0; i < fours.length; i++) {
    const differ = (fours[i] as number) ^ all
    // A bit for each of the four that is as wanted; the product adds them up in its highest byte.
    count += Math.imul(~(differ | (differ >>> 1)) & LOW_BITS, LOW_BITS) >>> 24
  }
  for (let i = 4 * fours.length; i < verdicts.length; i++) count += Number(verdicts[i] === wanted)
  return count
}

/** The lowest bit of each of four verdicts. */
const LOW_BITS = 0x01010101

/** Verdicts four at a time, from the first on; what is left over, or all of them where they do not lie so, is not among them. */
function foursOf({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  return byteOffset % 4 === 0 ? new Uint32Array(buffer, byteOffset, length >>> 2) : new Uint32Array(0)
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
  const [fours, others] = [foursOf(verdicts), foursOf(other)]
  const together = Math.min(fours.length, others.length)
  for (let i = 0; i < together; i++) fours[i] = (fours[i] as number) & (others[i] as number)
  for (let i = 4 * together; i < verdicts.length; i++) verdicts[i] = (verdicts[i] as number) & (other[i] as number)
}

/** What either says. */
export function withEither(verdicts: Uint8Array, other: Uint8Array): void {
  const [fours, others] = [foursOf(verdicts), foursOf(other)]
  const together = Math.min(fours.length, others.length)
  for (let i = 0; i < together; i++) fours[i] = (fours[i] as number) | (others[i] as number)
  for (let i = 4 * together; i < verdicts.length; i++) verdicts[i] = (verdicts[i] as number) | (other[i] as number)
}

/** For each rollout what the table has at its place in `at`. */
export function lookedUp(table: Uint8Array, at: Int32Array | Uint8Array, into: Uint8Array): void {
  for (let i = 0; i < into.length; i++) into[i] = table[at[i] as number] as number
}

/** Says yes where something holds, 1 or 0 for each rollout. */
export function addHeld(holds: Uint8Array, verdicts: Uint8Array): void {
  for (let i = 0; i < verdicts.length; i++) verdicts[i] = (verdicts[i] as number) | ((holds[i] as number) * 3)
}
