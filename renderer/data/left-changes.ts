import type { Delta } from '../../shared/notebook/delta.ts'

/** A change of the notebook under a name of its own, by which it is known whether it is in what is stored. */
export interface NamedChange {
  readonly id: string
  readonly delta: Delta
}

/** What a window left as it went. */
export interface LeftChanges {
  readonly key: string
  /** As it stands in storage. */
  readonly text: string
  readonly changes: readonly NamedChange[]
}

/** What is needed of `localStorage`. */
export type LeavingPlace = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const PREFIX = 'rollout-inspector.notebook-left.'

/** The one storage of a browser that takes something from a page in its last moment; null where it is shut. */
export function leavingPlace(): LeavingPlace | null {
  try {
    return globalThis.localStorage
  } catch {
    return null
  }
}

/** Leaves changes for the window that comes next, in the place of what this window left before. False where there is no room. */
export function leaveChanges(place: LeavingPlace, window: string, changes: readonly NamedChange[]): boolean {
  try {
    place.setItem(`${PREFIX}${window}`, JSON.stringify(changes))
    return true
  } catch {
    return false
  }
}

/** What windows left. What is none of it stays where it is. */
export function leftChanges(place: LeavingPlace): LeftChanges[] {
  const keys = Array.from({ length: place.length }, (_, at) => place.key(at) ?? '')
  return keys
    .filter((key) => key.startsWith(PREFIX))
    .flatMap((key) => {
      const text = place.getItem(key) ?? ''
      try {
        const changes: unknown = JSON.parse(text)
        return Array.isArray(changes) && changes.every(isNamed) ? [{ key, text, changes }] : []
      } catch {
        return []
      }
    })
}

/** Forgets what is stored by now, unless its window has left something else since. */
export function forgetLeft(place: LeavingPlace, left: readonly LeftChanges[]): void {
  for (const { key, text } of left) if (place.getItem(key) === text) place.removeItem(key)
}

function isNamed(value: unknown): value is NamedChange {
  const { id, delta } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' && typeof delta === 'object' && delta !== null
}
