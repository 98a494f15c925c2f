import type { Pattern } from '../plant.ts'

/** Codes that are planted in one pattern alone: the one that they cannot have, and why. */
export const CANNOT_BE: Readonly<Record<string, { readonly pattern: Pattern; readonly why: string }>> = {
  A07: { pattern: 'systematic', why: 'the loss of a run is one place, and it takes two to show a pattern' },
  A09: {
    pattern: 'systematic',
    why: 'the components of a run are judged together, once: it takes two to show a pattern',
  },
  A11: {
    pattern: 'sporadic',
    why: 'that a scorer reads the replies is told by nearly all rollouts whose replies alone hold the answer',
  },
  C06: {
    pattern: 'sporadic',
    why: 'a penalty for being cut is one where all that were cut have it, and a place is a rollout that was cut',
  },
  C11: {
    pattern: 'systematic',
    why: 'the prompts of a dataset are held against one filter: it takes two to show a pattern',
  },
  L08: {
    pattern: 'systematic',
    why: 'a gap that grows is told of the later half of the steps, and scores that never move need a first time',
  },
}
