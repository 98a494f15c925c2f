import { create } from 'zustand'
import type { ExportId } from '../../shared/exports/export-kind.ts'
import type { TableFormat } from '../../shared/exports/table-text.ts'
import type { ExportProgress } from '../../shared/session/requests/export.ts'

/** Rollouts that may be exported together. */
export interface ExportSubject {
  readonly id: string
  /** `Flagged rollouts` */
  readonly title: string
  /** Which these are, where the title does not say it. */
  readonly says: string | null
  /** Null where they are counted only when they are asked for. */
  readonly rollouts: number | null
  /** For the manifest. */
  readonly why: string
  /** Rows that were masked whole on purpose are repaired with the others, where masks are. */
  readonly repairMaskedWhole?: boolean
  indices(): ArrayLike<number> | Promise<ArrayLike<number>>
}

/** `files`: one after the other, as browsers and the shell save; `folder`: into a folder that the browser lets a page write to. */
export const EXPORT_PLACES = ['files', 'zip', 'folder'] as const
export type ExportPlace = (typeof EXPORT_PLACES)[number]

/** A table that is on screen, as it may be saved. */
export interface SavedTable {
  /** Behind “Save”: `12 groups`, `the comparison`. */
  readonly what: string
  /** The file's name without its ending. */
  readonly stem: string
  make(as: TableFormat, signal: AbortSignal): Promise<string | Uint8Array>
}

/** How a person wants rollouts and tables written; kept for the next time. */
export interface ExportChoice {
  readonly as: ExportId
  readonly table: TableFormat
  readonly repairMasks: boolean
  readonly place: ExportPlace
}

const STANDARD_EXPORT: ExportChoice = { as: 'source', table: 'csv', repairMasks: false, place: 'files' }

/** An export under way. */
export interface ExportJob {
  /** `64 rollouts` */
  readonly what: string
  /** Null until the engine has told anything. */
  readonly progress: ExportProgress | null
  stop(): void
}

interface ExportingState {
  /** What the dialog offers, and which of it is chosen to begin with. */
  readonly subjects: readonly ExportSubject[]
  readonly first: string
  /** Masks are repaired whatever was chosen the last time. */
  readonly repairs: boolean
  readonly choice: ExportChoice
  /** What the dialog for tables is about. */
  readonly table: SavedTable | null
  readonly job: ExportJob | null
}

export const useExporting = create<ExportingState>()(() => ({
  subjects: [],
  first: '',
  repairs: false,
  choice: STANDARD_EXPORT,
  table: null,
  job: null,
}))
