import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { groupFindings } from '../shared/exports/finding-groups.ts'
import { atOrAbove, count, fails, type Judgement } from '../shared/exports/phrases.ts'
import { collectProofs, type Proofs } from '../shared/exports/proofs.ts'
import { REPORT_FORMATS, type ReportFormat } from '../shared/exports/report-formats.ts'
import { REPORT_SCHEMA, type Report } from '../shared/model/report.ts'
import { DEFAULT_MAX_FINDINGS } from '../shared/session/conclude.ts'
import type { Session } from '../shared/session/session.ts'
import type { ParsedArguments } from './arguments.ts'
import { audit } from './audit.ts'
import { cannotOpen } from './files.ts'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { safeJson, writeOutput } from './output.ts'
import { progressLine } from './progress.ts'
import { printSummary } from './summary.ts'
import { createTerminal } from './terminal.ts'

/** `inspect PATH…`: audits, writes the report in every form that was asked for, and tells by the exit code. */
export async function inspect(given: ParsedArguments, io: CommandIo): Promise<Exit> {
  const { options } = given
  const json = options.json as string | undefined
  const format = REPORT_FORMATS.find(({ id }) => id === options.format)
  const out = (options.out as string | undefined) ?? '-'
  if (options.out !== undefined && format === undefined) {
    throw new UsageError('--out says where --format is written. Add --format, or use --json PATH.')
  }
  if (json === '-' && format !== undefined && out === '-') {
    throw new UsageError('--json - and --format both go to standard output. Give one of them a path.')
  }
  const baseline = await readBaseline(options.baseline as string | undefined, io)
  const judgement: Judgement = {
    failOn: (options['fail-on'] as Judgement['failOn'] | undefined) ?? 'error',
    known: new Set(baseline?.findings.map(({ fingerprint }) => fingerprint)),
  }
  // A finding that is not listed cannot be compared with a baseline: all are kept, and the list is cut afterwards.
  const { session, unreadable, inputs } = await audit(
    given,
    io,
    baseline === null ? {} : { maxFindings: Number.MAX_SAFE_INTEGER },
  )
  const full = session.report()
  const exit = failing(full, judgement) ? Exit.findings : Exit.ok
  const report = baseline === null ? full : cut(full, (options['max-findings'] as number) ?? DEFAULT_MAX_FINDINGS)

  if (json !== undefined) await writeOutput(json, `${safeJson(report)}\n`, inputs, io)
  if (format !== undefined) {
    const proofs = await proofsFor(format, report, session, io)
    await writeOutput(out, format.write(report, judgement, proofs), inputs, io)
  }
  if (json !== '-' && (format === undefined || out !== '-')) {
    printSummary(createTerminal(io.stdout, io.env), report, unreadable, judgement)
  } else {
    const warnings = createTerminal(io.stderr, io.env)
    for (const { message } of unreadable) warnings.line(`not read: ${message}`, 2)
  }
  return exit
}

/** The tokens of the findings that a format shows: their rollouts are read again, one at a time. */
async function proofsFor(
  { showsProofs }: ReportFormat,
  report: Report,
  session: Session,
  io: CommandIo,
): Promise<Proofs | null> {
  if (showsProofs === undefined) return null
  const codes = groupFindings(report, showsProofs).flatMap((group) => group.codes)
  const progress = progressLine(io)
  try {
    return await collectProofs(
      session,
      codes.flatMap(({ findings }) => findings),
      { onProgress: (done, all) => progress.tell(`reading tokens of finding ${count(done + 1)} of ${count(all)}`) },
    )
  } finally {
    progress.clear()
  }
}

/** Whether a finding, listed or not, stands at or above the severity that fails. */
function failing(report: Report, judgement: Judgement): boolean {
  if (report.findings.some((finding) => fails(finding, judgement))) return true
  if (report.findings_omitted === 0) return false
  return report.checks.some(({ status, severity }) => status === 'fail' && atOrAbove(severity, judgement.failOn))
}

function cut(report: Report, maxFindings: number): Report {
  const findings = report.findings.slice(0, maxFindings)
  return { ...report, findings, findings_omitted: report.findings_omitted + report.findings.length - findings.length }
}

async function readBaseline(path: string | undefined, io: CommandIo): Promise<Report | null> {
  if (path === undefined) return null
  let text: string
  try {
    text = await readFile(resolve(io.directory, path), 'utf8')
  } catch (error) {
    throw new UsageError(`--baseline ${path} ${cannotOpen(error)}`)
  }
  let report: Partial<Report> | null
  try {
    report = JSON.parse(text)
  } catch {
    report = null
  }
  if (report?.schema !== REPORT_SCHEMA || !Array.isArray(report.findings)) {
    throw new UsageError(`--baseline ${path} is no report of this program. Write one with inspect --json PATH.`)
  }
  if ((report.findings_omitted ?? 0) > 0) {
    createTerminal(io.stderr, io.env).line(
      `--baseline ${path} lists only a part of its findings (${report.findings_omitted} are left out): those will count as new. Write it with a larger --max-findings.`,
    )
  }
  return report as Report
}
