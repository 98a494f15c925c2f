import { create } from 'zustand'
import type { Evidence } from '../../shared/notebook/model.ts'
import { openDialog } from './view.ts'

/** What was asked to be pinned: the first piece of this kind whose key has all of this. */
export interface Wanted {
  readonly kind: Evidence['kind']
  readonly key: Evidence['key']
}

/** Null where what is on screen was meant as a whole. */
export const usePin = create<{ readonly wanted: Wanted | null }>()(() => ({ wanted: null }))

/** Opens the dialog that pins evidence, with one piece chosen in it or the nearest to the eye. */
export function openPin(wanted: Wanted | null = null): void {
  usePin.setState({ wanted })
  openDialog('pin')
}
