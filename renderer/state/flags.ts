import { create } from 'zustand'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'

export interface FlagsState {
  /** Keys (`flagKey`) of everything flagged, in any dump. */
  readonly flagged: ReadonlySet<string>
  /** Rollouts of the open dump that are flagged, by index, ascending. */
  readonly here: readonly number[]
}

export const useFlags = create<FlagsState>()(() => ({ flagged: new Set(), here: [] }))

/** What a flag hangs on: the content of the record and the part, never a file name or a position. */
export function flagKey(facts: Pick<TrajectoryFacts, 'recordHash' | 'place'>): string {
  return `${facts.recordHash}.${facts.place.part}`
}
