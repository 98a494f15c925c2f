/**
 * Memory that may be shared is not counted by V8 as that of one thread: what ten million rollouts are sorted in would else set the collector to go
 * through all that is kept of them, which takes longer than the sort. Absent on a page that is not isolated from others.
 */
export const newBuffer = (bytes: number): ArrayBufferLike =>
  typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes)

/** Memory of sorts that are done, for the next ones. Where the collector comes round, it takes this as well. */
const spare: WeakRef<ArrayBufferLike>[] = []
const MOST_SPARE = 3

/** Room for as many numbers of 32 bits, in which others stand. */
export function room(length: number): ArrayBufferLike {
  while (spare.length > 0) {
    const buffer = spare.pop()?.deref()
    if (buffer !== undefined && buffer.byteLength >= 4 * length) return buffer
  }
  return newBuffer(4 * length)
}

/** Of what rollouts were sorted by last. */
let spareNumbers: WeakRef<ArrayBufferLike> | null = null

/** Room for what rollouts are sorted by, one number for each, in which others stand. It is the same each time: who sorts has looked at the last ones. */
export function roomForNumbers(length: number): Float64Array {
  let buffer = spareNumbers?.deref()
  if (buffer === undefined || buffer.byteLength < 8 * length) {
    buffer = newBuffer(8 * length)
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
