import type { TrajectoryFacts } from '../checks/facts.ts'
import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import { indexOfPlace } from './fault-rows.ts'

/** The findings with the lines of their records, in containers that have lines. */
export function withLines(findings: readonly Finding[], facts: readonly TrajectoryFacts[]): Finding[] {
  const at = (place: Place): { line?: number } => {
    const line = facts[indexOfPlace(facts, place)]?.line
    return line === undefined ? {} : { line }
  }
  return findings.map((finding) => {
    const { source, record, part, members } = finding
    if (record !== null) return { ...finding, ...at({ source, record, part: part ?? 0 }) }
    if (members === null) return finding
    return { ...finding, members: members.map((member) => ({ ...member, ...at(member) })) }
  })
}
