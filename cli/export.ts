import { stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { MANIFEST_NAME, writeExport } from '../shared/exports/export.ts'
import {
  EXPORT_IDS,
  type ExportId,
  type ExportSink,
  type ExportWriter,
  REPAIRED,
} from '../shared/exports/export-kind.ts'
import { count, counted } from '../shared/model/number-text.ts'
import type { CheckResult } from '../shared/model/report.ts'
import type { Session } from '../shared/session/session.ts'
import type { ParsedArguments } from './arguments.ts'
import { audit } from './audit.ts'
import { earlierExport, refuseForeignManifest, tellOfOrphans } from './earlier-export.ts'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { outputPath, refuseUnwritable } from './output.ts'
import { createTerminal } from './terminal.ts'
import { tellUnread } from './unread.ts'
import { choiceOf, chooseRollouts } from './where.ts'
import { cannotWrite, WholeFile } from './whole-file.ts'

/** `export PATH… --flagged|--where QUERY|--flags FILE --as KIND --out PATH`: writes the chosen rollouts and a manifest. */
export async function exportCommand(given: ParsedArguments, io: CommandIo): Promise<Exit> {
  const { options } = given
  if (options.flagged !== true && options.where === undefined && options.flags === undefined)
    throw new UsageError(
      'Say which rollouts: --flagged takes those with a finding, --where those that fit a query, --flags those that a person flagged.',
    )
  if (options.as === undefined) throw new UsageError(`Say how to write them: --as ${EXPORT_IDS.join('|')}.`)
  if (options.out === undefined) throw new UsageError('Say where to write: --out FOLDER.')
  const as = options.as as ExportId
  if (options['repair-masks'] === true && !REPAIRED.includes(as)) {
    throw new UsageError(`--repair-masks goes with --as ${REPAIRED.join(', ')}: ${as} holds no masks.`)
  }
  if (options['repair-masked-whole'] === true && options['repair-masks'] !== true) {
    throw new UsageError('--repair-masked-whole goes with --repair-masks, which it widens.')
  }
  if (options['fail-on'] !== undefined && options.flagged !== true) {
    throw new UsageError('--fail-on goes with --flagged: it says from which severity a finding chooses a rollout.')
  }
  const out = options.out as string
  if (out === '-') {
    throw new UsageError('--out -: an export has a manifest beside it and needs a folder, or a file. Name one.')
  }
  refuseCompressed(out)
  await refuseUnwritable(out, 'files', io)
  await refuseFileForFolder(out, io)
  const inFolder = await isFolderAt(out, io)
  await refuseForeignManifest(inFolder ? join(out, MANIFEST_NAME) : `${out}.${MANIFEST_NAME}`, io)
  const choice = await choiceOf(options, io)
  const { session, inputs, unreadable } = await audit(given, io)
  const terminal = createTerminal(io.stderr, io.env)
  tellUnread(unreadable, io)
  const { indices, why, notes } = await chooseRollouts(choice, session, io)
  for (const note of notes) terminal.line(note, 2)
  if (indices.length === 0) {
    const byFindingsAlone = choice.flagged === 'error' && choice.query === null && choice.marks === null
    const warned = byFindingsAlone && session.report().checks.some(isWarning)
    const more = warned ? ' There are warnings: --fail-on warning takes them too.' : ''
    terminal.line(`No rollout was chosen (${why}); nothing was written.${more}`, 2)
    return Exit.ok
  }
  const target = await chooseTarget(out, as, session, io)
  const before = await earlierExport(target(MANIFEST_NAME), io)
  const sink = new DiskSink(target, inputs, io)
  const [repairMasks, repairMaskedWhole] = [options['repair-masks'] === true, options['repair-masked-whole'] === true]
  const request = { as, indices, why, repairMasks, repairMaskedWhole }
  const manifest = await writeExport(session, request, sink).catch(async (error: unknown) => {
    await sink.discard()
    throw error
  })
  // Of those that were chosen for pairs, most stand in none.
  const done = as === 'dpo' ? 'chosen' : 'written'
  terminal.line(`${count(indices.length)} of ${counted(session.facts.length, 'rollout')} ${done}:`)
  const over = (name: string) => (sink.replaced.has(name) ? ', replaced what was there' : '')
  const inTable = as === 'csv' || as === 'parquet'
  for (const { name, records } of manifest.files) {
    terminal.line(`  ${target(name)}  ${counted(records, inTable ? 'row' : 'record')}${over(name)}`, 4)
  }
  terminal.line(`  ${target(MANIFEST_NAME)}${over(MANIFEST_NAME)}`, 4)
  for (const note of manifest.notes) terminal.line(note, 2)
  await tellOfOrphans(before, manifest, target, io)
  return Exit.ok
}

/** Nothing that is written is compressed, whatever it is called. Throws `UsageError`. */
function refuseCompressed(out: string): void {
  const ending = /\.(gz|zst|xz|bz2|zip)$/i.exec(out)?.[0]
  if (ending === undefined) return
  throw new UsageError(
    `--out ${out}: exports are not compressed. Name ${out.slice(0, -ending.length)}, and compress what was written.`,
  )
}

/** A name without an ending is that of a folder, which a file of that name leaves no place for. Throws `UsageError`. */
async function refuseFileForFolder(out: string, io: CommandIo): Promise<void> {
  const info = await stat(resolve(io.directory, out)).catch(() => null)
  if (info === null || info.isDirectory() || extname(basename(out)) !== '') return
  throw new UsageError(
    `--out ${out} is a file, and without an ending such as .jsonl it is taken for a folder. Name a folder, or a file with its ending.`,
  )
}

function isWarning({ status, severity }: CheckResult): boolean {
  return status === 'fail' && severity === 'warning'
}

async function isFolderAt(out: string, io: CommandIo): Promise<boolean> {
  const isFolder = (await stat(resolve(io.directory, out)).catch(() => null))?.isDirectory() === true
  return isFolder || extname(basename(out)) === '' || /[\\/]$/.test(out)
}

/** Where a file of the export goes: into a folder, or onto the one file that was named, its manifest beside it. */
async function chooseTarget(
  out: string,
  as: ExportId,
  session: Session,
  io: CommandIo,
): Promise<(name: string) => string> {
  if (await isFolderAt(out, io)) return (name) => join(out, name)
  if (as === 'csv') throw new UsageError(`--as csv writes two tables: --out ${out} has to be a folder.`)
  if (as !== 'dpo' && session.report().sources.length > 1) {
    throw new UsageError(`There is one file for each of several sources: --out ${out} has to be a folder.`)
  }
  return (name) => (name === MANIFEST_NAME ? `${out}.${MANIFEST_NAME}` : out)
}

/** Files on disk, of which none that was begun and not ended stays. */
class DiskSink implements ExportSink {
  private readonly begun = new Set<WholeFile>()
  /** Names of files in whose place there was another. */
  readonly replaced = new Set<string>()

  constructor(
    private readonly target: (name: string) => string,
    private readonly inputs: readonly string[],
    private readonly io: CommandIo,
  ) {}

  async open(name: string): Promise<ExportWriter> {
    const shown = this.target(name)
    const path = await outputPath(shown, this.inputs, this.io)
    if ((await stat(path).catch(() => null))?.isFile()) this.replaced.add(name)
    const file = await saying(shown, () => WholeFile.create(path))
    this.begun.add(file)
    return {
      write: (bytes) => saying(shown, () => file.write(bytes)),
      close: () =>
        saying(shown, async () => {
          await file.commit()
          this.begun.delete(file)
        }),
    }
  }

  /** Takes away what an export that failed has begun. */
  async discard(): Promise<void> {
    for (const file of this.begun) await file.discard()
  }
}

async function saying<T>(shown: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw new UsageError(`${shown} could not be written: ${cannotWrite(error)}. Nothing of it was kept.`)
  }
}
