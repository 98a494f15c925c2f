import { adviceSentences } from '../hypotheses/advice.ts'
import { skippedText } from '../model/lost-files.ts'
import { count, counted, percent } from '../model/number-text.ts'
import type { Report } from '../model/report.ts'
import { baselineText } from './against-baseline.ts'
import { type AlikeSources, alikeSources, sumOf } from './alike-sources.ts'
import { fixOf } from './check-page.ts'
import { markdownCell, markdownCode, markdownSentence } from './markup.ts'
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
  measureText,
  omittedText,
  proofOf,
  termsOf,
  thresholdsText,
  uncheckable,
  verdictText,
  whereText,
} from './phrases.ts'
import type { ReportFormat } from './report-formats.ts'

/** Markdown for issues and pull requests. Everything that comes from a dump stands in code spans. */
export const markdownReport: ReportFormat = {
  id: 'markdown',
  title: 'Markdown, for issues and pull requests',
  write(report, judgement, _proofs = null, unread = []) {
    const judged = () => [
      ...advice(report, judgement),
      ...sources(report),
      ...settings(report),
      ...verdicts(report),
      ...defects(report),
      ...checks(report),
      ...undecided(report),
    ]
    return [
      '# Rollout Inspector report',
      ...(unread.length === 0 ? judged() : [...nothingRead(unread), ...sources(report)]),
      '',
      `Written by ${report.tool.name} ${report.tool.version}.`,
      '',
    ].join('\n')
  },
}

function nothingRead([said = '', ...reasons]: readonly string[]): string[] {
  return [
    '',
    `**${markdownSentence(said)}**`,
    ...(reasons.length > 0 ? [''] : []),
    ...reasons.map((reason) => `- ${markdownCode(reason)}`),
  ]
}

function advice(report: Report, judgement: Judgement): string[] {
  const lines = adviceSentences(report, fixOf).map(
    ({ text, quotes, fix }) =>
      `${quotes ? markdownSentence(text) : markdownCell(text)}${fix === null ? '' : ` ${markdownSentence(fix)}`}`,
  )
  const compared = baselineText(judgement)
  return [
    '',
    '## What to do first',
    '',
    ...lines.map((line) => `- ${line}`),
    ...(compared === null ? [] : ['', compared]),
  ]
}

/** Files, and lines of one of them, that are told. GitHub takes 65,536 characters for a comment, and a run may have a file for each step. */
const FILES = 20
const LINES = 10

function sources(report: Report): string[] {
  const lines = ['', '## What was read', '']
  const alike = alikeSources(report.sources)
  for (const files of alike.slice(0, FILES)) lines.push(...source(files))
  const more = alike.slice(FILES).reduce((sum, { length }) => sum + length, 0)
  if (more > 0) lines.push(`- and ${counted(more, 'more file')}`)
  for (const log of report.logs ?? []) {
    lines.push(`- ${markdownCode(log.name)} (${bytesText(log.bytes)}, ${ownWords(log.title)}): no rollouts`)
    for (const text of [...loggedTexts(log), ...log.notes]) lines.push(`  - ${markdownCode(text)}`)
  }
  return lines
}

function source(alike: AlikeSources): string[] {
  const [first] = alike
  const last = alike.at(-1) ?? first
  const others =
    alike.length === 1
      ? ''
      : ` and ${counted(alike.length - 1, 'more file')} like it, the last ${markdownCode(last.name)}`
  const format = first.format === null ? 'not recognised' : markdownCode(first.format.id)
  const { skipped, missing, unreadable } = first
  const told = (items: readonly string[]) => [
    ...items.slice(0, LINES).map((item) => `  - ${item}`),
    ...(items.length > LINES ? [`  - and ${count(items.length - LINES)} more`] : []),
  ]
  return [
    `- ${markdownCode(first.name)}${others} (${bytesText(sumOf(alike, 'bytes'))}, ${ownWords(first.container ?? 'unknown container')}, ${format}): ` +
      `${counted(sumOf(alike, 'trajectories'), 'rollout')} in ${counted(sumOf(alike, 'records'), 'record')}` +
      (skipped.length > 0 ? `, ${skippedText([first])}` : ''),
    ...(unreadable === undefined ? [] : [`  - not read: ${markdownCode(unreadable.message)}`]),
    ...told((first.format?.evidence ?? []).map(markdownCode)),
    ...(missing.length > 0 ? [`  - not in this dump: ${missing.join(', ')}`] : []),
    ...told([...(first.notes ?? []), ...first.drift].map(markdownCode)),
    ...told(
      skipped.map(({ record, line, message }) => {
        const at = line === null ? '' : ` (line ${line})`
        return `record ${record}${at} skipped: ${markdownCode(message)}`
      }),
    ),
  ]
}

/** Words that the program writes into a report; of one that was merged anybody may have written them. */
function ownWords(text: string): string {
  return /^[\w ,.+-]*$/.test(text) ? text : markdownCode(text)
}

function settings(report: Report): string[] {
  const { tokens } = report.totals
  const limits = limitTexts(report)
  return [
    '',
    `- Tokenizer: ${report.tokenizer.id === null ? 'none' : markdownCode(report.tokenizer.id)} (${report.tokenizer.origin})`,
    `- Policy: ${report.policy.id} (${report.policy.origin}), mask alignment ${report.policy.mask_alignment}`,
    ...(report.policy.intended.length > 0 ? [`- Meant by the policy: ${intendedTexts(report).join(', ')}`] : []),
    ...(limits.length > 0 ? [`- Limits: ${limits.join(', ')}`] : []),
    ...(report.thresholds === undefined ? [] : [`- Thresholds that were set: ${thresholdsText(report)}`]),
    `- ${counted(report.totals.trajectories, 'rollout')}, ${groupsText(report) ?? '0 groups'}, ${counted(report.totals.turns, 'turn')}, ${counted(tokens.total, 'token')}: ` +
      `${count(tokens.trained)} trained, ${count(tokens.masked)} masked, ${count(tokens.padding)} padding, ${count(tokens.unknown)} unknown; ${count(tokens.lost)} lost`,
  ]
}

function verdicts(report: Report): string[] {
  if (report.hypotheses.length === 0) return []
  const lines = ['', '## Verdicts', '']
  for (const result of report.hypotheses) {
    lines.push(`- **${result.id} ${result.title}: ${verdictText(result)}**`)
    for (const measure of result.because) lines.push(`  - ${markdownSentence(measureText(measure))}`)
    for (const { term, items } of termsOf(result)) {
      lines.push(`  - ${term}:`, ...items.map((item) => `    - ${markdownSentence(item)}`))
    }
  }
  return lines
}

function defects(report: Report): string[] {
  if (report.defects.length === 0) return []
  return [
    '',
    '## Known defects',
    '',
    causeIdsText(report.defects),
    '',
    ...report.defects.map(
      (defect) => `- **${defect.id}** ${defect.title}: ${defectPlacesText(defect)} (${defect.checks.join(', ')})`,
    ),
  ]
}

function checks(report: Report): string[] {
  const failing = failingChecks(report)
  if (failing.length === 0) return ['', '## Checks', '', 'No check fails.']
  const rows = failing.map((check) => {
    const cells = [check.code, check.title, check.severity, percent(check.rate), extentText(check), byTurnText(check)]
    return `| ${cells.map(markdownCell).join(' | ')} |`
  })
  const proofs = failing.flatMap((check) => {
    const finding = proofOf(report, check.code)
    if (finding === null) return []
    const line = finding.line === undefined ? '' : `, line ${finding.line}`
    return [`- ${check.code}: ${markdownCode(`${finding.message} (${whereText(report, finding)}${line})`)}`]
  })
  const heading =
    proofs.length === failing.length
      ? 'The first finding of each:'
      : 'The first finding of each that has one in the list:'
  const omitted = omittedText(report)
  return [
    '',
    '## Checks that fail',
    '',
    '| code | fault | severity | rate | extent | by assistant turn |',
    '|---|---|---|---|---|---|',
    ...rows,
    ...(proofs.length > 0 ? ['', heading, '', ...proofs] : []),
    ...(omitted === null ? [] : ['', omitted]),
  ]
}

function undecided(report: Report): string[] {
  const reasons = uncheckable(report)
  if (reasons.length === 0) return []
  return [
    '',
    '## What this dump cannot decide',
    '',
    ...reasons.map(({ reason, codes }) => `- ${codes.join(', ')}: ${markdownSentence(reason)}`),
  ]
}
