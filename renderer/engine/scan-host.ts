import { INPUT_BYTES } from '../../shared/containers/kernel/kernel.ts'
import type { FileInReach, ScanWorkerHost } from '../../shared/session/audit/scan-worker.ts'
import { type AddressElsewhere, type BlobElsewhere, readElsewhere, urlSource } from './byte-sources.ts'
import { fastSha256 } from './sha256.ts'

type Elsewhere = BlobElsewhere | AddressElsewhere

/** What the page lends a scan worker. Hashing takes it as long as all else: it hashes what would have to come again for that. */
export const scanHost: ScanWorkerHost = {
  async createSha256(elsewhere) {
    return isBlob(elsewhere as Elsewhere) ? null : ((await fastSha256())?.() ?? null)
  },
  open(given) {
    const elsewhere = given as Elsewhere
    return isBlob(elsewhere) ? new StreamOfFile(elsewhere) : new AnswerOfAddress(elsewhere)
  },
}

function isBlob(elsewhere: Elsewhere): elsewhere is BlobElsewhere {
  return 'blob' in elsewhere
}

/** Bytes that are taken out of a stream at once, at most: they are still at hand when they are copied. */
const PIECE_BYTES = 128 << 10
/** After so many bytes it is asked whether the file is still the one that was given. Each question takes a millisecond of the browser. */
const ASKED_AFTER = 8 << 20
/** Bytes that are copied at once where both sides begin at the same place of them. */
const WORD = 8

/**
 * A file by one stream, from front to back. By slices the browser makes memory for each that it shares with this thread, and reads take three times as
 * long; but it looks whether the file has changed only where it begins to read.
 */
class StreamOfFile implements FileInReach {
  private readonly next: (at: number) => Promise<Uint8Array | null>
  private readonly reader: ReadableStreamGenericReader
  /** What came last, and where in the file it is. */
  private piece: Uint8Array = new Uint8Array(0)
  private pieceAt = 0
  private askedAt = 0
  private isAsFound: Promise<unknown> = Promise.resolve()

  constructor(private readonly file: BlobElsewhere) {
    const { reader, next } = piecesOf(file.blob)
    this.reader = reader
    this.next = next
  }

  seen(bytes: Uint8Array): Uint8Array {
    return bytes
  }

  async read(start: number, into: Uint8Array): Promise<number> {
    let filled = 0
    if (start < this.pieceAt) {
      // A record that no slot holds is read again.
      const before = await readElsewhere(this.file, start, Math.min(this.pieceAt, start + into.length))
      into.set(before)
      filled = before.length
    }
    while (filled < into.length) {
      const from = start + filled - this.pieceAt
      if (from >= this.piece.length) {
        if (!(await this.goOn())) break
        continue
      }
      const part = this.piece.subarray(from, from + into.length - filled)
      into.set(part, filled)
      filled += part.length
    }
    return filled
  }

  /** False at the end of the file. */
  private async goOn(): Promise<boolean> {
    const at = this.pieceAt + this.piece.length
    const piece = await this.next(at)
    if (piece === null) return false
    this.piece = piece
    this.pieceAt = at
    const end = at + piece.length
    const isLast = end === this.file.blob.size
    if (isLast || end - this.askedAt >= ASKED_AFTER) {
      await this.isAsFound
      this.askedAt = end
      this.isAsFound = readElsewhere(this.file, end - 1, end)
      this.isAsFound.catch(() => undefined)
      if (isLast) await this.isAsFound
    }
    return true
  }

  close(): void {
    this.reader.cancel().catch(() => undefined)
  }
}

/** The pieces of a file, each of which stands until the next is asked for; null behind the last. */
function piecesOf(blob: Blob): {
  reader: ReadableStreamGenericReader
  next(at: number): Promise<Uint8Array | null>
} {
  const stream = blob.stream()
  try {
    const reader = stream.getReader({ mode: 'byob' })
    let memory = new ArrayBuffer(WORD + PIECE_BYTES)
    const next = async (at: number) => {
      const { done, value } = await reader.read(new Uint8Array(memory, at % WORD, PIECE_BYTES))
      if (done || value === undefined) return null
      memory = value.buffer
      return value
    }
    return { reader, next }
  } catch {
    // A browser whose files do not stream into memory that they are given.
    const reader = stream.getReader()
    return { reader, next: async () => (await reader.read()).value ?? null }
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
