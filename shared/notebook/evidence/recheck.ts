import type { Evidence, EvidenceOrigin } from '../model.ts'
import type { Piece } from './pieces.ts'

type Value = Evidence['numbers'][number]['value'] | boolean

/** A number or a setting that is not what it was. */
export interface Moved {
  readonly name: string
  readonly was: Value
  readonly now: Value
}

/** What became of a pinned piece in the run it came from. */
export type Recheck =
  | { readonly state: 'unchanged' }
  | { readonly state: 'changed' | 'gone'; readonly numbers: readonly Moved[]; readonly settings: readonly Moved[] }

/** Numbers closer than this share of the larger are the same: sums may be taken in another order. */
const SAME = 1e-9

/**
 * Holds what was pinned against the same dump read now. `pieces` are those it may be among; `now` is what they were made under.
 * Other settings alone change nothing: they are told only where a number moved.
 */
export function recheck(
  evidence: Pick<Evidence, 'kind' | 'key' | 'numbers' | 'from'>,
  pieces: readonly Pick<Piece, 'kind' | 'key' | 'numbers'>[],
  now: Pick<EvidenceOrigin, 'version' | 'settings'>,
): Recheck {
  const { version, settings } = evidence.from
  const moved = movedIn(underWhich(version, settings), underWhich(now.version, now.settings))
  const found = pieces.find(({ kind, key }) => kind === evidence.kind && isSameKey(key, evidence.key))
  if (found === undefined) return { state: 'gone', numbers: [], settings: moved }
  const numbers = movedIn(byName(evidence.numbers), byName(found.numbers))
  return numbers.length === 0 ? { state: 'unchanged' } : { state: 'changed', numbers, settings: moved }
}

function byName(numbers: Evidence['numbers']): Map<string, Value> {
  return new Map(numbers.map(({ name, value }) => [name, value]))
}

function underWhich(version: string, settings: EvidenceOrigin['settings']): Map<string, Value> {
  return new Map<string, Value>([['program', version], ...Object.entries(settings)])
}

function isSameKey(a: Evidence['key'], b: Evidence['key']): boolean {
  return Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((name) => a[name] === b[name])
}

function movedIn(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>): Moved[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, now] = [before.get(name) ?? null, after.get(name) ?? null]
    return isSame(was, now) ? [] : [{ name, was, now }]
  })
}

function isSame(a: Value, b: Value): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b
  return Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b))
}
