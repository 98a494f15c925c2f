import type { ExportSink, ExportWriter } from './export-kind.ts'

export interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Keeps what an export writes. */
export class MemorySink implements ExportSink {
  private readonly written: { readonly name: string; readonly chunks: Uint8Array[] }[] = []

  async open(name: string): Promise<ExportWriter> {
    const chunks: Uint8Array[] = []
    this.written.push({ name, chunks })
    return {
      async write(bytes) {
        chunks.push(bytes)
      },
      async close() {},
    }
  }

  /** In the order in which they were opened. What they were written in is let go. */
  files(): NamedBytes[] {
    return this.written.map(({ name, chunks }) => ({ name, bytes: joinBytes(chunks.splice(0)) }))
  }
}

export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
