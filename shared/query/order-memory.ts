import { uncounted } from '../model/uncounted-memory.ts'

/** Memory of sorts that are done, for the next ones. Where the collector comes round, it takes this as well. */
const spare: WeakRef<ArrayBufferLike>[] = []
const MOST_SPARE = 3

/** Room for as many numbers of 32 bits, in which others stand. */
export function room(length: number): ArrayBufferLike {
  while (spare.length > 0) {
    const buffer = spare.pop()?.deref()
    if (buffer !== undefined && buffer.byteLength >= 4 * length) return buffer
  }
  return uncounted(4 * length)
}

/** Of what rollouts were sorted by last. */
let spareNumbers: WeakRef<ArrayBufferLike> | null = null

/** Room for what rollouts are sorted by, one number for each, in which others stand. It is the same each time: who sorts has looked at the last ones. */
export function roomForNumbers(length: number): Float64Array {
  let buffer = spareNumbers?.deref()
  if (buffer === undefined || buffer.byteLength < 8 * length) {
    buffer = uncounted(8 * length)
    spareNumbers = new WeakRef(buffer)
  }
  return new Float64Array(buffer, 0, length)
}

export function roomForKeys(length: number): Uint32Array {
  return new Uint32Array(room(length), 0, length)
}

/** Nobody looks at it any more. */
export function giveBack({ buffer }: Uint32Array | Int32Array | Float64Array): void {
  if (spare.length < MOST_SPARE) spare.push(new WeakRef(buffer))
}
