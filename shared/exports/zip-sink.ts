import { Zip, ZipDeflate } from 'fflate'
import type { ExportSink, ExportWriter } from './export-kind.ts'

/** The largest pieces that are packed at once, in bytes. */
const PIECE = 1 << 20

/** Puts the files of an export into one ZIP archive, which goes on to a writer as it grows. */
export class ZipSink implements ExportSink {
  private readonly zip: Zip
  private readonly packed: Uint8Array[] = []
  private failure: Error | null = null

  constructor(private readonly archive: ExportWriter) {
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
    return {
      write: async (bytes) => {
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
    for (const chunk of this.packed.splice(0)) await this.archive.write(chunk)
  }
}
