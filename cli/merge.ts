import { readFile } from 'node:fs/promises'
import { count, counted } from '../shared/model/number-text.ts'
import type { Report } from '../shared/model/report.ts'
import { type GivenReport, MergeError, readParts } from '../shared/session/merge/part.ts'
import { type Merged, mergeParts, refuseOthers } from '../shared/session/merge/run.ts'
import type { SplitGroup } from '../shared/session/merge/split.ts'
import { hasNumbers } from '../shared/session/opening/described-alone.ts'
import type { ParsedArguments } from './arguments.ts'
import { cannotOpen, type FoundFile, findFiles, readAll, STANDARD_INPUT } from './files.ts'
import { type CommandIo, type Exit, NothingReadError, UsageError } from './io.ts'
import { firstOf, LISTED } from './listed.ts'
import { tellNamedAgain } from './named-again.ts'
import { exitOf, judgedAgainst, reportOutput, writeReport, writeUnread } from './report-output.ts'
import { createTerminal } from './terminal.ts'

/** `merge REPORT…`: judges reports of parts of a run together, and writes the whole report as `inspect` does. */
export async function mergeCommand({ paths, options }: ParsedArguments, io: CommandIo): Promise<Exit> {
  if (paths.length === 0)
    throw new UsageError('Name the reports to merge: files that inspect --json wrote, or - for standard input.')
  const output = await reportOutput(options, io)
  const files = await reportFiles(paths, io)
  const otherFiles = options.against === undefined ? [] : await reportFiles(options.against as readonly string[], io)
  const { report, split } = judged(await readReports(files, io), await readReports(otherFiles, io))
  const inputs = [...files, ...otherFiles].map(({ path }) => path)
  warnOfSplit(split, io)
  warnOfNames(report, io)
  if (report.totals.trajectories === 0 && !report.logs?.some(hasNumbers)) {
    const nothing = new NothingReadError(
      `Nothing could be read: ${counted(files.length, 'report')}, and not one rollout in ${files.length === 1 ? 'it' : 'them'}. Their sources say why.`,
      { report, inputs },
    )
    await writeUnread(output, nothing, io)
    throw nothing
  }
  const unreadable = report.sources.flatMap(({ name, unreadable: why }) =>
    why === undefined ? [] : [{ name, message: why.message }],
  )
  const exit = exitOf(report, output.judgement)
  const judgement = judgedAgainst(output, report)
  await writeReport(
    { ...output, judgement },
    { report, mergeable: () => report, proofs: async () => null, unreadable, exit, inputs },
    io,
  )
  return exit
}

async function reportFiles(paths: readonly string[], io: CommandIo): Promise<FoundFile[]> {
  const files = new Map<string, FoundFile>()
  const again = new Map<string, FoundFile>()
  for (const path of paths) {
    const found = path === '-' ? [STANDARD_INPUT] : await findFiles(path, io.directory)
    if (found.length === 0) throw new UsageError(`${path} holds no files. Name a folder with reports in it.`)
    for (const file of found) (files.has(file.path) ? again : files).set(file.path, file)
  }
  tellNamedAgain([...again.values()], io)
  return [...files.values()]
}

async function readReports(files: readonly FoundFile[], io: CommandIo): Promise<GivenReport[]> {
  const reports: GivenReport[] = []
  for (const file of files) {
    const { path, name } = file
    try {
      const bytes = file === STANDARD_INPUT ? await readAll(io.stdin) : await readFile(path)
      reports.push({ name, text: bytes.toString('utf8') })
    } catch (error) {
      throw new UsageError(`${name} ${cannotOpen(error)}`)
    }
  }
  return reports
}

function judged(reports: readonly GivenReport[], second: readonly GivenReport[]): Merged {
  try {
    const parts = readParts(reports)
    const others = readParts(second)
    if (parts[0] !== undefined && others[0] !== undefined) refuseOthers(parts[0], others[0])
    return mergeParts(parts, others.length === 0 ? null : mergeParts(others).run)
  } catch (error) {
    if (!(error instanceof MergeError)) throw error
    // One that is damaged beside a good one is named wrongly; where there is no good one, nothing could be read.
    const nothing = error.kind === 'unreadable' && [reports, second].some(isUnreadable)
    throw nothing ? new NothingReadError(error.message) : new UsageError(error.message)
  }
}

/** Whether none of these is a report that can be read. */
function isUnreadable(reports: readonly GivenReport[]): boolean {
  return reports.length > 0 && reports.every((report) => isDamaged(report))
}

function isDamaged(report: GivenReport): boolean {
  try {
    mergeParts(readParts([report]))
    return false
  } catch (error) {
    return error instanceof MergeError && error.kind === 'unreadable'
  }
}

function warnOfSplit(split: readonly SplitGroup[], io: CommandIo): void {
  if (split.length === 0) return
  const groups = split.map(({ group, step, parts }) => {
    const where = parts.slice(0, LISTED).map(({ name, rollouts }) => `${name} ${count(rollouts)}`)
    const more = parts.length > LISTED ? [`${count(parts.length - LISTED)} more`] : []
    return `${group}${step === null ? '' : ` of step ${step}`} (${[...where, ...more].join(', ')})`
  })
  // Where a size is known, the group is not whole in all reports together.
  const advice = split.every(({ size }) => size !== null)
    ? ''
    : ' Where the reports hold them whole, inspect with --group-size.'
  createTerminal(io.stderr, io.env).line(
    `${counted(split.length, 'group')} ${split.length === 1 ? 'has' : 'have'} rollouts in several reports and ${split.length === 1 ? 'is' : 'are'} incomplete: ${firstOf(groups, '; ')}. Checks of groups leave them out, as they do when all files are read at once.${advice}`,
    2,
  )
}

/** A name is all that tells people where a finding is. */
function warnOfNames({ sources }: Report, io: CommandIo): void {
  const names = new Map<string, number>()
  for (const { name } of sources) names.set(name, (names.get(name) ?? 0) + 1)
  const [shared] = [...names].filter(([, times]) => times > 1)
  if (shared === undefined) return
  createTerminal(io.stderr, io.env).line(
    `${counted(shared[1], 'file')} are called ${shared[0]}, and only their numbers in the report tell them apart. Inspect the files of each report with --relative-to and the folder of the run.`,
    2,
  )
}
