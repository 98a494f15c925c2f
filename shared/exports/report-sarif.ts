import { CHECKS } from '../checks/registry.ts'
import type { Finding, Report, Severity } from '../model/report.ts'
import { whereText } from './phrases.ts'
import type { ReportFormat } from './report-formats.ts'
import { visibleText } from './visible-text.ts'

const LEVEL: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' }

/**
 * SARIF 2.1.0 (OASIS). A finding's place is a logical location (record, turn, tokens): a dump is no source code, and a
 * line number that is not certain is not made up. What the policy intends is a suppressed result.
 */
export const sarifReport: ReportFormat = {
  id: 'sarif',
  title: 'SARIF 2.1.0, for code hosts',
  write(report, { known }) {
    const log = {
      $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: report.tool.name, version: report.tool.version, rules: rules(report) } },
          artifacts: report.sources.map((source) => ({
            location: { uri: uri(source.name) },
            length: source.bytes,
            ...(source.sha256 === null ? {} : { hashes: { 'sha-256': source.sha256 } }),
          })),
          results: report.findings.map((finding) => result(report, finding, known)),
          ...(report.thresholds === undefined ? {} : { properties: { thresholds: report.thresholds } }),
        },
      ],
    }
    return `${JSON.stringify(log, null, 2)}\n`
  },
}

function rules(report: Report) {
  return report.checks.map((check) => {
    const about = CHECKS.find((candidate) => candidate.code === check.code)
    return {
      id: check.code,
      name: check.name,
      shortDescription: { text: check.title },
      ...(about === undefined ? {} : { fullDescription: { text: about.why }, help: { text: about.fix } }),
      defaultConfiguration: { level: LEVEL[check.severity] },
    }
  })
}

function result(report: Report, finding: Finding, known: ReadonlySet<string>) {
  const rule = report.checks.findIndex((check) => check.code === finding.code)
  return {
    ruleId: finding.code,
    ...(rule < 0 ? {} : { ruleIndex: rule }),
    level: LEVEL[finding.severity],
    message: { text: visibleText(finding.message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uri(report.sources[finding.source]?.name ?? ''), index: finding.source },
        },
        logicalLocations: [{ fullyQualifiedName: visibleText(whereText(report, finding)) }],
      },
    ],
    partialFingerprints: { 'rolloutInspector/v1': finding.fingerprint },
    ...(known.size === 0 ? {} : { baselineState: known.has(finding.fingerprint) ? 'unchanged' : 'new' }),
    ...(finding.intended === true
      ? { suppressions: [{ kind: 'external', justification: 'The declared policy intends it.' }] }
      : {}),
    properties: {
      record: finding.record,
      part: finding.part,
      trajectory: finding.trajectory,
      group: finding.group,
      turn: finding.turn,
      tokens: finding.tokens,
    },
  }
}

function uri(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
