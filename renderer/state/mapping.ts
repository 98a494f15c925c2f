import { create } from 'zustand'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'

/** A file of no known format, with what is needed to open it once a person has said where its fields stand. */
export interface Unmapped {
  /** As it is shown; a file in an archive has the archive's name before its own. */
  readonly name: string
  /** The sentence with which it was refused, by which it is found again where that is shown. */
  readonly message: string
  readonly source: SourceInput
  /** Everything that was opened with it. */
  readonly sources: readonly SourceInput[]
  readonly options: AuditOptions
}

export interface MappingState {
  readonly refused: readonly Unmapped[]
  /** What the dialog is about. */
  readonly chosen: Unmapped | null
}

/** Files are held as long as they stand here. */
const MOST_REFUSED = 50

export const useMapping = create<MappingState>()(() => ({ refused: [], chosen: null }))

/** What was opened under a name of the report, or holds it where that is an archive. */
export function sourceNamed(sources: readonly SourceInput[], name: string): SourceInput | undefined {
  return sources.find((each) => name === each.name || name.startsWith(`${each.name} › `))
}

export function addUnmapped(files: readonly Unmapped[]): void {
  const messages = new Set(files.map(({ message }) => message))
  useMapping.setState(({ refused }) => ({
    refused: [...refused.filter(({ message }) => !messages.has(message)), ...files].slice(-MOST_REFUSED),
  }))
}
