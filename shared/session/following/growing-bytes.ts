import type { ByteSource } from '../../model/source.ts'

const NEWLINE = 0x0a
const CHUNK_BYTES = 1 << 20
/** Enough to tell one file from another that took its place. */
const SEEN_BYTES = 4 << 10

/** The first bytes that were read of a file, and the last ones before `until`; both are short. */
export interface Seen {
  readonly until: number
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

/** A file that is being written, as far as it holds whole lines; the rest waits. */
export class GrowingBytes implements ByteSource {
  /** Bytes that stand in whole lines. */
  size = 0
  /** No line ends between `size` and here. */
  private searched = 0

  constructor(
    public name: string,
    private snapshot: ByteSource,
  ) {}

  /** Takes the file as it is now, which begins as it did before. */
  async grow(snapshot: ByteSource): Promise<void> {
    const end = await lastLineEnd(snapshot, Math.max(this.size, this.searched))
    this.snapshot = snapshot
    this.searched = snapshot.size
    if (end !== null) this.size = end
  }

  /** The same file, at another place. */
  moveTo(snapshot: ByteSource): void {
    this.name = snapshot.name
    this.snapshot = snapshot
  }

  /** Bytes behind the last whole line. */
  async rest(): Promise<Uint8Array> {
    return this.snapshot.slice(this.size, this.snapshot.size)
  }

  /** Counts what stands behind the last whole line as one. */
  takeRest(): void {
    this.size = this.snapshot.size
  }

  /** What the file is known by again, once it was read up to `until`. */
  async seen(until: number): Promise<Seen> {
    return {
      until,
      head: await this.slice(0, Math.min(SEEN_BYTES, until)),
      tail: await this.slice(Math.max(0, until - SEEN_BYTES), until),
    }
  }

  async slice(start: number, end: number): Promise<Uint8Array> {
    const to = Math.min(end, this.size)
    const bytes = await this.snapshot.slice(start, to)
    if (bytes.length < to - Math.max(0, start)) throw new Error(`${this.name} became shorter while it was read.`)
    return bytes
  }

  stream(start = 0): ReadableStream<Uint8Array> {
    let at = start
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        if (at >= this.size) return controller.close()
        const chunk = await this.slice(at, Math.min(at + CHUNK_BYTES, this.size))
        at += chunk.length
        controller.enqueue(chunk)
      },
    })
  }
}

/** Whether a file still holds what was read of it. */
export async function holds(source: ByteSource, { until, head, tail }: Seen): Promise<boolean> {
  if (source.size < until) return false
  const [first, last] = [await source.slice(0, head.length), await source.slice(until - tail.length, until)]
  return same(first, head) && same(last, tail)
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** Where the last whole line ends, null where none ends after `from`. */
async function lastLineEnd(source: ByteSource, from: number): Promise<number | null> {
  for (let end = source.size; end > from; ) {
    const start = Math.max(from, end - CHUNK_BYTES)
    const at = (await source.slice(start, end)).lastIndexOf(NEWLINE)
    if (at >= 0) return start + at + 1
    end = start
  }
  return null
}
