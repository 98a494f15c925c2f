import type { DumpView } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { declaredSize } from '../../checks/grouping/group-views.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { Part } from './part.ts'

/** A group that is incomplete, with rollouts of the same prompt under the same key and step in several parts. */
export interface SplitGroup {
  readonly group: string
  readonly step: number | null
  /** Rollouts that it should have, as given or declared; null where only the commonest size tells. */
  readonly size: number | null
  /** Rollouts in each report that has some. */
  readonly parts: readonly { readonly name: string; readonly rollouts: number }[]
}

/**
 * Groups that a division of files into parts may have torn, in the order of their first member. A group that all parts together hold
 * is whole again where the dump declares how many belong to one. Files that number their questions alike have other prompts there, and
 * those of another format are of another run.
 */
export function splitGroups(
  parts: readonly Part[],
  groups: DumpView['groups'],
  { groupSize }: Pick<AuditOptions, 'groupSize'>,
): SplitGroup[] {
  const sources = parts.flatMap((part) => part.sources.map(({ format }) => ({ part, format: format?.id ?? '' })))
  const keyOf = ({ place, group, step, pairing, promptHash }: TrajectoryFacts) =>
    JSON.stringify([sources[place.source]?.format, group, step, pairing?.question ?? promptHash])
  const counts = new Map<string, Map<Part, number>>()
  for (const { gathered } of parts) {
    for (const facts of gathered.collected.facts) {
      const source = sources[facts.place.source]
      if (facts.group === null || source === undefined) continue
      const key = keyOf(facts)
      let found = counts.get(key)
      if (found === undefined) counts.set(key, (found = new Map()))
      found.set(source.part, (found.get(source.part) ?? 0) + 1)
    }
  }
  const split = new Map<string, SplitGroup>()
  for (const { members, complete } of groups) {
    const [member] = members
    if (complete || member === undefined || member.group === null) continue
    const key = keyOf(member)
    const found = counts.get(key)
    if (found === undefined || found.size < 2 || split.has(key)) continue
    const inParts = [...found].map(([{ name }, rollouts]) => ({ name, rollouts }))
    const size = groupSize ?? declaredSize(members)
    split.set(key, { group: member.group, step: member.step, size, parts: inParts })
  }
  return [...split.values()]
}
