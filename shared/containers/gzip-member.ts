/** How long (milliseconds) what was written may take to come out, and how many bytes that may be. */
const PATIENCE = 2000
const MOST_UNDER_WAY = 1 << 30

/** Decompresses one gzip member. Every method gives what came out since the one before. */
export class GzipMember {
  /** Bytes that came out so far. */
  length = 0
  started = false
  /** It could not be decompressed further; hosts give reasons of their own, or none that help. */
  failed = false
  /** That is known to be for its bytes, not for its end: Node takes pieces before it looks at them, and may fail for them when all is written. */
  heldWrongBytes = false

  private readonly writer: WritableStreamDefaultWriter<BufferSource>
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>
  private readonly pumped: Promise<void>
  private out: Uint8Array[] = []

  constructor() {
    const { readable, writable } = new DecompressionStream('gzip')
    this.writer = writable.getWriter()
    this.reader = readable.getReader()
    // Output is taken as it comes: an error would throw away what still waits inside the stream.
    this.pumped = this.pump().catch((reason: unknown) => this.fail(reason))
  }

  async write(bytes: Uint8Array): Promise<Uint8Array[]> {
    this.started = true
    // A copy: the stream may keep what is written longer than the host keeps its buffer.
    await this.writer.write(new Uint8Array(bytes)).catch((reason: unknown) => this.fail(reason))
    return this.out.length === 0 ? this.settle() : this.take()
  }

  /** Waits until all that can come out of what was written has come out. */
  async settle(): Promise<Uint8Array[]> {
    let seen = -1
    while (this.length !== seen) {
      seen = this.length
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    return this.take()
  }

  /**
   * Whether as much came out as a member says of itself at its end: `length` is its bytes modulo 2^32. Some hosts decompress in another thread, and take what
   * is written before that is done: as long as the rest may be on its way it is waited for.
   */
  async hasLength(length: number): Promise<boolean> {
    const until = Date.now() + PATIENCE
    for (;;) {
      const missing = (length - this.length) >>> 0
      if (missing === 0) return true
      if (this.failed || missing > MOST_UNDER_WAY || Date.now() > until) return false
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  async end(): Promise<Uint8Array[]> {
    // Ending fails for a member that was cut: what it gave must be in hand before.
    const before = await this.settle()
    await this.writer.close().catch((reason: unknown) => this.fail(reason))
    await this.pumped
    return [...before, ...this.take()]
  }

  /** Lets go of the streams, whatever their state. */
  async close(): Promise<void> {
    await this.writer.abort().catch(() => undefined)
    await this.reader.cancel().catch(() => undefined)
  }

  private async pump(): Promise<void> {
    for (;;) {
      const { done, value } = await this.reader.read()
      if (done) return
      this.out.push(value)
      this.length += value.length
    }
  }

  private take(): Uint8Array[] {
    return this.out.splice(0)
  }

  private fail(reason: unknown): void {
    this.failed = true
    // As zlib calls it, whose word for a member without an end is another one.
    if (reason instanceof Error && 'code' in reason && reason.code === 'Z_DATA_ERROR') this.heldWrongBytes = true
  }
}
