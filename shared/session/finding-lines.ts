import type { TrajectoryFacts } from '../checks/facts.ts'
import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import { indexOfPlace } from './fault-rows.ts'

/** Findings as a report has them: with the lines of their records, in containers that have lines. */
export class FindingLines {
  /** The findings of one rollout come one after the other. */
  private last: Place = { source: -1, record: -1, part: -1 }
  private line: number | undefined

  constructor(private readonly facts: readonly TrajectoryFacts[]) {}

  /** @param defect the defect that explains the finding, null where none does */
  asTold(finding: Finding, defect: string | null): Finding {
    const { source, record, part, members } = finding
    if (record !== null) {
      const line = this.lineAt(source, record, part ?? 0)
      // One literal for each: a spread of what may be nothing makes objects that are slow and large.
      if (line === undefined) return defect === null ? finding : { ...finding, defect }
      return defect === null ? { ...finding, line } : { ...finding, defect, line }
    }
    if (members === null) return defect === null ? finding : { ...finding, defect }
    const told = members.map((member) => {
      const line = this.lineAt(member.source, member.record, member.part)
      return line === undefined ? member : { ...member, line }
    })
    return defect === null ? { ...finding, members: told } : { ...finding, defect, members: told }
  }

  private lineAt(source: number, record: number, part: number): number | undefined {
    const { last } = this
    if (source !== last.source || record !== last.record || part !== last.part) {
      this.last = { source, record, part }
      this.line = this.facts[indexOfPlace(this.facts, this.last)]?.line
    }
    return this.line
  }
}
