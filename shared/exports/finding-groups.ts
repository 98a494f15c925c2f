import type { CheckResult, Defect, Finding, Report } from '../model/report.ts'
import { failingChecks } from './phrases.ts'

/** The listed findings of one code. */
export interface CodeGroup {
  readonly check: CheckResult
  readonly findings: readonly Finding[]
  /** Findings of this code that the report lists beyond those. */
  readonly more: number
}

/** What belongs to one known defect, or (null) to none. */
export interface DefectGroup {
  readonly defect: Defect | null
  readonly codes: readonly CodeGroup[]
}

/**
 * At most `most` findings, by defect and code, the worst first. Codes share the places evenly: a fault of every row must not
 * crowd out one that stands in two. Within a code the order is that of the report.
 */
export function groupFindings(report: Report, most: number): DefectGroup[] {
  const byCode = new Map<string, Finding[]>()
  for (const finding of report.findings) {
    const found = byCode.get(finding.code)
    if (found === undefined) byCode.set(finding.code, [finding])
    else found.push(finding)
  }
  const failing = failingChecks(report)
  const intended = report.checks.filter((check) => !failing.includes(check))
  const groups = [...failing, ...intended].flatMap((check): CodeGroup[] => {
    const findings = byCode.get(check.code)
    return findings === undefined ? [] : [{ check, findings, more: 0 }]
  })
  const places = evenShares(
    groups.map(({ findings }) => findings.length),
    most,
  )
  const listed = groups.map(({ check, findings }, at) => ({
    check,
    findings: findings.slice(0, places[at]),
    more: Math.max(0, findings.length - (places[at] ?? 0)),
  }))
  const defectOf = (code: string) => report.defects.find(({ checks }) => checks.includes(code)) ?? null
  return [...report.defects, null].flatMap((defect) => {
    const codes = listed.filter(({ check }) => defectOf(check.code) === defect)
    return codes.length === 0 ? [] : [{ defect, codes }]
  })
}

/** Shares of `places` for what wants that many of them: nobody more than wanted, and otherwise all alike. */
export function evenShares(wanted: readonly number[], places: number): number[] {
  const shares = wanted.map(() => 0)
  const smallestFirst = wanted.map((_, at) => at).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  let left = places
  for (const [done, at] of smallestFirst.entries()) {
    const share = Math.min(wanted[at] ?? 0, Math.floor(left / (wanted.length - done)))
    shares[at] = share
    left -= share
  }
  return shares
}
