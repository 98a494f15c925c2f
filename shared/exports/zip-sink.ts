import { Zip, ZipDeflate } from 'fflate'
import type { ExportSink, ExportWriter } from './export-kind.ts'
import { bytesText } from './phrases.ts'

/** The largest pieces that are packed at once, in bytes. */
const PIECE = 1 << 20

/** Sizes and places are numbers of 32 bits here: a larger archive would be written and could not be read (APPNOTE 4.3.9, without zip64). */
const MOST_BYTES = 2 ** 32 - 1

/** Puts the files of an export into one ZIP archive, which goes on to a writer as it grows. Throws a sentence where they do not fit. */
export class ZipSink implements ExportSink {
  private readonly zip: Zip
  private readonly packed: Uint8Array[] = []
  private failure: Error | null = null
  /** Bytes of the archive so far. */
  private written = 0

  constructor(
    private readonly archive: ExportWriter,
    private readonly most = MOST_BYTES,
  ) {
    this.zip = new Zip((error, chunk) => {
      if (error !== null) this.failure = error
      else this.packed.push(chunk)
    })
  }

  async open(name: string): Promise<ExportWriter> {
    const entry = new ZipDeflate(name, { level: 6 })
    // The same export gives the same archive: the earliest time that the format knows.
    entry.mtime = new Date(1980, 0, 1)
    this.zip.add(entry)
    let unpacked = 0
    return {
      write: async (bytes) => {
        unpacked += bytes.length
        if (unpacked > this.most) throw this.tooLarge()
        for (let at = 0; at < bytes.length; at += PIECE) entry.push(bytes.slice(at, at + PIECE))
        await this.handOn()
      },
      close: async () => {
        entry.push(new Uint8Array(0), true)
        await this.handOn()
      },
    }
  }

  /** Writes the archive's directory and ends it. */
  async close(): Promise<void> {
    this.zip.end()
    await this.handOn()
    await this.archive.close()
  }

  private async handOn(): Promise<void> {
    if (this.failure !== null) throw this.failure
    for (const chunk of this.packed.splice(0)) {
      this.written += chunk.length
      if (this.written > this.most) throw this.tooLarge()
      await this.archive.write(chunk)
    }
  }

  private tooLarge(): Error {
    return new Error(
      `A ZIP archive, and each file in it, holds ${bytesText(this.most)} at most: this export is larger. Save its files one by one, or choose fewer rollouts.`,
    )
  }
}
