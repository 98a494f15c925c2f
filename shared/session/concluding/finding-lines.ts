import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { Finding } from '../../model/report.ts'
import type { Place } from '../../model/source.ts'
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
      return line === undefined && defect === null ? finding : withLine(finding, defect, line)
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

type ToldLast = 'intended' | 'defect' | 'line'

/** The finding with what is told beside it. Field by field: a spread of so many takes six microseconds, of ten thousand findings. */
function withLine(finding: Finding, defect: string | null, line: number | undefined): Finding {
  if (finding.intended !== undefined || finding.defect !== undefined || finding.line !== undefined) {
    return { ...finding, ...(defect === null ? {} : { defect }), ...(line === undefined ? {} : { line }) }
  }
  const told: Required<Omit<Finding, ToldLast>> & Pick<Finding, ToldLast> = {
    code: finding.code,
    severity: finding.severity,
    scope: finding.scope,
    source: finding.source,
    record: finding.record,
    part: finding.part,
    trajectory: finding.trajectory,
    group: finding.group,
    members: finding.members,
    turn: finding.turn,
    tokens: finding.tokens,
    fingerprint: finding.fingerprint,
    message: finding.message,
    evidence: finding.evidence,
  }
  if (defect !== null) told.defect = defect
  if (line !== undefined) told.line = line
  return told
}
