import { partitionPoint } from '../model/partition-point.ts'

/** Keeps the last `capacity` bytes of a stream that is appended to in order, from the byte `end` on. */
export class ChunkCache {
  private chunks: Uint8Array[] = []
  private starts: number[] = []

  constructor(
    private readonly capacity: number,
    private end = 0,
  ) {}

  /** Adds the bytes at `start`; bytes that are known, or that would leave a gap, change nothing. */
  append(start: number, chunk: Uint8Array): void {
    if (start !== this.end || chunk.length === 0) return
    this.chunks.push(chunk)
    this.starts.push(start)
    this.end += chunk.length
    let drop = 0
    while (drop < this.chunks.length - 1 && this.end - (this.starts[drop + 1] as number) >= this.capacity) drop++
    if (drop > 0) {
      this.chunks.splice(0, drop)
      this.starts.splice(0, drop)
    }
  }

  /** A copy of the bytes, null when some of them are not here. */
  slice(start: number, end: number): Uint8Array | null {
    const first = this.starts[0]
    if (first === undefined || start < first || end > this.end || end < start) return null
    const joined = new Uint8Array(end - start)
    let index = partitionPoint(this.starts.length, (i) => (this.starts[i] as number) <= start) - 1
    for (let at = start; at < end; index++) {
      const chunk = this.chunks[index] as Uint8Array
      const from = at - (this.starts[index] as number)
      const part = chunk.subarray(from, Math.min(chunk.length, from + end - at))
      joined.set(part, at - start)
      at += part.length
    }
    return joined
  }
}
