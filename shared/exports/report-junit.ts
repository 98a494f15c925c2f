import { counted } from '../model/number-text.ts'
import type { CheckResult, Finding, HypothesisResult, Report } from '../model/report.ts'
import { baselineText } from './against-baseline.ts'
import { markupText } from './markup.ts'
import {
  extentText,
  failingUnlisted,
  fails,
  intendedTexts,
  type Judgement,
  measureText,
  omittedText,
  termsOf,
  thresholdsText,
  verdictText,
  whereText,
} from './phrases.ts'
import type { ReportFormat } from './report-formats.ts'

/** Findings listed in one failure; a systematic fault would fill a CI log with copies of itself. */
const LISTED = 20

/** Checks go through the rollouts together and are not timed one by one. Readers that take the attribute for granted (dorny/test-reporter) would show NaN. */
const NO_TIME = ' time="0"'

/**
 * JUnit XML, as CI servers read it: one test case per check. A case fails when a finding of it makes `inspect` fail;
 * checks that lack a stream or have nothing to look at are skipped with the reason. Verdicts are a suite of their own: they explain
 * a run and fail nothing. Where nothing could be read, a case of its own is an error.
 */
export const junitReport: ReportFormat = {
  id: 'junit',
  title: 'JUnit XML, for CI',
  write(report, judgement, _proofs = null, unread = []) {
    const unlisted = failingUnlisted(report, judgement)
    const cases = [
      ...unreadCase(unread),
      ...(unread.length === 0 ? skippedCase(report) : []),
      ...report.checks.map((check) => testCase(report, check, judgement, unlisted.has(check.code))),
    ]
    const errors = unread.length === 0 ? '' : ' errors="1"'
    const failures = cases.filter((text) => text.includes('<failure')).length
    const skipped = cases.filter((text) => text.includes('<skipped')).length
    const verdicts = report.hypotheses.map(verdictCase)
    const undecided = verdicts.filter((text) => text.includes('<skipped')).length
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites name="rollout-inspector" tests="${cases.length + verdicts.length}" failures="${failures}"${errors}${NO_TIME}>`,
      `  <testsuite name="${markupText(suiteName(report))}" tests="${cases.length}" failures="${failures}"${errors} skipped="${skipped}"${NO_TIME}>`,
      ...properties(report, judgement),
      ...cases,
      '  </testsuite>',
      `  <testsuite name="verdicts" tests="${verdicts.length}" failures="0" skipped="${undecided}"${NO_TIME}>`,
      ...verdicts,
      '  </testsuite>',
      '</testsuites>',
      '',
    ].join('\n')
  },
}

/** Files that the name of the suite tells; a run may have hundreds. */
const NAMED_FILES = 3

function suiteName({ sources }: Report): string {
  const names = sources.slice(0, NAMED_FILES).map(({ name }) => name)
  const more = sources.length - names.length
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${counted(more, 'more file')}`
}

/** What a result rests on beside the defaults, and what the list of findings lacks. */
function properties(report: Report, judgement: Judgement): string[] {
  const omitted = omittedText(report)
  const compared = baselineText(judgement)
  const told = [
    ...(report.thresholds === undefined ? [] : [{ name: 'thresholds', value: thresholdsText(report) }]),
    ...(omitted === null ? [] : [{ name: 'findings_omitted', value: omitted }]),
    ...(report.policy.intended.length === 0 ? [] : [{ name: 'intended', value: intendedTexts(report).join(', ') }]),
    ...(compared === null ? [] : [{ name: 'baseline', value: compared }]),
  ]
  if (told.length === 0) return []
  const each = told.map(({ name, value }) => `<property name="${name}" value="${markupText(value)}"/>`)
  return [`    <properties>${each.join('')}</properties>`]
}

function unreadCase([said, ...reasons]: readonly string[]): string[] {
  if (said === undefined) return []
  const body = markupText(reasons.join('\n'), true)
  return [
    `    <testcase classname="rollout-inspector" name="Rollouts can be read"${NO_TIME}><error message="${markupText(said)}" type="error">${body}</error></testcase>`,
  ]
}

/** Records and files that could not be read where others were: they fail nothing, but what passes does not speak of them. */
function skippedCase({ sources }: Report): string[] {
  const records = sources.flatMap(({ name, skipped }) =>
    skipped.map(
      ({ record, line: at, message }) => `${name}: record ${record}${at === null ? '' : ` (line ${at})`}: ${message}`,
    ),
  )
  const files = sources.flatMap(({ name, unreadable }) =>
    unreadable === undefined ? [] : [`${name}: ${unreadable.message}`],
  )
  const parts = [
    ...(files.length === 0 ? [] : [counted(files.length, 'file')]),
    ...(records.length === 0 ? [] : [counted(records.length, 'record')]),
  ]
  if (parts.length === 0) return []
  const told = [...files, ...records]
  const lines = told.length > LISTED ? [...told.slice(0, LISTED), `and ${told.length - LISTED} more`] : told
  return [
    `    <testcase classname="rollout-inspector" name="Every record can be read"${NO_TIME}><skipped message="${parts.join(' and ')} could not be read"/><system-out>${markupText(lines.join('\n'), true)}</system-out></testcase>`,
  ]
}

/** @param failsUnlisted findings of it that are not in the list make `inspect` fail */
function testCase(report: Report, check: CheckResult, judgement: Judgement, failsUnlisted: boolean): string {
  const head = `    <testcase classname="rollout-inspector" name="${markupText(`${check.code} ${check.title}`)}"${NO_TIME}`
  if (check.status === 'not-checkable' || check.status === 'not-applicable') {
    return `${head}><skipped message="${markupText(check.reason ?? check.status)}"/></testcase>`
  }
  const listed = report.findings.filter(({ code }) => code === check.code)
  const failing = listed.filter((finding) => fails(finding, judgement))
  if (failing.length === 0 && !failsUnlisted) return `${head}/>`
  const lines = failing.slice(0, LISTED).map((finding) => line(report, finding))
  if (failing.length > LISTED) lines.push(`and ${failing.length - LISTED} more`)
  if (failing.length === 0) {
    const where = listed.length === 0 ? 'None of its findings is in the list.' : 'What fails is not in the list.'
    lines.push(`${where} ${omittedText(report) ?? ''}`.trimEnd())
  }
  return `${head}><failure message="${markupText(extentText(check))}" type="${check.severity}">${markupText(lines.join('\n'), true)}</failure></testcase>`
}

function verdictCase(result: HypothesisResult): string {
  const name = markupText(`${result.id} ${result.title}`)
  const head = `    <testcase classname="rollout-inspector.verdicts" name="${name}"${NO_TIME}>`
  const skipped =
    result.verdict === 'not-checkable' ? `<skipped message="${markupText(`lacks ${result.missing.join('; ')}`)}"/>` : ''
  const lines = [
    verdictText(result),
    ...result.because.map(measureText),
    ...termsOf(result).flatMap(({ term, items }) => [`${term}:`, ...items.map((item) => `  ${item}`)]),
  ]
  return `${head}${skipped}<system-out>${markupText(lines.join('\n'), true)}</system-out></testcase>`
}

function line(report: Report, finding: Finding): string {
  const at = finding.line === undefined ? '' : `, line ${finding.line}`
  return `${whereText(report, finding)}${at}: ${finding.message}`
}
