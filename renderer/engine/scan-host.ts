import { INPUT_BYTES } from '../../shared/containers/kernel/kernel.ts'
import type { FileInReach, ScanWorkerHost } from '../../shared/session/scan-worker.ts'
import { type AddressElsewhere, BLOCK_BYTES, type BlobElsewhere, readElsewhere, urlSource } from './byte-sources.ts'
import { fastSha256 } from './sha256.ts'

type Elsewhere = BlobElsewhere | AddressElsewhere

/** What the page lends a scan worker. Hashing takes it as long as all else: it hashes what would have to come again for that. */
export const scanHost: ScanWorkerHost = {
  async createSha256(elsewhere) {
    return isBlob(elsewhere as Elsewhere) ? null : ((await fastSha256())?.() ?? null)
  },
  open(given) {
    const elsewhere = given as Elsewhere
    return isBlob(elsewhere) ? new BlocksOfFile(elsewhere) : new AnswerOfAddress(elsewhere)
  },
}

function isBlob(elsewhere: Elsewhere): elsewhere is BlobElsewhere {
  return 'blob' in elsewhere
}

/** A file in blocks, of which the next one is on its way while one is read. */
class BlocksOfFile implements FileInReach {
  /** By their numbers: the one that is read, its neighbours, and no others. */
  private readonly blocks = new Map<number, Promise<Uint8Array>>()

  constructor(private readonly file: BlobElsewhere) {}

  seen(bytes: Uint8Array): Uint8Array {
    return bytes
  }

  async read(start: number, into: Uint8Array): Promise<number> {
    let filled = 0
    while (filled < into.length) {
      const number = Math.floor((start + filled) / BLOCK_BYTES)
      const at = start + filled - number * BLOCK_BYTES
      const part = (await this.block(number)).subarray(at, at + into.length - filled)
      if (part.length === 0) break
      into.set(part, filled)
      filled += part.length
    }
    return filled
  }

  private block(number: number): Promise<Uint8Array> {
    for (const held of this.blocks.keys()) if (Math.abs(held - number) > 1) this.blocks.delete(held)
    const block = this.ask(number)
    if ((number + 1) * BLOCK_BYTES < this.file.blob.size) this.ask(number + 1).catch(() => undefined)
    return block
  }

  private ask(number: number): Promise<Uint8Array> {
    const known = this.blocks.get(number)
    if (known !== undefined) return known
    const asked = readElsewhere(this.file, number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES)
    this.blocks.set(number, asked)
    return asked
  }

  close(): void {
    this.blocks.clear()
  }
}

/** A file by its address, in one answer from front to back: of one that is put in its place meanwhile nothing is mixed in. */
class AnswerOfAddress implements FileInReach {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>
  /** What came last: whoever scans goes back by no more than a slot. */
  private held: { readonly at: number; readonly bytes: Uint8Array }[] = []
  private came = 0

  constructor({ name, url, size }: AddressElsewhere) {
    this.reader = urlSource(name, url, size).stream().getReader()
  }

  seen(bytes: Uint8Array): Uint8Array {
    return bytes
  }

  async read(start: number, into: Uint8Array): Promise<number> {
    const end = start + into.length
    while (this.came < end) {
      const { done, value } = await this.reader.read()
      if (done) break
      this.held.push({ at: this.came, bytes: value })
      this.came += value.length
    }
    let filled = 0
    for (const { at, bytes } of this.held) {
      const from = start + filled - at
      if (from < 0 || from >= bytes.length) continue
      const part = bytes.subarray(from, from + into.length - filled)
      into.set(part, filled)
      filled += part.length
    }
    this.held = this.held.filter(({ at, bytes }) => at + bytes.length > end - INPUT_BYTES)
    return filled
  }

  close(): void {
    this.reader.cancel().catch(() => undefined)
  }
}
