import { create } from 'zustand'

/** Pixels that a person gave the list of findings below the tokens; null = what the window leaves it. */
export const useFindingsHeight = create<{ readonly height: number | null }>()(() => ({ height: null }))

/** Two lines of it. */
export const LEAST_HEIGHT = 56
/** The rest of the window belongs to the tokens. */
const LARGEST_SHARE = 0.6

export function mostHeight(windowHeight: number): number {
  return Math.max(LEAST_HEIGHT, Math.round(windowHeight * LARGEST_SHARE))
}

export function setFindingsHeight(height: number | null, windowHeight: number): void {
  useFindingsHeight.setState({
    height: height === null ? null : Math.round(Math.min(mostHeight(windowHeight), Math.max(LEAST_HEIGHT, height))),
  })
}
