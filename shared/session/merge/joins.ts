import type { FormatJoin } from '../../formats/format.ts'
import { pushTo } from '../../formats/join.ts'
import { formatById } from '../../formats/registry.ts'
import type { SourceReport } from '../../model/report.ts'
import { MergeError, type Part } from './part.ts'

/** A source of a part, on one side of what is joined. */
interface Member {
  readonly part: Part
  readonly source: SourceReport
  readonly adds: boolean
}

/**
 * Throws `MergeError` where a part has files that add to rollouts, and only other parts have files with such rollouts: read at once they
 * would be joined, apart each rollout is told twice.
 */
export function refuseTornJoins(parts: readonly Part[]): void {
  const members = new Map<string, Member[]>()
  for (const part of parts) {
    for (const source of part.sources) {
      for (const join of joinsOf(source)) pushTo(members, join.on, { part, source, adds: adds(join, source) })
    }
  }
  for (const [on, all] of members) {
    const base = all.filter((member) => !member.adds)
    const [told] = base
    const torn = all.find((member) => member.adds && !base.some(({ part }) => part === member.part))
    if (torn === undefined || told === undefined) continue
    throw new MergeError(
      'refused',
      `${torn.part.name} holds ${torn.source.name}, which adds by ${on} to rollouts of files like ${told.source.name} in ${told.part.name}. They are joined only where both are read together; apart, a rollout counts twice. Inspect the files of a step in one part.`,
    )
  }
}

function joinsOf({ format }: SourceReport): readonly FormatJoin[] {
  return format === null ? [] : (formatById(format.id)?.joins ?? [])
}

function adds(join: FormatJoin, { format, name }: SourceReport): boolean {
  return format !== null && join.adds(format, name)
}
