import { groupFindings } from '../shared/exports/finding-groups.ts'
import { fails, type Judgement } from '../shared/exports/phrases.ts'
import { collectProofs, type Proofs } from '../shared/exports/proofs.ts'
import type { ReportFormat } from '../shared/exports/report-formats.ts'
import { count } from '../shared/model/number-text.ts'
import type { Finding, Report } from '../shared/model/report.ts'
import { DEFAULT_MAX_FINDINGS } from '../shared/session/concluding/conclude.ts'
import type { Session } from '../shared/session/session.ts'
import type { ParsedArguments } from './arguments.ts'
import { audit } from './audit.ts'
import { type CommandIo, type Exit, NothingReadError } from './io.ts'
import { progressLine } from './progress.ts'
import { exitOf, judgedAgainst, type Reported, reportOutput, writeReport, writeUnread } from './report-output.ts'

/** `inspect PATH…`: audits, writes the report in every form that was asked for, and tells by the exit code. */
export async function inspect(given: ParsedArguments, io: CommandIo): Promise<Exit> {
  const { options } = given
  const output = await reportOutput(options, io)
  // A finding that is not listed cannot be compared with a baseline: all are kept, and the list is cut afterwards.
  const overrides = output.hasBaseline ? { maxFindings: Number.MAX_SAFE_INTEGER } : {}
  const { session, unreadable, inputs } = await audit(given, io, overrides, output.judgement).catch(
    async (error: unknown) => {
      if (error instanceof NothingReadError) await writeUnread(output, error, io)
      throw error
    },
  )
  const maxFindings = output.hasBaseline ? ((options['max-findings'] as number) ?? DEFAULT_MAX_FINDINGS) : undefined
  const full = session.report()
  const report = maxFindings === undefined ? full : cut(full, maxFindings)
  const reported = {
    report,
    mergeable: () => session.mergeableReport(maxFindings),
    proofs: (format: ReportFormat) => proofsFor(format, report, session, io),
    unreadable,
    exit: exitOf(full, output.judgement),
    ...chosenBy(options),
    inputs,
  }
  const judgement = judgedAgainst(output, full)
  const unlisted = maxFindings === undefined ? undefined : codesThatFail(full.findings.slice(maxFindings), judgement)
  await writeReport(
    { ...output, judgement: unlisted === undefined ? judgement : { ...judgement, unlisted } },
    reported,
    io,
  )
  return reported.exit
}

function chosenBy(options: ParsedArguments['options']): Pick<Reported, 'chosenBy'> {
  const name = ['limit', 'sample'].find((each) => options[each] !== undefined)
  return name === undefined ? {} : { chosenBy: `--${name} ${options[name]}` }
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

/** Of findings that the list is cut behind. */
function codesThatFail(findings: readonly Finding[], judgement: Judgement): ReadonlySet<string> {
  return new Set(findings.filter((finding) => fails(finding, judgement)).map(({ code }) => code))
}

function cut(report: Report, maxFindings: number): Report {
  const findings = report.findings.slice(0, maxFindings)
  return { ...report, findings, findings_omitted: report.findings_omitted + report.findings.length - findings.length }
}
