import { create } from 'zustand'
import type { Address } from './address.ts'

export interface Resume {
  readonly address: Address | null
  /** What the dump was compared with then, by its files; null where there was nothing or it is not known. */
  readonly beside: string | null
  /** The dump has grown since. */
  readonly isGrown: boolean
}

/** Where a person was in the open dump before, until they go there or say no. */
export const useResume = create<Resume>()(() => ({ address: null, beside: null, isGrown: false }))
