import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Finding, HypothesisResult, Report } from '../../shared/model/report.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited } from '../session/dumps.ts'
import { testHost } from '../session/test-host.ts'
import type { PlantedDump } from './dump.ts'
import type { Writer, WrittenDump } from './writers/writer.ts'

export interface AuditedDump {
  readonly written: WrittenDump
  readonly report: Report
}

/** Writes a dump and opens it as a host does, knowing nothing but the file and what a person would declare about it. */
export async function audit(
  dump: PlantedDump,
  writer: Writer,
  options: AuditOptions = {},
  dataset: readonly object[] | null = null,
): Promise<AuditedDump> {
  const written = writer.write(dump)
  const records = dataset?.map((record) => `${JSON.stringify(record)}\n`).join('')
  const beside = records === undefined ? {} : { dataset: [memorySource(records, 1 << 16, 'dataset.jsonl')] }
  const session = await audited(written.text, { ...written.options, ...options }, testHost(), beside)
  return { written, report: session.report() }
}

/** Findings that the policy does not intend. */
export function faultsOf({ report }: AuditedDump): Finding[] {
  return report.findings.filter(({ intended }) => intended !== true)
}

/** A line for a failure message: what is said, where, and on what grounds. */
export function told({ code, severity, record, part, turn, tokens, message, group }: Finding): string {
  const place = record === null ? `group ${group}` : `${record}.${part}${turn === null ? '' : ` turn ${turn}`}`
  return `${code} ${severity} at ${place}${tokens === null ? '' : ` [${tokens}]`}: ${message}`
}

/** The first finding of each code, and how many more there are. */
export function summary(findings: readonly Finding[]): string[] {
  const codes = [...new Set(findings.map(({ code }) => code))]
  return codes.map((code) => {
    const all = findings.filter((finding) => finding.code === code)
    return `${told(all[0] as Finding)}${all.length > 1 ? ` (and ${all.length - 1} more)` : ''}`
  })
}

export function verdictOf({ report }: AuditedDump, id: HypothesisResult['id']): string {
  return report.hypotheses.find((each) => each.id === id)?.verdict ?? 'not judged'
}
