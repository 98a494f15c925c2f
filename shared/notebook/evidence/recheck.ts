import type { Evidence, EvidenceOrigin } from '../model.ts'
import { laterNames, withoutTitle } from './former-names.ts'
import type { Piece } from './pieces.ts'

type Value = Evidence['numbers'][number]['value'] | boolean

/** A number or a setting that is not what it was. */
export interface Moved {
  readonly name: string
  readonly was: Value
  readonly now: Value
}

/** What became of a pinned piece in the run it came from. `nowCalled`: the title of the measure that it is by now, where that has another name. */
export type Recheck =
  | { readonly state: 'unchanged'; readonly nowCalled?: string }
  | {
      readonly state: 'changed' | 'gone'
      readonly numbers: readonly Moved[]
      readonly settings: readonly Moved[]
      readonly nowCalled?: string
    }

/** Numbers closer than this share of the larger are the same: sums may be taken in another order. */
const SAME = 1e-9

type FoundPiece = Pick<Piece, 'kind' | 'key' | 'numbers' | 'title'>

/**
 * Holds what was pinned against the same dump read now. `pieces` are those it may be among; `now` is what they were made under.
 * Other settings alone change nothing: they are told only where a number moved.
 */
export function recheck(
  evidence: Pick<Evidence, 'kind' | 'key' | 'numbers' | 'from'>,
  pieces: readonly FoundPiece[],
  now: Pick<EvidenceOrigin, 'version' | 'settings'>,
): Recheck {
  const { version, settings } = evidence.from
  const moved = movedIn(underWhich(version, settings), underWhich(now.version, now.settings))
  const same = pieces.find(({ kind, key }) => kind === evidence.kind && isSameKey(key, evidence.key))
  const renamed = same === undefined ? underLaterName(evidence, pieces) : undefined
  const found = same ?? renamed
  if (found === undefined) return { state: 'gone', numbers: [], settings: moved }
  const [before, after] = [byName(evidence.numbers), byName(found.numbers)]
  if (renamed === undefined) return judged(movedIn(before, after), moved)
  // What is held against what may have changed with the name: only what both have can have moved, and no threshold of another measure.
  const isOther = withoutTitle(evidence.key.measure ?? '') !== withoutTitle(renamed.key.measure ?? '')
  const numbers = movedIn(before, after).filter(
    ({ name }) => before.has(name) && after.has(name) && !(isOther && name === 'threshold'),
  )
  return { ...judged(numbers, moved), nowCalled: renamed.title }
}

function judged(numbers: readonly Moved[], settings: readonly Moved[]): Recheck {
  return numbers.length === 0 ? { state: 'unchanged' } : { state: 'changed', numbers, settings }
}

/** The measure that was called as the evidence says, before it or the check that it is of was called otherwise. */
function underLaterName(
  { kind, key: { hypothesis = '', measure = '' } }: Pick<Evidence, 'kind' | 'key'>,
  pieces: readonly FoundPiece[],
): FoundPiece | undefined {
  if (kind !== 'measure') return undefined
  const own = pieces.filter((piece) => piece.kind === kind && piece.key.hypothesis === hypothesis)
  const names = [...laterNames(hypothesis, measure), measure]
  const called = (name: string) => own.find(({ key }) => key.measure === name)
  const ofCode = (name: string) =>
    withoutTitle(name) === name
      ? undefined
      : own.find(({ key }) => withoutTitle(key.measure ?? '') === withoutTitle(name))
  return firstOf(names, called) ?? firstOf(names, ofCode)
}

function firstOf<Value, Found>(values: readonly Value[], find: (value: Value) => Found | undefined): Found | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
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
