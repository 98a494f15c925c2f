import type { ExportId, ExportInput, ExportSink } from './export.ts'
import { createManifest, type Manifest } from './manifest.ts'
import { exportById } from './registry.ts'

export const MANIFEST_NAME = 'manifest.json'

/**
 * Writes the chosen trajectories in report order, then the manifest. Throws what the sink or `load` throws; a caller
 * that asked for nothing gets an error with a sentence, never an empty file.
 */
export async function writeExport(as: ExportId, input: ExportInput, sink: ExportSink): Promise<Manifest> {
  const indices = [...new Set(input.indices)].sort((a, b) => a - b)
  if (indices.length === 0) throw new Error('No rollout was chosen, so there is nothing to export.')
  const chosen: ExportInput = {
    report: input.report,
    facts: input.facts,
    findingsOf: (index) => input.findingsOf(index),
    load: (index) => input.load(index),
    indices,
    why: input.why,
  }
  const outcome = await exportById(as).write(chosen, sink)
  const manifest = createManifest(as, chosen, outcome)
  const writer = await sink.open(MANIFEST_NAME)
  await writer.write(new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`))
  await writer.close()
  return manifest
}

/** The same, kept in memory: for a page, which hands files to a person as downloads. The manifest is the last file. */
export async function exportToMemory(
  as: ExportId,
  input: ExportInput,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }[]> {
  const files: { name: string; chunks: Uint8Array[] }[] = []
  await writeExport(as, input, {
    async open(name) {
      const chunks: Uint8Array[] = []
      files.push({ name, chunks })
      return {
        async write(bytes) {
          chunks.push(bytes)
        },
        async close() {},
      }
    },
  })
  return files.map(({ name, chunks }) => ({ name, bytes: concatenate(chunks) }))
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
