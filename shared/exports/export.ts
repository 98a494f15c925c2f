import { type ExportId, type ExportInput, type ExportOrigin, type ExportSink, REPAIRED } from './export-kind.ts'
import { createManifest, type Manifest } from './manifest.ts'
import { exportById } from './registry.ts'
import { repaired } from './repair.ts'

export const MANIFEST_NAME = 'manifest.json'

export interface ExportRequest {
  readonly as: ExportId
  /** Chosen trajectories, by their index in report order; any order, repeats count once. */
  readonly indices: readonly number[]
  /** The question that chose them, for the manifest: `finding at or above error`. */
  readonly why: string
  /** Write the masks that the structure oracle wants in place of those that are stored. */
  readonly repairMasks?: boolean
}

/**
 * Writes the chosen trajectories in report order, then the manifest. Throws what the sink or `load` throws, the signal's
 * reason, and a sentence when nothing was chosen: an export is never an empty file.
 */
export async function writeExport(
  origin: ExportOrigin,
  request: ExportRequest,
  sink: ExportSink,
  signal?: AbortSignal,
): Promise<Manifest> {
  const indices = [...new Set(request.indices)].sort((a, b) => a - b)
  if (indices.length === 0) throw new Error('No rollout was chosen, so there is nothing to export.')
  const unknown = indices.find((index) => origin.facts[index] === undefined)
  if (unknown !== undefined) throw new Error(`There is no rollout ${unknown}; there are ${origin.facts.length}.`)
  const repairs = request.repairMasks === true
  if (repairs && !REPAIRED.includes(request.as))
    throw new Error(`Masks are repaired in exports as ${REPAIRED.join(', ')}, not as ${request.as}.`)
  const plain = abortable(origin, signal)
  const { origin: mended, changed } = repaired(plain)
  // The source's own records are changed where they stand, from the mask that they hold.
  const given = repairs && request.as !== 'source' ? mended : plain
  const input: ExportInput = { origin: given, report: origin.report(), indices, repairs }
  const outcome = await exportById(request.as).write(input, sink)
  if (repairs && request.as === 'source') for (const index of indices) await mended.load(index)
  const manifest = createManifest(request, input, outcome, repairs ? changed : null)
  const writer = await sink.open(MANIFEST_NAME)
  await writer.write(new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`))
  await writer.close()
  return manifest
}

/** The same, kept in memory: for a page, which hands files to a person as downloads. The manifest is the last file. */
export async function exportRollouts(
  origin: ExportOrigin,
  request: ExportRequest,
  signal?: AbortSignal,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }[]> {
  const files: { name: string; chunks: Uint8Array[] }[] = []
  const sink: ExportSink = {
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
  }
  await writeExport(origin, request, sink, signal)
  return files.map(({ name, chunks }) => ({ name, bytes: concatenate(chunks) }))
}

/** Every trajectory is read again, one at a time: there an export can be stopped. */
function abortable(origin: ExportOrigin, signal: AbortSignal | undefined): ExportOrigin {
  return {
    report: () => origin.report(),
    facts: origin.facts,
    codesOf: (index) => origin.codesOf(index),
    metadataOf: (source) => origin.metadataOf(source),
    load(index) {
      signal?.throwIfAborted()
      return origin.load(index)
    },
  }
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
