import { availableParallelism } from 'node:os'
import { Session } from '../shared/session/session.ts'
import type { ParsedArguments } from './arguments.ts'
import { openPaths } from './files.ts'
import { nodeHost } from './host.ts'
import { type CommandIo, NothingReadError, UsageError } from './io.ts'
import { auditOptions } from './options.ts'
import { progressLine } from './progress.ts'
import { givenTokenizer } from './tokenizer-files.ts'

/** A finished audit of what a person named. */
export interface Audit {
  readonly session: Session
  /** Files that could not be opened or read, each with a sentence. */
  readonly unreadable: readonly { readonly name: string; readonly message: string }[]
  /** Absolute paths of the inputs. */
  readonly inputs: readonly string[]
}

/** More threads than this only wait for each other. */
const MOST_JOBS = 64

/**
 * Opens the paths of a command and audits them to the end. Throws `UsageError` for what cannot be asked, and
 * `NothingReadError` when not one rollout could be read.
 */
export async function audit(
  { paths, options }: ParsedArguments,
  io: CommandIo,
  overrides: { readonly maxFindings?: number } = {},
): Promise<Audit> {
  if (paths.length === 0) throw new UsageError('Name at least one file or folder, or - for standard input.')
  const given = options.tokenizer as string | undefined
  const added = given === undefined ? null : await givenTokenizer(given, io)
  const settings = { ...auditOptions(options, added?.id ?? given ?? null), ...overrides }
  const opened = await openPaths(paths, io)
  const host = nodeHost(Math.min(MOST_JOBS, (options.jobs as number | undefined) ?? availableParallelism()))
  if (added !== null) await checkTokenizer(added, host)
  const progress = progressLine(io)
  try {
    const session = await Session.open(opened.sources, settings, host, {
      addedTokenizers: added === null ? [] : [added],
      onProgress: (now) => progress.show(now),
    })
    await session.done
    const unreadable = [...opened.problems, ...session.unreadable]
    if (session.facts.length === 0) throw new NothingReadError(nothingRead(unreadable, session))
    return { session, unreadable, inputs: opened.paths }
  } finally {
    progress.clear()
  }
}

async function checkTokenizer(...check: Parameters<typeof Session.checkTokenizer>): Promise<void> {
  try {
    await Session.checkTokenizer(...check)
  } catch (error) {
    throw new UsageError(`--tokenizer: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function nothingRead(unreadable: Audit['unreadable'], session: Session): string {
  const skipped = session
    .report()
    .sources.flatMap((source) => source.skipped.slice(0, 1).map(({ message }) => `${source.name}: ${message}`))
  const reasons = [...unreadable.map(({ message }) => message), ...skipped]
  const listed = reasons.slice(0, 8).map((reason) => `\n  ${reason}`)
  if (reasons.length > listed.length) listed.push(`\n  and ${reasons.length - listed.length} more`)
  return `Nothing could be read.${listed.join('')}`
}
