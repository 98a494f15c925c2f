import type { Location, Log, Notification, PhysicalLocation, PropertyBag, ReportingDescriptor, Result } from 'sarif'
import { clipped } from '../model/clipped.ts'
import type { Finding, Report, Severity, SourceReport } from '../model/report.ts'
import { shortName } from '../model/short-name.ts'
import { checkPage } from './check-page.ts'
import { pageMarkdown, pageText } from './check-page-text.ts'
import { inertJson } from './json-text.ts'
import { whereText } from './phrases.ts'
import type { ReportFormat } from './report-formats.ts'
import { visibleText } from './visible-text.ts'

const LEVEL: Record<Severity, 'error' | 'warning' | 'note'> = { error: 'error', warning: 'warning', info: 'note' }

/** Members of a group and skipped records that are told one by one. */
const LISTED = 64

/**
 * SARIF 2.1.0 (OASIS). A finding's place is the line of its record, where the container has lines, and a logical location
 * (record, turn, tokens). What the policy intends is a suppressed result; records that were skipped and checks that could not
 * look are notifications; the verdicts stand among the properties of the run. A rule carries its documentation in full, so that
 * it needs no address on the web.
 */
export const sarifReport: ReportFormat = {
  id: 'sarif',
  title: 'SARIF 2.1.0, for code hosts',
  write(report, { known }, _proofs = null, unread = []) {
    const log: Log = {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: report.tool.name, version: report.tool.version, rules: rules(report) } },
          invocations: [
            {
              executionSuccessful: unread.length === 0,
              toolExecutionNotifications: [...nothingRead(unread), ...report.sources.flatMap(notRead)],
              toolConfigurationNotifications: notLooked(report),
            },
          ],
          artifacts: report.sources.map((source) => ({
            location: { uri: uri(source.name) },
            length: source.bytes,
            ...(source.sha256 === null ? {} : { hashes: { 'sha-256': source.sha256 } }),
          })),
          columnKind: 'utf16CodeUnits',
          results: report.findings.map((finding) => result(report, finding, known)),
          properties: runProperties(report),
        },
      ],
    }
    return `${inertJson(log)}\n`
  },
}

function rules(report: Report): ReportingDescriptor[] {
  return report.checks.map((check) => {
    const page = checkPage(check.code)
    const why = page?.sections[0]?.items[0]?.text
    return {
      id: check.code,
      name: check.name,
      shortDescription: { text: check.title },
      ...(why === undefined ? {} : { fullDescription: { text: why } }),
      ...(page === null ? {} : { help: { text: pageText(page), markdown: pageMarkdown(page) } }),
      defaultConfiguration: { level: LEVEL[check.severity] },
    }
  })
}

function result(report: Report, finding: Finding, known: ReadonlySet<string>): Result {
  const rule = report.checks.findIndex((check) => check.code === finding.code)
  const { members } = finding
  // A group is shown where its first member is, and names the others.
  const place = finding.record === null ? (members?.[0] ?? finding) : finding
  return {
    ruleId: finding.code,
    ...(rule < 0 ? {} : { ruleIndex: rule }),
    level: LEVEL[finding.severity],
    message: { text: messageText(finding.message) },
    locations: [
      {
        physicalLocation: physical(report, place),
        logicalLocations: [{ fullyQualifiedName: visibleText(whereText(report, finding)) }],
      },
    ],
    ...(members === null || members.length === 0
      ? {}
      : { relatedLocations: members.slice(0, LISTED).map((member, id) => memberLocation(report, member, id)) }),
    partialFingerprints: { 'rolloutInspector/v1': finding.fingerprint },
    ...(known.size === 0 ? {} : { baselineState: known.has(finding.fingerprint) ? 'unchanged' : 'new' }),
    ...(finding.intended === true
      ? { suppressions: [{ kind: 'external', justification: 'The declared policy intends it.' }] }
      : {}),
    properties: {
      record: finding.record,
      part: finding.part,
      trajectory: finding.trajectory === null ? null : shortName(finding.trajectory),
      group: finding.group === null ? null : shortName(finding.group),
      turn: finding.turn,
      tokens: finding.tokens,
    },
  }
}

function physical(
  report: Report,
  { source, line }: { readonly source: number; readonly line?: number },
): PhysicalLocation {
  return {
    artifactLocation: { uri: uri(report.sources[source]?.name ?? ''), index: source },
    ...(line === undefined ? {} : { region: { startLine: line } }),
  }
}

function memberLocation(report: Report, member: NonNullable<Finding['members']>[number], id: number): Location {
  return {
    id,
    physicalLocation: physical(report, member),
    message: { text: messageText(`rollout ${shortName(member.trajectory)}, record ${member.record}`) },
  }
}

function nothingRead(unread: readonly string[]): Notification[] {
  return unread.length === 0 ? [] : [{ level: 'error', message: { text: messageText(unread.join(' ')) } }]
}

/** Records that were skipped, and a source of which nothing could be read. */
function notRead({ name, unreadable, skipped }: SourceReport, index: number): Notification[] {
  const artifactLocation = { uri: uri(name), index }
  const told = skipped.slice(0, LISTED).map(({ record, line, message }): Notification => {
    const region = line === null ? {} : { region: { startLine: line } }
    return {
      level: 'warning',
      message: { text: messageText(`record ${record} was skipped: ${message}`) },
      locations: [{ physicalLocation: { artifactLocation, ...region } }],
    }
  })
  const more = skipped.length - told.length
  const whole = (level: 'warning' | 'error', text: string): Notification => ({
    level,
    message: { text: messageText(text) },
    locations: [{ physicalLocation: { artifactLocation } }],
  })
  return [
    ...told,
    ...(more > 0 ? [whole('warning', `${more} more records were skipped`)] : []),
    ...(unreadable === undefined ? [] : [whole('error', unreadable.message)]),
  ]
}

/** Checks that lack something. */
function notLooked({ checks }: Report): Notification[] {
  return checks.flatMap(({ code, status, reason, needs }, index): Notification[] =>
    status === 'not-checkable'
      ? [
          {
            level: 'note',
            message: { text: messageText(reason ?? `needs ${needs.join(', ')}`) },
            associatedRule: { id: code, index },
          },
        ]
      : [],
  )
}

/** What no result can hold: the verdicts as the JSON report has them, known defects, and what all of it rests on. */
function runProperties({ hypotheses, defects, tokenizer, policy, limits, thresholds }: Report): PropertyBag {
  return {
    verdicts: hypotheses,
    defects,
    tokenizer,
    policy,
    limits,
    ...(thresholds === undefined ? {} : { thresholds }),
  }
}

/** Characters of a message: ours are shorter, but some quote a dump. */
const LONGEST_TEXT = 2000

/** Text of a message. `[text](place)` would be a link there, which it is not once its bracket is escaped (SARIF 2.1.0, 3.11.6). */
function messageText(text: string): string {
  return visibleText(clipped(text, LONGEST_TEXT)).replaceAll('](', '\\](')
}

/**
 * A URI reference for a file name that leads nowhere above or beside the run: no step upwards, no host. Halves of
 * characters, which no URI can hold, are replaced.
 */
function uri(name: string): string {
  return name
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/^\/+/, '')
    .split('/')
    .map((step) => (/^\.{1,2}$/.test(step) ? step.replaceAll('.', '_') : encodeURIComponent(step)))
    .join('/')
}
