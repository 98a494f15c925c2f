import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { againstBaseline } from '../shared/exports/against-baseline.ts'
import { inertJson } from '../shared/exports/json-text.ts'
import { failingUnlisted, fails, type Judgement } from '../shared/exports/phrases.ts'
import type { Proofs } from '../shared/exports/proofs.ts'
import { REPORT_FORMATS, type ReportFormat } from '../shared/exports/report-formats.ts'
import type { Report } from '../shared/model/report.ts'
import { readReportText } from '../shared/session/report-text.ts'
import type { OptionValue } from './arguments.ts'
import { cannotOpen } from './files.ts'
import { type CommandIo, Exit, type NothingReadError, UsageError } from './io.ts'
import { isSameFile, refuseUnwritable, writeOutput } from './output.ts'
import { printSummary } from './summary.ts'
import { createTerminal } from './terminal.ts'
import { tellUnread } from './unread.ts'

/** Where a report goes, and in which forms: what `OUTPUT_OPTIONS` say. */
export interface ReportOutput {
  readonly json: string | undefined
  readonly format: ReportFormat | undefined
  /** Where `format` is written. */
  readonly out: string
  readonly judgement: Judgement
  /** A baseline was given. */
  readonly hasBaseline: boolean
}

/** Reads the options and the baseline. Throws `UsageError` for what cannot be. */
export async function reportOutput(
  options: Readonly<Record<string, OptionValue>>,
  io: CommandIo,
): Promise<ReportOutput> {
  const json = options.json as string | undefined
  const format = REPORT_FORMATS.find(({ id }) => id === options.format)
  const out = (options.out as string | undefined) ?? '-'
  if (options.out !== undefined && format === undefined) {
    throw new UsageError('--out says where --format is written. Add --format, or use --json PATH.')
  }
  if (json === '-' && format !== undefined && out === '-') {
    throw new UsageError('--json - and --format both go to standard output. Give one of them a path.')
  }
  if (json !== undefined && json !== '-' && out !== '-' && (await isSameFile(json, out, io))) {
    throw new UsageError(`--json and --out both name ${json}. Give one of them another path.`)
  }
  for (const path of [json, out]) if (path !== undefined) await refuseUnwritable(path, 'file', io)
  const baseline = await readBaseline(options.baseline as string | undefined, io)
  const judgement: Judgement = {
    failOn: (options['fail-on'] as Judgement['failOn'] | undefined) ?? 'error',
    known: new Set(baseline?.findings.map(({ fingerprint }) => fingerprint)),
  }
  return { json, format, out, judgement, hasBaseline: baseline !== null }
}

/** How a report is judged, with how its findings stand to the baseline: of a report that lists a part of them, nobody knows. */
export function judgedAgainst({ judgement, hasBaseline }: ReportOutput, report: Report): Judgement {
  if (!hasBaseline || report.findings_omitted > 0) return judgement
  return { ...judgement, baseline: againstBaseline(report, judgement.known) }
}

/** A report in its two lengths, and what people are told beside it. */
export interface Reported {
  readonly report: Report
  /** The report with what merging needs, made only where JSON is asked for. */
  mergeable(): Report
  proofs(format: ReportFormat): Promise<Proofs | null>
  /** Files that could not be read, each with a sentence. */
  readonly unreadable: readonly { readonly name: string; readonly message: string }[]
  /** What the command ends with. */
  readonly exit: Exit
  /** Option that chose some rollouts of all, as it was given. */
  readonly chosenBy?: string
  /** Absolute paths that must not be overwritten. */
  readonly inputs: readonly string[]
}

/** Writes a report in every form that was asked for; without one, prints the summary. */
export async function writeReport(
  { json, format, out, judgement }: ReportOutput,
  { report, mergeable, proofs, unreadable, exit, chosenBy, inputs }: Reported,
  io: CommandIo,
): Promise<void> {
  if (json !== undefined) await writeOutput(json, `${inertJson(mergeable())}\n`, inputs, io)
  if (format !== undefined) {
    await writeOutput(out, format.write(report, judgement, await proofs(format)), inputs, io)
  }
  if (json !== '-' && (format === undefined || out !== '-')) {
    printSummary(
      createTerminal(io.stdout, io.env),
      report,
      unreadable,
      { ...judgement, fails: exit === Exit.findings },
      chosenBy,
    )
    return
  }
  tellUnread(unreadable, io)
}

/** A report of files none of which could be read, for those who merge it, count what failed or upload it. */
export async function writeUnread(
  { json, format, out, judgement }: ReportOutput,
  { reported, message }: NothingReadError,
  io: CommandIo,
): Promise<void> {
  if (reported === null) return
  const { report, inputs } = reported
  if (json !== undefined) await writeOutput(json, `${inertJson(report)}\n`, inputs, io)
  if (format !== undefined) {
    const unread = message.split('\n').map((line) => line.trim())
    await writeOutput(out, format.write(report, judgement, null, unread), inputs, io)
  }
}

/** Exit code of a report: whether a finding, listed or not, stands at or above the severity that fails. */
export function exitOf(report: Report, judgement: Judgement): Exit {
  if (report.findings.some((finding) => fails(finding, judgement))) return Exit.findings
  return failingUnlisted(report, judgement).size > 0 ? Exit.findings : Exit.ok
}

/** What is read of a report that is a baseline: any version of this program may have written it. */
type Baseline = Pick<Report, 'findings'> & Partial<Pick<Report, 'findings_omitted'>>

async function readBaseline(path: string | undefined, io: CommandIo): Promise<Baseline | null> {
  if (path === undefined) return null
  let text: string
  try {
    text = await readFile(resolve(io.directory, path), 'utf8')
  } catch (error) {
    throw new UsageError(`--baseline ${path} ${cannotOpen(error)}`)
  }
  const read = readReportText(text)
  const isNone = 'isNone' in read ? read.isNone : 'is damaged: its findings are no list of findings'
  if ('isNone' in read || !hasFindings(read.report)) {
    throw new UsageError(`--baseline ${path} ${isNone}. Write one with inspect --json PATH.`)
  }
  const { findings_omitted = 0 } = read.report
  if (findings_omitted > 0) {
    createTerminal(io.stderr, io.env).line(
      `--baseline ${path} lists only a part of its findings (${findings_omitted} are left out): those will count as new. Write it with a larger --max-findings.`,
    )
  }
  return read.report
}

function hasFindings(report: Record<string, unknown>): report is Record<string, unknown> & Baseline {
  const { findings } = report
  return Array.isArray(findings) && findings.every((each) => typeof each?.fingerprint === 'string')
}
