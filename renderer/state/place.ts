import { create } from 'zustand'
import type { View } from './view.ts'

/** Where a person is inside a view: names to texts. It stands in the page's address, so anyone may have typed it: a view checks what it takes out. */
export type Place = Readonly<Record<string, string>>

export const NOWHERE: Place = {}

/** The place in every view that has been left or is on screen. */
export const usePlaces = create<Readonly<Partial<Record<View, Place>>>>()(() => ({}))

/** Sets what is named, and takes away what is null. */
export function goTo(view: View, change: Readonly<Record<string, string | null>>): void {
  usePlaces.setState((places) => {
    const kept = Object.entries({ ...places[view], ...change }).filter(([, value]) => value !== null)
    return { [view]: Object.fromEntries(kept) as Place }
  })
}

/** Another dump has other places. Those of the notebook belong to no dump. */
export function forgetPlaces(): void {
  usePlaces.setState((places) => ({ ...(places.notebook ? { notebook: places.notebook } : {}) }), true)
}

export function usePlace(view: View): Place {
  return usePlaces((places) => places[view] ?? NOWHERE)
}
