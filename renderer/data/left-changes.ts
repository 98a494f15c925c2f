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
  /** ISO 8601; empty where it is not known. */
  readonly leftAt: string
  readonly changes: readonly NamedChange[]
  /** What is no change that this version knows. */
  readonly others: readonly unknown[]
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

/**
 * Leaves changes for the window that comes next, in the place of what this window left before. False where there is no room.
 *
 * @param leftAt ISO 8601
 */
export function leaveChanges(
  place: LeavingPlace,
  window: string,
  changes: readonly NamedChange[],
  leftAt: string,
): boolean {
  try {
    place.setItem(`${PREFIX}${window}`, JSON.stringify({ leftAt, changes }))
    return true
  } catch {
    return false
  }
}

/** What windows left, in the order in which they went: storage has orders of its own. */
export function leftChanges(place: LeavingPlace): LeftChanges[] {
  const keys = Array.from({ length: place.length }, (_, at) => place.key(at) ?? '')
  return keys
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => leftUnder(key, place.getItem(key) ?? ''))
    .sort((a, b) => (a.leftAt === b.leftAt ? 0 : a.leftAt < b.leftAt ? -1 : 1))
}

function leftUnder(key: string, text: string): LeftChanges {
  try {
    const read: unknown = JSON.parse(text)
    // Before there was a time beside them, the changes stood alone.
    const { leftAt, changes } = (Array.isArray(read) ? { leftAt: '', changes: read } : read) as Record<string, unknown>
    if (typeof leftAt !== 'string' || !Array.isArray(changes)) throw new TypeError('no changes')
    const others = changes.filter((change) => !isNamed(change))
    return { key, text, leftAt, changes: changes.filter(isNamed), others }
  } catch {
    return { key, text, leftAt: '', changes: [], others: [text] }
  }
}

/** Leaves of something only what could not be taken, unless its window has left something else since. */
export function keepLeft(place: LeavingPlace, { key, text, leftAt }: LeftChanges, rest: readonly unknown[]): void {
  if (place.getItem(key) !== text) return
  if (rest.length === 0) place.removeItem(key)
  else place.setItem(key, JSON.stringify({ leftAt, changes: rest }))
}

function isNamed(value: unknown): value is NamedChange {
  const { id, delta } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' && typeof delta === 'object' && delta !== null
}
