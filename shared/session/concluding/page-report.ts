import type { Report } from '../../model/report.ts'

/** Findings of one code, cause and intent that a page is told of: it shows examples, and asks for the rollouts behind a number. */
const MOST_EXAMPLES = 20

/**
 * A report as a page needs it, several times a second while a dump is read: taking ten thousand findings apart would hold the page up
 * for longer than a person overlooks. Counts are those of the whole report.
 */
export function pageReport(report: Report): Report {
  const seen = new Map<string, number>()
  const findings = report.findings.filter(({ code, defect, intended }) => {
    const kind = `${code} ${defect ?? ''} ${intended === true}`
    const before = seen.get(kind) ?? 0
    seen.set(kind, before + 1)
    return before < MOST_EXAMPLES
  })
  const omitted = report.findings.length - findings.length
  return omitted === 0 ? report : { ...report, findings, findings_omitted: report.findings_omitted + omitted }
}
