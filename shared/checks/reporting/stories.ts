import { STORIES } from './fixture-stories.ts'

/** What the fixtures of a check show, in a sentence each. */
export interface CheckStory {
  /** A dump that has the fault. */
  readonly trips: string
  /** One that only looks as if it had. */
  readonly nearMiss: string
  /** Ids of the defects in whose fixtures the check fails; absent where it fails in none. */
  readonly defects?: readonly string[]
}

export function storyOf(code: string): CheckStory | null {
  return STORIES[code] ?? null
}
