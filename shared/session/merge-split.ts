import type { DumpView } from '../checks/check.ts'
import type { Part } from './merge-part.ts'

/** A group that is incomplete, with rollouts under the same key and step in several parts. */
export interface SplitGroup {
  readonly group: string
  readonly step: number | null
  /** Rollouts in each report that has some. */
  readonly parts: readonly { readonly name: string; readonly rollouts: number }[]
}

/**
 * Groups that a division of files into parts may have torn, in the order of their first member. A group that all parts together hold
 * is whole again where the dump declares how many belong to one; files that number their questions alike have whole groups of one key.
 */
export function splitGroups(parts: readonly Part[], groups: DumpView['groups']): SplitGroup[] {
  const partOf = parts.flatMap((part) => part.sources.map(() => part))
  const counts = new Map<string, Map<Part, number>>()
  for (const { gathered } of parts) {
    for (const { group, step, place } of gathered.collected.facts) {
      if (group === null) continue
      const key = keyOf(group, step)
      let found = counts.get(key)
      if (found === undefined) counts.set(key, (found = new Map()))
      const part = partOf[place.source] as Part
      found.set(part, (found.get(part) ?? 0) + 1)
    }
  }
  const split = new Map<string, SplitGroup>()
  for (const { members, complete } of groups) {
    const [member] = members
    if (complete || member === undefined || member.group === null) continue
    const key = keyOf(member.group, member.step)
    const found = counts.get(key)
    if (found === undefined || found.size < 2 || split.has(key)) continue
    const inParts = [...found].map(([{ name }, rollouts]) => ({ name, rollouts }))
    split.set(key, { group: member.group, step: member.step, parts: inParts })
  }
  return [...split.values()]
}

function keyOf(group: string, step: number | null): string {
  return `${step ?? ''}\n${group}`
}
