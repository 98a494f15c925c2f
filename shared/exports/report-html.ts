import { sha256 } from '@noble/hashes/sha2.js'
import { adviceSentences } from '../hypotheses/advice.ts'
import { skippedText } from '../model/lost-files.ts'
import { count, counted, percent } from '../model/number-text.ts'
import type { Report } from '../model/report.ts'
import { baselineText } from './against-baseline.ts'
import { fixOf } from './check-page.ts'
import { findingsHtml, LISTED } from './html/findings.ts'
import { Links } from './html/links.ts'
import { code, figures, folded, list, table, text } from './html/parts.ts'
import { STYLE } from './html/style.ts'
import { verdictsHtml } from './html/verdicts.ts'
import {
  byTurnText,
  bytesText,
  causeIdsText,
  defectPlacesText,
  extentText,
  failingChecks,
  groupsText,
  intendedTexts,
  type Judgement,
  limitTexts,
  loggedTexts,
  thresholdsText,
  uncheckable,
} from './phrases.ts'
import type { ReportFormat } from './report-formats.ts'

/** Files that are listed one by one. */
const FILES = 100

/**
 * One self-contained page without scripts; its own policy forbids loading anything and every style but its own. Light and dark,
 * and on paper.
 */
export const htmlReport: ReportFormat = {
  id: 'html',
  title: 'One HTML page, for people',
  showsProofs: LISTED,
  write(report, judgement, proofs = null, unread = []) {
    const names = report.sources.map((source) => source.name)
    const links = new Links(report)
    const judged = () => [
      adviceHtml(report, judgement),
      verdictsHtml(report, links),
      defectsHtml(report, links),
      checksHtml(report, links),
      findingsHtml(report, proofs, links),
    ]
    const sections = [...(unread.length === 0 ? judged() : [unreadHtml(unread)]), sourcesHtml(report)].filter(
      (section) => section !== '',
    )
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash()}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rollout Inspector: ${text(names.slice(0, 3).join(', '), 120)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${headHtml(report)}
${contentsHtml(sections)}
${sections.join('\n')}
<footer>${text(`${report.tool.name} ${report.tool.version}`)}</footer>
</main>
</body>
</html>
`
  },
}

/** SHA-256 of the style, as a content policy names it. */
export function styleHash(): string {
  return btoa(String.fromCharCode(...sha256(new TextEncoder().encode(STYLE))))
}

function headHtml(report: Report): string {
  const { totals, tokenizer, policy } = report
  const { tokens } = totals
  const [first] = report.sources
  const files =
    report.sources.length === 1 && first !== undefined ? code(first.name) : counted(report.sources.length, 'file')
  const states = (['trained', 'masked', 'padding', 'unknown'] as const)
    .filter((state) => tokens[state] > 0)
    .map((state) => `${count(tokens[state])} ${state} (${percent(tokens[state] / tokens.total)})`)
  const limits = limitTexts(report)
  const groups = groupsText(report)
  const lost = tokens.lost > 0 ? `; beside them ${count(tokens.lost)} lost` : ''
  return `<header>
<h1>Rollout Inspector report</h1>
<p>${files}: ${counted(totals.trajectories, 'rollout')}${groups === null ? '' : ` in ${groups}`}, ${counted(totals.turns, 'turn')}, ${tokens.total === 0 ? 'no token ids' : `${counted(tokens.total, 'token')}: ${states.join(', ')}${lost}`}.</p>
<p class=soft>Tokenizer ${code(tokenizer.id ?? 'none')} (${tokenizer.origin}). Policy ${policy.id} (${policy.origin}), mask alignment ${policy.mask_alignment}.${policy.intended.length > 0 ? ` Intended: ${text(intendedTexts(report).join(', '))}.` : ''}${limits.length > 0 ? ` Limits: ${text(limits.join(', '))}.` : ''}${report.thresholds === undefined ? '' : ` Thresholds that were set: ${text(thresholdsText(report))}.`}</p>${skippedHtml(report)}
</header>`
}

/** What stands on the page, by the headings of its sections. */
function contentsHtml(sections: readonly string[]): string {
  const items = sections.flatMap((section) => {
    const [, id, title] = /<h2 id=(\w+)>([^<]*)<\/h2>/.exec(section) ?? []
    return id === undefined ? [] : [`<a href="#${id}">${title}</a>`]
  })
  return `<nav aria-label=Contents>${items.join(' ')}</nav>`
}

/** Records that could not be read, where there are any: what the rest of the page says does not speak of them. */
function skippedHtml({ sources }: Report): string {
  const unread = sources.filter(({ unreadable }) => unreadable !== undefined).length
  const parts = [skippedText(sources), unread === 0 ? '' : `${counted(unread, 'file')} not read`].filter(
    (part) => part !== '',
  )
  return parts.length === 0 ? '' : `\n<p>▲ ${parts.join(', ')}: <a href="#read">what was read</a> says why.</p>`
}

function unreadHtml([said = '', ...reasons]: readonly string[]): string {
  return `<section aria-labelledby=unread>\n<h2 id=unread>Nothing was judged</h2>\n<p class=error><span class=level>✖</span> ${text(said)}</p>\n${list(reasons.map((reason) => text(reason, 2000)))}\n</section>`
}

function adviceHtml(report: Report, judgement: Judgement): string {
  const sentences = adviceSentences(report, fixOf).map(
    ({ text: said, fix }) =>
      `<p>${figures(said, 2000)}${fix === null ? '' : `<br><span class=soft>${text(fix, 2000)}</span>`}</p>`,
  )
  const compared = baselineText(judgement)
  if (compared !== null) sentences.push(`<p>${text(compared)}</p>`)
  return `<section aria-labelledby=advice>\n<h2 id=advice>What to do first</h2>\n${sentences.join('\n')}\n</section>`
}

function defectsHtml(report: Report, links: Links): string {
  if (report.defects.length === 0) return ''
  const rows = report.defects.map((defect) => [
    `<b>${links.to(defect.id)}</b> ${text(defect.title)}`,
    figures(defectPlacesText(defect)),
    links.all(defect.checks),
  ])
  const columns = [{ title: 'defect' }, { title: 'extent' }, { title: 'seen by' }]
  return `<section aria-labelledby=defects>\n<h2 id=defects>Known defects</h2>\n<p class=soft>${causeIdsText(report.defects)}</p>\n${table('Known defects', columns, rows)}\n</section>`
}

function checksHtml(report: Report, links: Links): string {
  const failing = failingChecks(report)
  const rows = failing.map((check) => [
    `<b>${links.to(check.code)}</b> ${text(check.title)}`,
    `<span class="chip ${check.severity}">${check.severity}</span>`,
    figures(extentText(check)),
    figures(byTurnText(check)),
  ])
  const columns = [{ title: 'fault' }, { title: 'severity' }, { title: 'extent' }, { title: 'by assistant turn' }]
  const passed = report.checks.filter(({ status }) => status === 'pass')
  const idle = report.checks.filter(({ status }) => status === 'not-applicable')
  const reasons = uncheckable(report)
  const name = ({ code, title }: Report['checks'][number]) => `${code} ${text(title)}`
  return [
    '<section aria-labelledby=checks>\n<h2 id=checks>Checks</h2>',
    failing.length === 0 ? '<p>No check fails.</p>' : table('Checks that fail', columns, rows),
    reasons.length === 0
      ? ''
      : `<h3>What this dump cannot decide</h3>${list(reasons.map(({ reason, codes }) => `${codes.join(', ')}: ${text(reason)}`))}`,
    passed.length === 0 ? '' : folded(`${counted(passed.length, 'check')} passed`, list(passed.map(name), 200)),
    idle.length === 0
      ? ''
      : folded(`${counted(idle.length, 'check')} had nothing to look at`, list(idle.map(name), 200)),
    '</section>',
  ].join('\n')
}

function sourcesHtml(report: Report): string {
  const rows = report.sources.slice(0, FILES).map((source) => [
    code(source.name),
    text(bytesText(source.bytes)),
    text(source.container ?? 'unknown'),
    source.format === null
      ? text(source.unreadable === undefined ? 'not recognised' : `not read: ${source.unreadable.message}`)
      : code(source.format.id) +
        list(
          source.format.evidence.map((evidence) => code(evidence)),
          5,
        ),
    count(source.trajectories),
    source.skipped.length === 0
      ? '0'
      : count(source.skipped.length) +
        list(
          source.skipped.map(
            ({ record, line, message }) => `record ${record}${line === null ? '' : `, line ${line}`}: ${code(message)}`,
          ),
          5,
        ),
    text(source.missing.join(', '), 600) +
      list(
        [...(source.notes ?? []), ...source.drift].map((line) => code(line)),
        5,
      ),
  ])
  const columns = ['file', 'size', 'container', 'format', 'rollouts', 'skipped', 'not in this dump'].map((title) => ({
    title,
  }))
  const logged = (report.logs ?? []).map(
    (log) =>
      `<h3>${code(log.name)}</h3><p>${text(log.title)}, ${text(bytesText(log.bytes))}, no rollouts</p>${list([...loggedTexts(log), ...log.notes].map((line) => text(line)))}`,
  )
  const more = report.sources.length > FILES ? `<p>and ${counted(report.sources.length - FILES, 'more file')}</p>` : ''
  return `<section aria-labelledby=read>\n<h2 id=read>What was read</h2>\n${table('What was read', columns, rows)}\n${more}${logged.join('')}</section>`
}
