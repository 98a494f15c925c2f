import type { GroupOptions } from '../../checks/grouping/group-views.ts'
import type { Format } from '../../formats/format.ts'
import type { SkippedRecord } from '../../model/source.ts'

/** A source by its name within the run, and its format; null where that is not known. */
export interface GroupedSource {
  readonly name: string
  readonly format: Format | null
}

/** How the rollouts of these sources form groups. */
export function groupOptionsOf(sources: readonly GroupedSource[], groupSize: number | undefined): GroupOptions {
  return {
    groupSize: groupSize ?? null,
    groupsByOrder: sources.every(({ format }) => format?.groupsByOrder ?? false),
    groupsSpanSteps: sources.every(({ format }) => format?.groupsSpanSteps === true),
    ...(sources.length > 1 ? { names: distinctNames(sources) } : {}),
    ...(sources.some(({ format }) => format?.groupsSpanFiles) ? { keysOf: keysOf(sources) } : {}),
    ...(sources.some(({ name }) => RANK.test(name)) ? { ranksOf: ranksOf(sources) } : {}),
  }
}

/** Files that a person drops may have one name, from several folders. */
function distinctNames(sources: readonly GroupedSource[]): string[] {
  const uses = new Map<string, number>()
  for (const { name } of sources) uses.set(name, (uses.get(name) ?? 0) + 1)
  return sources.map(({ name }, at) => (uses.get(name) === 1 ? name : `${name}, file ${at + 1}`))
}

/** By source, the groups that skipped records name; null where none is named. */
export function unreadGroups(
  sources: readonly { readonly skipped: readonly SkippedRecord[] }[],
): readonly ReadonlySet<string>[] | null {
  const unread = sources.map(({ skipped }) => new Set(skipped.flatMap(({ group }) => group ?? [])))
  return unread.some(({ size }) => size > 0) ? unread : null
}

/** In the name of a file, the number of the rank that wrote it, or of the part of a dump that it is. */
const RANK = /(?<![a-z])(?:(?:rank|part|shard)[_-]?\d+|\d{3,}-of-\d{3,})(?=[^/]*$)/i

/** By source, the first of its format whose name differs in the number of a rank alone; itself elsewhere. */
export function ranksOf(sources: readonly GroupedSource[]): number[] {
  const runs = new Map<string, number>()
  return sources.map(({ name, format }, at) => {
    if (format === null || !RANK.test(name)) return at
    const run = `${format.id}\n${name.replace(RANK, '')}`
    const first = runs.get(run) ?? at
    runs.set(run, first)
    return first
  })
}

/** By source, the first of its format in its folder, where each rollout has a file of its own; itself elsewhere. */
export function keysOf(sources: readonly GroupedSource[]): number[] {
  const folders = new Map<string, number>()
  return sources.map(({ name, format }, at) => {
    if (!format?.groupsSpanFiles) return at
    const folder = `${format.id}\n${name.slice(0, name.lastIndexOf('/') + 1)}`
    const first = folders.get(folder) ?? at
    folders.set(folder, first)
    return first
  })
}
