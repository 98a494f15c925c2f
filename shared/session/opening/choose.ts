import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { buildGroups, storedRollout } from '../../checks/grouping/group-views.ts'
import { createFacts } from '../../checks/view.ts'
import { decodeRecords } from '../../containers/decode.ts'
import { readJoined } from '../../formats/join.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import type { AuditOptions } from '../../model/policy.ts'
import { type GroupedSource, groupOptionsOf, keysOf } from './group-options.ts'
import { readerOf } from './join-sources.ts'
import type { OpenSource } from './open-source.ts'

/** Trajectories that are kept of one source: parts by record. */
export type KeptParts = ReadonlyMap<number, readonly number[]>

/**
 * Which trajectories `--limit` and `--sample` keep of each source, null when neither is given. Groups are kept whole: a limit runs
 * on to the end of the group it would have cut (groups of consecutive trajectories), a sample draws groups at random
 * until it has N trajectories. A trajectory without a group is a group of its own, with the other branches of its rollout.
 */
export async function chooseTrajectories(
  sources: readonly OpenSource[],
  options: AuditOptions,
  signal?: AbortSignal,
): Promise<readonly KeptParts[] | null> {
  if (options.limit !== undefined) return bySource(sources, await firstOf(sources, options, options.limit, signal))
  if (options.sample !== undefined) return bySource(sources, await drawnFrom(sources, options, options.sample, signal))
  return null
}

function bySource(sources: readonly OpenSource[], chosen: readonly TrajectoryFacts[]): KeptParts[] {
  const kept = sources.map(() => new Map<number, number[]>())
  for (const { place } of chosen) {
    const records = kept[place.source] as Map<number, number[]>
    const parts = records.get(place.record)
    if (parts === undefined) records.set(place.record, [place.part])
    else parts.push(place.part)
  }
  return kept
}

async function firstOf(
  sources: readonly OpenSource[],
  options: AuditOptions,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<TrajectoryFacts[]> {
  const kept: TrajectoryFacts[] = []
  const unit = consecutiveUnits(sources, options)
  let last: string | null = null
  for await (const facts of allFacts(sources, signal)) {
    const current = unit(facts)
    if (kept.length >= limit && current !== last) break
    kept.push(facts)
    last = current
  }
  return kept
}

function groupedSource({ source, format }: OpenSource): GroupedSource {
  return { name: source.name, format }
}

/** Names the group of each trajectory when they are told one after the other. */
function consecutiveUnits(sources: readonly OpenSource[], options: AuditOptions): (facts: TrajectoryFacts) => string {
  const keys = keysOf(sources.map(groupedSource))
  let run = ''
  let inRun = 0
  return (facts) => {
    const { source, record, part } = facts.place
    const { groupsByOrder, groupsSpanSteps } = (sources[source] as OpenSource).format
    const within = `${keys[source]}:${groupsSpanSteps ? '' : (facts.step ?? '')}`
    if (run !== within) inRun = 0
    run = within
    if (facts.group !== null) return `${within}:group ${facts.group}`
    if (facts.branchOf !== null) return `${within}:rollout ${facts.branchOf}`
    const size = options.groupSize ?? facts.groupSize
    const byOrder = groupsByOrder && size !== null
    return `${within}:${byOrder ? `rows ${Math.floor(inRun++ / size)}` : `${record}.${part}`}`
  }
}

async function drawnFrom(
  sources: readonly OpenSource[],
  options: AuditOptions,
  count: number,
  signal: AbortSignal | undefined,
): Promise<TrajectoryFacts[]> {
  const all: TrajectoryFacts[] = []
  for await (const facts of allFacts(sources, signal)) all.push(facts)
  const left = unitsOf(all, sources, options)
  const kept: TrajectoryFacts[] = []
  const random = generator(options.seed ?? 0)
  while (left.length > 0 && kept.length < count) {
    const index = Math.floor(random() * left.length)
    for (const facts of left[index] as TrajectoryFacts[]) kept.push(facts)
    left[index] = left[left.length - 1] as TrajectoryFacts[]
    left.pop()
  }
  return kept
}

/** The groups of the dump, as its checks will see them; what is in none of them follows its rollout, or stands alone. */
function unitsOf(
  all: readonly TrajectoryFacts[],
  sources: readonly OpenSource[],
  options: AuditOptions,
): TrajectoryFacts[][] {
  const groups = buildGroups(all, groupOptionsOf(sources.map(groupedSource), options.groupSize))
  const units = groups.map(({ members }) => [...members])
  const unitOf = new Map(units.flatMap((unit) => unit.map((facts) => [facts, unit] as const)))
  const rollouts = new Map<string, TrajectoryFacts[]>()
  for (const facts of all) {
    const rollout = storedRollout(facts)
    const own = unitOf.get(facts)
    let unit = own ?? (rollout === null ? undefined : rollouts.get(rollout))
    if (unit === undefined) {
      unit = []
      units.push(unit)
    }
    if (own === undefined) unit.push(facts)
    if (rollout !== null) rollouts.set(rollout, unit)
  }
  return units
}

/** Every trajectory of the dump, without its tokens. */
async function* allFacts(
  sources: readonly OpenSource[],
  signal: AbortSignal | undefined,
): AsyncGenerator<TrajectoryFacts, void, undefined> {
  const reader = readerOf(sources)
  for (const [source, { container }] of sources.entries()) {
    try {
      for await (const spans of container.index(signal ? { signal } : {})) {
        const parsed = await decodeRecords(await container.read(spans), allNumericKeys)
        const { trajectories } = readJoined(parsed, reader(source), reader)
        for (const trajectory of trajectories) yield createFacts(trajectory)
      }
    } catch {
      // Of a file that cannot be read to its end the rest cannot be chosen; the pass will say why.
      signal?.throwIfAborted()
    }
  }
}

/** Mulberry32 (Tommy Ettinger, public domain): the same seed draws the same sample everywhere. */
function generator(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
