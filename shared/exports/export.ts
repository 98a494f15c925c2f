import { AttendedOrigin, type ExportAttendance } from './attended.ts'
import { type ExportId, type ExportInput, type ExportOrigin, type ExportSink, REPAIRED } from './export-kind.ts'
import { createManifest, type Manifest, manifestText } from './manifest.ts'
import { exportById } from './registry.ts'
import { MaskRepairs, repaired } from './repair.ts'

export const MANIFEST_NAME = 'manifest.json'

export interface ExportRequest {
  readonly as: ExportId
  /** Chosen trajectories, by their index in report order; any order, repeats count once. */
  readonly indices: ArrayLike<number>
  /** The question that chose them, for the manifest: `finding at or above error`. */
  readonly why: string
  /** Write the masks that the structure oracle wants in place of those that are stored. */
  readonly repairMasks?: boolean
  /** Those of rows, too, that were masked whole because a limit cut them or a filter left them out. */
  readonly repairMaskedWhole?: boolean
}

/**
 * Writes the chosen trajectories in report order, then the manifest. Other work of the thread has its turn in between. Throws what the
 * sink or `load` throws, the signal's reason, and a sentence when nothing was chosen: an export is never an empty file.
 */
export async function writeExport(
  origin: ExportOrigin,
  request: ExportRequest,
  sink: ExportSink,
  attendance: ExportAttendance = {},
): Promise<Manifest> {
  const indices = distinct(request.indices)
  if (indices.length === 0) throw new Error('No rollout was chosen, so there is nothing to export.')
  const unknown = indices.find((index) => origin.facts[index] === undefined)
  if (unknown !== undefined) throw new Error(`There is no rollout ${unknown}; there are ${origin.facts.length}.`)
  const repairsMasks = request.repairMasks === true
  if (repairsMasks && !REPAIRED.includes(request.as))
    throw new Error(`Masks are repaired in exports as ${REPAIRED.join(', ')}, not as ${request.as}.`)
  const plain = new AttendedOrigin(origin, indices.length, attendance)
  const repairs = repairsMasks ? new MaskRepairs(request.repairMaskedWhole === true) : null
  // The source's own records are changed where they stand, from the mask that they hold.
  const given = repairs === null || request.as === 'source' ? plain : repaired(plain, repairs)
  const input: ExportInput = { origin: given, report: origin.report(), indices, repairs }
  const kind = exportById(request.as)
  await attendance.begin?.([...(await kind.names(input)), MANIFEST_NAME])
  const outcome = await kind.write(input, sink)
  const report = (await attendance.hashed?.(input.report)) ?? input.report
  const manifest = createManifest(request, { ...input, report }, outcome)
  const writer = await sink.open(MANIFEST_NAME)
  for (const piece of manifestText(manifest)) {
    await plain.pause()
    await writer.write(new TextEncoder().encode(piece))
  }
  await writer.close()
  return manifest
}

/** Ascending, each once. */
function distinct(indices: ArrayLike<number>): number[] {
  const sorted = Float64Array.from(indices).sort()
  return Array.from(sorted).filter((index, at) => at === 0 || index !== sorted[at - 1])
}
