import type { TrajectoryFacts } from '../checks/facts.ts'
import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import { indexOfPlace } from './fault-rows.ts'

/** The finding as a report has it: with the defect that explains it, null where none does, and the lines of its records, in containers that have lines. */
export function asTold(finding: Finding, defect: string | null, facts: readonly TrajectoryFacts[]): Finding {
  const { source, record, part, members } = finding
  if (record !== null) {
    const line = lineAt(facts, { source, record, part: part ?? 0 })
    // One literal for each: a spread of what may be nothing makes objects that are slow and large.
    if (line === undefined) return defect === null ? finding : { ...finding, defect }
    return defect === null ? { ...finding, line } : { ...finding, defect, line }
  }
  if (members === null) return defect === null ? finding : { ...finding, defect }
  const told = members.map((member) => {
    const line = lineAt(facts, member)
    return line === undefined ? member : { ...member, line }
  })
  return defect === null ? { ...finding, members: told } : { ...finding, defect, members: told }
}

function lineAt(facts: readonly TrajectoryFacts[], place: Place): number | undefined {
  return facts[indexOfPlace(facts, place)]?.line
}
