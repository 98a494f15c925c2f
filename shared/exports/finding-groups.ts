import type { CheckResult, Defect, Finding, Report } from '../model/report.ts'
import { failingChecks } from './phrases.ts'

/** The listed findings of one code that one defect explains, or those of them that the policy intends. */
export interface CodeGroup {
  readonly check: CheckResult
  /** What the policy intends is no fault, and stands apart from findings of the same code that are. */
  readonly intended: boolean
  readonly findings: readonly Finding[]
  /** Findings of this code that the report lists beyond those. */
  readonly more: number
}

/** What one defect explains, or (null) what stands for itself. */
export interface DefectGroup {
  readonly defect: Defect | null
  readonly codes: readonly CodeGroup[]
}

/**
 * At most `most` findings, by defect and code, the worst first. Groups share the places evenly: a fault of every row must not
 * crowd out one that stands in two. Within a group the order is that of the report. What is intended comes last.
 */
export function groupFindings(report: Report, most: number): DefectGroup[] {
  const known = new Set(report.defects.map(({ id }) => id))
  const found = new Map<string, Finding[]>()
  const keyOf = (defect: string | null, code: string, intended: boolean) => `${defect ?? ''}\n${code}\n${intended}`
  for (const finding of report.findings) {
    const defect = finding.defect !== undefined && known.has(finding.defect) ? finding.defect : null
    const key = keyOf(defect, finding.code, finding.intended === true)
    const group = found.get(key)
    if (group === undefined) found.set(key, [finding])
    else group.push(finding)
  }
  const failing = failingChecks(report)
  const checks = [...failing, ...report.checks.filter((check) => !failing.includes(check))]
  const groups = [...report.defects, null].flatMap((defect) =>
    [false, true].flatMap((intended) =>
      checks.flatMap((check) => {
        const findings = found.get(keyOf(defect?.id ?? null, check.code, intended))
        return findings === undefined ? [] : [{ defect, check, intended, findings }]
      }),
    ),
  )
  const places = evenShares(
    groups.map(({ findings }) => findings.length),
    most,
  )
  const listed = groups.map(({ defect, check, intended, findings }, at) => {
    const share = places[at] ?? 0
    return { defect, check, intended, findings: findings.slice(0, share), more: findings.length - share }
  })
  return [...report.defects, null].flatMap((defect) => {
    const codes = listed.filter((group) => group.defect === defect)
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
