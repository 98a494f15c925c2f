import { create } from 'zustand'
import type { Address } from './address.ts'

export interface Resume {
  readonly address: Address | null
  /** What the dump was compared with then, by its files; null where there was nothing or it is not known. */
  readonly beside: string | null
  /** The dump has grown since: by files that are open beside those of then, so many of them, or in one of these; null where it is as it was. */
  readonly grownBy: { readonly files: number } | null
}

/** Where a person was in the open dump before, until they go there or say no. */
export const useResume = create<Resume>()(() => ({ address: null, beside: null, grownBy: null }))
