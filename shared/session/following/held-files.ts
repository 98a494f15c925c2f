import type { ByteSource } from '../../model/source.ts'

/** Bytes of a file that is read whole instead of part by part. */
const SMALL = 64 << 10
/** Bytes of all that are held. */
const MOST_HELD = 32 << 20

/**
 * Small files, each read once for one look at a run, however often parts of it are asked for: to open, to survey and to read a file takes a dozen
 * reads, each of which opens it or asks a server.
 */
export class HeldFiles {
  private readonly held = new Map<ByteSource, Promise<Uint8Array>>()
  private bytes = 0
  private isHolding = false

  /** From now on. */
  hold(): void {
    this.isHolding = true
  }

  /** What is asked for afterwards is read anew. */
  letGo(): void {
    this.isHolding = false
    this.held.clear()
    this.bytes = 0
  }

  /** The same file. */
  of(source: ByteSource): ByteSource {
    if (source.size > SMALL) return source
    const slice = async (start: number, end: number) => {
      const whole = this.wholeOf(source)
      return whole === null ? source.slice(start, end) : (await whole).slice(start, end)
    }
    return Object.create(source, { slice: { value: slice } })
  }

  /** Null where it is not held. */
  private wholeOf(source: ByteSource): Promise<Uint8Array> | null {
    if (!this.isHolding) return null
    const known = this.held.get(source)
    if (known !== undefined) return known
    if (this.bytes + source.size > MOST_HELD) return null
    this.bytes += source.size
    const whole = source.slice(0, source.size)
    this.held.set(source, whole)
    whole.catch(() => {
      // The next read may succeed.
      if (this.held.delete(source)) this.bytes -= source.size
    })
    return whole
  }
}
