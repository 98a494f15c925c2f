import type { RawRecord, RecordSpans } from '../../containers/container.ts'
import { decodeRecords } from '../../containers/decode.ts'
import { isObject } from '../../formats/fields.ts'
import type { FormatJoin, RolloutJoin } from '../../formats/format.ts'
import { joinName, pushTo, type SourceReader } from '../../formats/join.ts'
import { ownIds } from '../../formats/join-padding.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import { Hash64 } from '../../model/hash.ts'
import type { Place } from '../../model/source.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { BATCHES } from '../audit/pass.ts'
import { ToldBatches } from '../audit/told-batches.ts'
import { joinedSource, type Ties } from './joined-source.ts'
import type { OpenSource } from './open-source.ts'

/**
 * Joins the sources that hold parts of the same rollouts, as their formats declare it: each is read once for the keys of what it holds,
 * and the records of one are from then on read with those of the others that belong to them. Their notes say what share was found.
 * Sources that have nothing to be joined with stay as they are, and are not read.
 */
export async function joinSources(opened: readonly OpenSource[], signal?: AbortSignal): Promise<OpenSource[]> {
  const ties = opened.map((): Ties[] => [])
  const joining = [...families(opened)].filter(
    (members) => members.some(({ adds }) => adds) && members.some(({ adds }) => !adds),
  )
  const keys = new SourceKeys(joining.flat(), signal)
  for (const members of joining) {
    const adding = members.filter(({ adds }) => adds)
    const base = members.filter(({ adds }) => !adds)
    try {
      await findTies(adding, base, keys)
      for (const member of members) ties[member.source]?.push(member.ties)
    } catch {
      // A file that cannot be read to its end stands apart; the pass will say why.
      signal?.throwIfAborted()
    }
  }
  return opened.map((open, source) => joinedSource(open, ties[source] as Ties[], keys.told(source), opened))
}

/** How the records of any source are read, by its number. */
export function readerOf(opened: readonly OpenSource[]): (source: number) => SourceReader {
  return (source) => {
    const { format, recognition, container, run } = opened[source] as OpenSource
    return { format, context: { source, recognition, metadata: container.metadata, run } }
  }
}

/** A source as one of those that are joined by one thing. */
interface Member {
  readonly source: number
  readonly open: OpenSource
  readonly join: FormatJoin
  readonly adds: boolean
  readonly ties: Ties
}

function families(opened: readonly OpenSource[]): Iterable<readonly Member[]> {
  const members = new Map<string, Member[]>()
  for (const [source, open] of opened.entries()) {
    for (const join of open.format.joins ?? []) {
      const adds = join.adds(open.recognition, open.source.name)
      const ties: Ties = {
        on: join.on,
        kind: join.kind,
        by: joinName(join),
        adds,
        beside: new Map(),
        told: new Map(),
        batches: new Map(),
        present: 0,
        matched: 0,
        differ: [],
      }
      pushTo(members, joinName(join), { source, open, join, adds, ties })
    }
  }
  return members.values()
}

/** What a source holds under a key. */
interface Keyed {
  readonly keys: readonly string[]
  /** Of the token ids, where these must be the same as well. */
  readonly ids: string | null
  /** Null where a rollout does not know its own: it is then that of any step. */
  readonly step: number | null
  readonly place: Place
  readonly id: string
  /** A copy that fills up a batch, and adds nothing. */
  readonly fills: boolean
}

interface Found extends Keyed {
  readonly toldBy: Set<Member>
}

interface Candidate {
  readonly member: Member
  readonly found: Found
}

async function findTies(adding: readonly Member[], base: readonly Member[], keysOf: SourceKeys) {
  const added = new Map<string, Candidate[]>()
  const all: Candidate[] = []
  for (const member of adding) {
    for await (const keyed of keysOf.of(member)) {
      const one = { member, found: { ...keyed, toldBy: new Set<Member>() } }
      all.push(one)
      for (const key of keyed.keys) pushTo(added, key, one)
    }
  }
  for (const member of base) {
    const { ties } = member
    for await (const { keys, ids, step, place, id, fills } of keysOf.of(member)) {
      const candidates = keys
        .flatMap((key) => added.get(key) ?? [])
        .filter(({ found }) => found.step === null || step === null || found.step === step)
      const same = candidates.filter(({ found }) => found.ids === ids)
      const real = fills ? [] : same.filter(({ found }) => !found.fills)
      const own = member.join.kind === 'rollouts' ? oneOfEach(real) : real
      for (const { found } of same) if (found.fills) found.toldBy.add(member)
      if (own.length > 0) ties.matched++
      else if (same.length === 0 && candidates.length > 0) ties.differ.push(id)
      for (const { member: other, found } of own) {
        pushTo(ties.beside, place.record, { part: place.part, other: found.place })
        ties.batches.set(other.source, keysOf.batches(other))
        found.toldBy.add(member)
      }
    }
  }
  for (const { member, found } of all) {
    if (found.toldBy.size === 0) continue
    const { ties } = member
    ties.matched++
    for (const { source } of found.toldBy) ties.batches.set(source, keysOf.batches(member))
    // A record about others is a rollout of its own at most where there are none.
    pushTo(ties.told, found.place.record, found.place.part)
  }
}

/**
 * Of the rollouts with the same key and ids one of each source: the first that is not told yet. Where several rollouts were written alike,
 * as answers of a few words are, each is told once.
 */
function oneOfEach(same: readonly Candidate[]): Candidate[] {
  const free = same.filter(({ found }) => found.toldBy.size === 0)
  const first = new Map<Member, Candidate>()
  for (const candidate of free.toReversed()) first.set(candidate.member, candidate)
  return [...first.values()]
}

/** Reads the sources for their keys, each once, however many ways there are to join it. */
class SourceKeys {
  private readonly found = new Map<number, { readonly batches: RecordSpans[]; readonly told: ToldBatches }>()
  private readonly members = new Map<number, Member[]>()
  /** Of sources that are joined in several ways, by their number. */
  private readonly kept = new Map<number, Promise<Map<Member, Keyed[]>>>()

  constructor(
    members: readonly Member[],
    private readonly signal: AbortSignal | undefined,
  ) {
    for (const member of members) {
      pushTo(this.members, member.source, member)
      this.found.set(member.source, { batches: [], told: new ToldBatches() })
    }
  }

  /** The batches of a source that was read. */
  batches({ source }: Member): readonly RecordSpans[] {
    return this.found.get(source)?.batches ?? []
  }

  /** What was found of its batches beside the keys; null for a source that was not read. */
  told(source: number): ToldBatches | null {
    return this.found.get(source)?.told ?? null
  }

  /** Everything in a source that can be found by a key, without its tokens. */
  async *of(member: Member): AsyncGenerator<Keyed, void, undefined> {
    const { source, ties } = member
    const all = this.members.get(source) as readonly Member[]
    if (all.length === 1) {
      for await (const [, keyed] of this.read(all)) {
        ties.present++
        yield keyed
      }
      return
    }
    let kept = this.kept.get(source)
    if (kept === undefined) {
      kept = this.keep(all)
      this.kept.set(source, kept)
    }
    for (const keyed of (await kept).get(member) ?? []) {
      ties.present++
      yield keyed
    }
  }

  private async keep(members: readonly Member[]): Promise<Map<Member, Keyed[]>> {
    const kept = new Map<Member, Keyed[]>()
    for await (const [member, keyed] of this.read(members)) pushTo(kept, member, keyed)
    return kept
  }

  /** @param members of one source, to be read for each */
  private async *read(members: readonly Member[]): AsyncGenerator<readonly [Member, Keyed], void, undefined> {
    const { source, open } = members[0] as Member
    const { container, format, recognition, run } = open
    const { batches, told } = this.found.get(source) as { batches: RecordSpans[]; told: ToldBatches }
    const context = { source, recognition, metadata: container.metadata }
    // What only notes are taken from is read as rollouts where it is audited.
    const readsRollouts = members.some(({ join }) => join.kind === 'rollouts')
    for await (const spans of container.index(this.signal ? { ...BATCHES, signal: this.signal } : BATCHES)) {
      batches.push(spans)
      const parsed = await decodeRecords(await container.read(spans), allNumericKeys)
      const read = readsRollouts ? format.read(parsed.records, context) : null
      if (read !== null && members.some(({ adds }) => adds)) told.add(spans, parsed, read, run)
      for (const member of members) {
        const { join } = member
        const found =
          join.kind === 'rollouts'
            ? (read?.trajectories ?? []).map((trajectory) => keyedRollout(trajectory, join))
            : parsed.records.map((record) =>
                keyedRecord(record, source, isObject(record.value) ? join.keys(record.value) : []),
              )
        for (const keyed of found) if (keyed.keys.length > 0) yield [member, keyed]
      }
    }
    this.signal?.throwIfAborted()
  }
}

function keyedRollout(trajectory: Trajectory, join: RolloutJoin): Keyed {
  const key = join.key(trajectory)
  const { place, id, step } = trajectory
  const ids = ownIds(trajectory)
  const hash = ids === null ? null : new Hash64().words(ids).digest()
  return {
    keys: key === null || hash === null ? [] : [key],
    ids: hash,
    step,
    place,
    id,
    fills: join.fills?.(trajectory) ?? false,
  }
}

function keyedRecord({ record }: RawRecord, source: number, keys: readonly string[]): Keyed {
  return { keys, ids: null, step: null, place: { source, record, part: 0 }, id: String(record), fills: false }
}
