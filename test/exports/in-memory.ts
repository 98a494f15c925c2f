import { joinBytes } from '../../shared/containers/join-bytes.ts'
import { type ExportRequest, writeExport } from '../../shared/exports/export.ts'
import type { ExportOrigin, ExportSink, ExportWriter } from '../../shared/exports/export-kind.ts'
import type { NamedBytes } from '../../shared/session/requests/export.ts'

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

  /** In the order in which they were opened. */
  files(): NamedBytes[] {
    return this.written.map(({ name, chunks }) => ({ name, bytes: joinBytes(chunks) }))
  }
}

/** The files of an export, the manifest last. */
export async function exportRollouts(
  origin: ExportOrigin,
  request: ExportRequest,
  ...attendance: [] | [Parameters<typeof writeExport>[3]]
): Promise<readonly NamedBytes[]> {
  const files = new MemorySink()
  await writeExport(origin, request, files, ...attendance)
  return files.files()
}
