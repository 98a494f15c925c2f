import type { ExportRequest } from '../../exports/export.ts'

export interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Tables and texts that are made at once. */
export interface ExportFile {
  readonly files: readonly NamedBytes[]
}

/** Rollouts that were read again so far, of those that are exported. */
export interface ExportProgress {
  readonly done: number
  readonly of: number
  /** All of them were, and what the files hash to is waited for. */
  readonly hashing?: true
}

/** What an export tells on its way: `files` first, then the bytes of one file after the other. */
export type ExportPart =
  | ({ readonly kind: 'progress' } & ExportProgress)
  | { readonly kind: 'files'; readonly names: readonly string[] }
  | ({ readonly kind: 'bytes' } & NamedBytes)

export interface ExportRequests {
  /**
   * Files of rollouts: one per source that has rows in the export, and the manifest; or one archive of these, named `zip`. `id` is the
   * page's own, of which no other export is under way. Bytes come as far as `exportGoesOn` lets them.
   */
  export: {
    input: ExportRequest & { readonly id: number; readonly zip?: string }
    output: Record<string, never>
    partial: ExportPart
  }
  /** So many bytes more may be told. */
  exportGoesOn: { input: { readonly id: number; readonly bytes: number }; output: Record<string, never> }
}
