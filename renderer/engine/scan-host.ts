import type { FileInReach, ScanWorkerHost } from '../../shared/session/scan-worker.ts'
import { BLOCK_BYTES, type BlobElsewhere, readElsewhere } from './byte-sources.ts'

/** What the page lends a scan worker, which hashes nothing: here that takes as long as all that it does. */
export const scanHost: ScanWorkerHost = {
  open: (elsewhere) => new BlocksOfFile(elsewhere as BlobElsewhere),
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
