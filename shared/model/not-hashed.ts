import { lostFiles } from './lost-files.ts'
import type { SourceReport } from './report.ts'

/** A note on a source whose SHA-256 was left until all was judged, and could not be had then. */
export const NOT_HASHED =
  'Its SHA-256 is not known: it changed, or could not be read any more, when all was judged and it was to be hashed.'

/** Why a source has no SHA-256, in a sentence; null where it has one. */
export function whyNotHashed(source: SourceReport): string | null {
  if (source.sha256 !== null) return null
  if (source.notes?.includes(NOT_HASHED)) return NOT_HASHED
  const lost = source.unreadable ?? lostFiles({ sources: [source] })[0]
  if (lost !== undefined) return `Its SHA-256 is not known: ${lost.message}`
  return 'Its SHA-256 is not known: it was followed while it was written, or not all of it was read when this was.'
}
