import { parseRecords } from '../containers/records.ts'
import { allNumericKeys } from '../formats/registry.ts'
import type { AuditOptions } from '../model/policy.ts'
import type { OpenSource } from './open-source.ts'

interface Address {
  readonly key: string
  readonly group: string
}

/** The address of a trajectory inside one source, as `AuditJob.keep` lists them with the source in front. */
export function addressOf(source: number, record: number, part: number): string {
  return `${source}:${record}:${part}`
}

/**
 * Which trajectories `--limit` and `--sample` keep, null when neither is given. Groups are kept whole: a limit runs
 * on to the end of the group it would have cut (groups of consecutive trajectories), a sample draws groups at random
 * until it has N trajectories. A trajectory without a group is a group of its own.
 */
export async function chooseTrajectories(
  sources: readonly OpenSource[],
  options: AuditOptions,
): Promise<ReadonlySet<string> | null> {
  if (options.limit !== undefined) {
    const limit = options.limit
    const kept: Address[] = []
    for await (const address of addresses(sources, options)) {
      if (kept.length >= limit && address.group !== kept.at(-1)?.group) break
      if (limit > 0) kept.push(address)
    }
    return new Set(kept.map(({ key }) => key))
  }
  if (options.sample === undefined) return null
  const groups = new Map<string, string[]>()
  for await (const { key, group } of addresses(sources, options)) {
    const members = groups.get(group)
    if (members === undefined) groups.set(group, [key])
    else members.push(key)
  }
  const kept = new Set<string>()
  const random = generator(options.seed ?? 0)
  const left = [...groups.values()]
  while (left.length > 0 && kept.size < options.sample) {
    const index = Math.floor(random() * left.length)
    const drawn = left[index] as string[]
    left[index] = left[left.length - 1] as string[]
    left.pop()
    for (const key of drawn) kept.add(key)
  }
  return kept
}

async function* addresses(sources: readonly OpenSource[], options: AuditOptions): AsyncIterable<Address> {
  for (const [source, open] of sources.entries()) {
    let inOrder = 0
    for await (const spans of open.container.index()) {
      const { records } = parseRecords(await open.container.read(spans), spans, allNumericKeys)
      for (const { place, group } of open.format.read(records, { source, recognition: open.recognition })
        .trajectories) {
        const byOrder =
          open.format.groupsByOrder && options.groupSize ? Math.floor(inOrder++ / options.groupSize) : null
        const key = addressOf(source, place.record, place.part)
        yield { key, group: `${source}:${group ?? byOrder ?? `alone:${key}`}` }
      }
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
