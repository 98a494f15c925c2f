import { create } from 'zustand'
import type { Address } from './address.ts'

/** Where a person was in the open dump before, until they go there or say no. */
export const useResume = create<{ readonly address: Address | null }>()(() => ({ address: null }))
