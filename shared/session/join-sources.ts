import { decodeRecords } from '../containers/decode.ts'
import type { FormatJoin } from '../formats/format.ts'
import type { SourceReader } from '../formats/join.ts'
import { allNumericKeys } from '../formats/registry.ts'
import { Hash64 } from '../model/hash.ts'
import type { Place } from '../model/source.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { adds, joinedSource, type Ties } from './joined-source.ts'
import type { OpenSource } from './open-source.ts'

/** A rollout in a file that adds to others. */
interface Found {
  readonly place: Place
  readonly ids: string
  /** Sources that tell it. */
  readonly toldWith: Set<number>
}

/**
 * Joins the sources that hold parts of the same rollouts, as their formats declare it: each is read once for the keys and ids of its
 * rollouts, and the records of one are from then on read with those of the others that belong to them. Their notes say what share
 * was found. Sources that have nothing to be joined with stay as they are, and are not read.
 */
export async function joinSources(opened: readonly OpenSource[], signal?: AbortSignal): Promise<OpenSource[]> {
  const ties = opened.map(
    (): Ties => ({
      beside: new Map(),
      told: new Map(),
      batches: [],
      with: new Set(),
      rollouts: 0,
      matched: 0,
      differ: [],
    }),
  )
  const joined = new Set<number>()
  for (const members of membersByKey(opened).values()) {
    const adding = members.filter((source) => adds(opened[source] as OpenSource))
    const base = members.filter((source) => !adding.includes(source))
    if (adding.length === 0 || base.length === 0) continue
    try {
      await findTies(opened, ties, { adding, base }, signal)
      for (const source of members) joined.add(source)
    } catch {
      // A file that cannot be read to its end stands apart; the pass will say why.
      signal?.throwIfAborted()
    }
  }
  return opened.map((open, source) => (joined.has(source) ? joinedSource(open, source, opened, ties) : open))
}

/** How the records of any source are read, by its number. */
export function readerOf(opened: readonly OpenSource[]): (source: number) => SourceReader {
  return (source) => {
    const { format, recognition, container } = opened[source] as OpenSource
    return { format, context: { source, recognition, metadata: container.metadata } }
  }
}

function membersByKey(opened: readonly OpenSource[]): Map<string, number[]> {
  const members = new Map<string, number[]>()
  for (const [source, { format }] of opened.entries()) {
    const on = format.join?.on
    if (on !== undefined) members.set(on, [...(members.get(on) ?? []), source])
  }
  return members
}

async function findTies(
  opened: readonly OpenSource[],
  ties: readonly Ties[],
  { adding, base }: { readonly adding: readonly number[]; readonly base: readonly number[] },
  signal: AbortSignal | undefined,
): Promise<void> {
  const added = new Map<string, Found[]>()
  for (const source of adding) {
    for await (const { key, ids, place } of rolloutsOf(opened, ties, source, signal)) {
      if (key === null || ids === null) continue
      const found: Found = { place, ids, toldWith: new Set() }
      const same = added.get(key)
      if (same === undefined) added.set(key, [found])
      else same.push(found)
    }
  }
  for (const source of base) {
    const own = ties[source] as Ties
    for await (const { key, ids, place, id } of rolloutsOf(opened, ties, source, signal)) {
      const candidates = key === null ? [] : (added.get(key) ?? [])
      const found = candidates.filter((candidate) => candidate.ids === ids)
      if (found.length === 0 && candidates.length > 0) own.differ.push(id)
      if (found.length > 0) own.matched++
      for (const { place: other, toldWith } of found) {
        own.with.add(other.source)
        pushTo(own.beside, place.record, other)
        toldWith.add(source)
      }
    }
  }
  for (const found of added.values()) {
    for (const { place, toldWith } of found) {
      if (toldWith.size === 0) continue
      const own = ties[place.source] as Ties
      own.matched++
      for (const source of toldWith) own.with.add(source)
      pushTo(own.told, place.record, place.part)
    }
  }
}

interface Rollout {
  readonly key: string | null
  readonly ids: string | null
  readonly place: Place
  readonly id: string
}

/** Every rollout of a source, without its tokens. */
async function* rolloutsOf(
  opened: readonly OpenSource[],
  ties: readonly Ties[],
  source: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Rollout, void, undefined> {
  const { container } = opened[source] as OpenSource
  const own = ties[source] as Ties
  const { format, context } = readerOf(opened)(source)
  for await (const spans of container.index(signal ? { signal } : {})) {
    own.batches.push(spans)
    const { records } = await decodeRecords(await container.read(spans), allNumericKeys)
    for (const trajectory of format.read(records, context).trajectories) {
      own.rollouts++
      const { place, id } = trajectory
      yield { key: (format.join as FormatJoin).key(trajectory), ids: idsHash(trajectory), place, id }
    }
  }
  signal?.throwIfAborted()
}

function idsHash({ ids }: Trajectory): string | null {
  return ids === null ? null : new Hash64().words(ids).digest()
}

function pushTo<Value>(lists: Map<number, Value[]>, key: number, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
