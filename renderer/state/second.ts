import { create } from 'zustand'
import type { ComparedRun, Progress, SourceInput } from '../../shared/session/protocol.ts'

/** The run beside which the open one is judged. */
export interface SecondState {
  /** What was chosen, be it read already or not; null where there is no second run. */
  readonly chosen: readonly SourceInput[] | null
  /** What is compared with; null until all of it has been read. */
  readonly run: ComparedRun | null
  readonly progress: Progress | null
  /** It is read, and what its files hash to is still to come. */
  readonly hashing: boolean
  /** Hash of the second run that a link points into; null where no link asked for one. */
  readonly wanted: string | null
}

/** Nothing chosen. */
export const NO_SECOND: Omit<SecondState, 'wanted'> = {
  chosen: null,
  run: null,
  progress: null,
  hashing: false,
}

export const useSecond = create<SecondState>()(() => ({ ...NO_SECOND, wanted: null }))
