import type { TrajectoryFacts } from '../checks/facts.ts'
import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import { indexOfPlace } from './fault-rows.ts'

/** The finding as a report has it: with the defect that explains it, null where none does, and the lines of its records, in containers that have lines. */
export function asTold(finding: Finding, defect: string | null, facts: readonly TrajectoryFacts[]): Finding {
  const { source, record, part, members } = finding
  const explained = defect === null ? null : { defect }
  if (record !== null) {
    const line = lineAt(facts, { source, record, part: part ?? 0 })
    return { ...finding, ...explained, ...(line === undefined ? null : { line }) }
  }
  if (members === null) return explained === null ? finding : { ...finding, ...explained }
  const withLines = members.map((member) => {
    const line = lineAt(facts, member)
    return line === undefined ? { ...member } : { ...member, line }
  })
  return { ...finding, ...explained, members: withLines }
}

function lineAt(facts: readonly TrajectoryFacts[], place: Place): number | undefined {
  return facts[indexOfPlace(facts, place)]?.line
}
