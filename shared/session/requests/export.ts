import type { ExportRequest } from '../../exports/export.ts'
import type { NamedBytes } from '../../exports/memory-sink.ts'

export interface ExportFile {
  /** One per source that has rows in the export, and the manifest; or one archive of these. */
  readonly files: readonly NamedBytes[]
}

/** Rollouts that were read again so far, of those that are exported. */
export interface ExportProgress {
  readonly done: number
  readonly of: number
}

export interface ExportRequests {
  /** Nothing of an export that is cancelled is answered. `zip`: the name of one archive that all files go into. */
  export: { input: ExportRequest & { readonly zip?: string }; output: ExportFile; partial: ExportProgress }
}
