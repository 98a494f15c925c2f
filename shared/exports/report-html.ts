import type { Report } from '../model/report.ts'
import { markupText as text } from './markup.ts'
import {
  byTurnText,
  bytesText,
  count,
  counted,
  extentText,
  failingChecks,
  measureText,
  percent,
  proofOf,
  uncheckable,
  verdictText,
  whereText,
} from './phrases.ts'
import type { ReportFormat } from './report-formats.ts'

/** Findings listed in full; the JSON report has the rest. */
const LISTED = 1000

/** One self-contained page without scripts; its own policy forbids loading anything. Light and dark. */
export const htmlReport: ReportFormat = {
  id: 'html',
  title: 'One HTML page, for people',
  write(report) {
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Rollout Inspector: ${text(report.sources.map((source) => source.name).join(', '))}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Rollout Inspector report</h1>
${sources(report)}
${verdicts(report)}
${defects(report)}
${checks(report)}
${undecided(report)}
${findings(report)}
<footer>${text(`${report.tool.name} ${report.tool.version}`)}</footer>
</main>
</body>
</html>
`
  },
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 } main { max-width: 68rem; margin: 2rem auto; padding: 0 1.5rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100%; font-size: .93rem }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent) }
th { font-weight: 600 } code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; unicode-bidi: isolate }
.supported, .error { font-weight: 700 } .error::before { content: "\\25B2 " } .warning::before { content: "\\25B3 " } .info::before { content: "\\25CB " }
.soft { opacity: .75 } ul { padding-left: 1.2rem } footer { margin: 2rem 0; opacity: .7 }
`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const header = head.map((cell) => `<th scope="col">${cell}</th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<table><thead><tr>${header}</tr></thead><tbody>\n${body}\n</tbody></table>`
}

function code(value: string): string {
  return `<code>${text(value)}</code>`
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
}

function sources(report: Report): string {
  const { tokens } = report.totals
  const rows = report.sources.map((source) => [
    code(source.name),
    text(bytesText(source.bytes)),
    text(source.container ?? 'unknown'),
    source.format === null
      ? text(source.unreadable === undefined ? 'not recognised' : `not read: ${source.unreadable.message}`)
      : code(source.format.id) + list(source.format.evidence.map(code)),
    count(source.trajectories),
    source.skipped.length === 0
      ? '0'
      : count(source.skipped.length) +
        list(source.skipped.slice(0, 10).map((s) => `record ${s.record}: ${code(s.message)}`)),
    text(source.missing.join(', ')),
  ])
  return `<h2>What was read</h2>
${table(['file', 'size', 'container', 'format', 'rollouts', 'skipped', 'not in this dump'], rows)}
<p>Tokenizer ${code(report.tokenizer.id ?? 'none')} (${report.tokenizer.origin}). Policy ${report.policy.id} (${report.policy.origin}), mask alignment ${report.policy.mask_alignment}.
${text(counted(report.totals.trajectories, 'rollout'))}, ${text(counted(report.totals.turns, 'turn'))}, ${text(counted(tokens.total, 'token'))}:
${count(tokens.trained)} trained, ${count(tokens.masked)} masked, ${count(tokens.padding)} padding, ${count(tokens.unknown)} unknown; ${count(tokens.lost)} lost.</p>`
}

function verdicts(report: Report): string {
  if (report.hypotheses.length === 0) return ''
  const rows = report.hypotheses.map((result) => [
    `${result.id} ${text(result.title)}`,
    `<span class="${result.verdict}">${text(verdictText(result))}</span>`,
    list(result.because.map((measure) => text(measureText(measure)))),
    list(result.missing.map((what) => text(what))),
  ])
  return `<h2>Verdicts</h2>\n${table(['hypothesis', 'verdict', 'because', 'missing'], rows)}`
}

function defects(report: Report): string {
  if (report.defects.length === 0) return ''
  const items = report.defects.map(
    ({ id, title, places }) =>
      `<b>${text(id)}</b> ${text(title)}: ${count(places.affected)} of ${text(counted(places.checked, 'place'))}`,
  )
  return `<h2>Known defects</h2>\n${list(items)}`
}

function checks(report: Report): string {
  const rows = failingChecks(report).map((check) => {
    const proof = proofOf(report, check.code)
    return [
      check.code,
      `${text(check.title)}${proof === null ? '' : `<br><span class="soft">${text(proof.message)} (${text(whereText(report, proof))})</span>`}`,
      `<span class="${check.severity}">${check.severity}</span>`,
      text(percent(check.rate)),
      text(extentText(check)),
      text(byTurnText(check)),
    ]
  })
  if (rows.length === 0) return '<h2>Checks</h2><p>No check fails.</p>'
  return `<h2>Checks that fail</h2>\n${table(['code', 'fault', 'severity', 'rate', 'extent', 'by assistant turn'], rows)}`
}

function undecided(report: Report): string {
  const reasons = uncheckable(report)
  if (reasons.length === 0) return ''
  return `<h2>What this dump cannot decide</h2>\n${list(reasons.map(({ reason, codes }) => `${codes.join(', ')}: ${text(reason)}`))}`
}

function findings(report: Report): string {
  if (report.findings.length === 0) return ''
  const rows = report.findings
    .slice(0, LISTED)
    .map((finding) => [
      finding.code,
      `<span class="${finding.severity}">${finding.severity}</span>${finding.intended === true ? ' (intended)' : ''}`,
      code(whereText(report, finding)),
      text(finding.message),
    ])
  const omitted = report.findings_omitted + Math.max(0, report.findings.length - LISTED)
  const more = omitted === 0 ? '' : `<p>${text(counted(omitted, 'more finding'))}; the counts above include them.</p>`
  return `<h2>Findings</h2>\n${table(['code', 'severity', 'where', 'what'], rows)}\n${more}`
}
