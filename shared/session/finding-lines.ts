import type { RecordSpans } from '../containers/container.ts'
import type { Finding } from '../model/report.ts'
import { batchOf } from './open-source.ts'

/** The findings with the lines of their records, in containers that have lines. `spans`: the batches of each source. */
export function withLines(findings: readonly Finding[], spans: readonly (readonly RecordSpans[])[]): Finding[] {
  const at = (source: number, record: number): { line?: number } => {
    const batch = batchOf(spans[source] ?? [], record)
    const line = batch?.lines[record - batch.first] ?? 0
    return line > 0 ? { line } : {}
  }
  return findings.map((finding) => {
    const { source, record, members } = finding
    if (record !== null) return { ...finding, ...at(source, record) }
    if (members === null) return finding
    return { ...finding, members: members.map((member) => ({ ...member, ...at(member.source, member.record) })) }
  })
}
