import { availableParallelism } from 'node:os'
import type { Judgement } from '../shared/exports/phrases.ts'
import type { SecondRun } from '../shared/hypotheses/hypothesis.ts'
import { lostFiles } from '../shared/model/lost-files.ts'
import type { AuditOptions } from '../shared/model/policy.ts'
import type { EngineHost } from '../shared/session/host.ts'
import { describedAlone, hasNumbers } from '../shared/session/opening/described-alone.ts'
import { readsSlower } from '../shared/session/sentence.ts'
import { Session, type SessionHooks } from '../shared/session/session.ts'
import type { ParsedArguments } from './arguments.ts'
import { growLess } from './engine-flags.ts'
import { type OpenedSources, openPaths } from './files.ts'
import { followPaths } from './follow.ts'
import { judgingBegins, nodeHost } from './host.ts'
import { type CommandIo, NothingReadError, UsageError } from './io.ts'
import { auditOptions } from './options.ts'
import { progressLine } from './progress.ts'
import { createTerminal } from './terminal.ts'
import { givenTokenizer } from './tokenizer-files.ts'

/** A finished audit of what a person named. */
export interface Audit {
  readonly session: Session
  /** Files that could not be opened, or not be read to their end, each with a sentence. */
  readonly unreadable: readonly { readonly name: string; readonly message: string }[]
  /** Absolute paths of the inputs. */
  readonly inputs: readonly string[]
}

/** More threads than this only wait for each other. */
const MOST_JOBS = 64

/**
 * Opens the paths of a command and audits them to the end, which with --follow is when a finding fails under `judgement` or the person ends it. Throws `UsageError` for what cannot be asked, and
 * `NothingReadError` when not one rollout could be read.
 */
export async function audit(
  { paths, options }: ParsedArguments,
  io: CommandIo,
  overrides: { readonly maxFindings?: number } = {},
  judgement: Judgement | null = null,
): Promise<Audit> {
  if (paths.length === 0) throw new UsageError('Name at least one file or folder, or - for standard input.')
  const given = options.tokenizer as string | undefined
  const added = given === undefined ? null : await givenTokenizer(given, io)
  const settings = { ...auditOptions(options, added?.id ?? given ?? null), ...overrides }
  const relativeTo = (options['relative-to'] as string | undefined) ?? null
  const followed = options.follow === true ? await followPaths(paths, options, io, relativeTo) : null
  const opened = followed ?? (await openPaths(paths, io, relativeTo))
  const other = options.against === undefined ? null : await openPaths(options.against as readonly string[], io)
  const dataset = options.dataset === undefined ? null : await openPaths(options.dataset as readonly string[], io)
  growLess([...opened.sources, ...(other?.sources ?? [])].reduce((sum, { size }) => sum + size, 0))
  if (dataset !== null) await checkDataset(dataset, settings)
  const progress = progressLine(io)
  const host: EngineHost = {
    ...nodeHost(Math.min(MOST_JOBS, (options.jobs as number | undefined) ?? availableParallelism())),
    onSlower(reason) {
      progress.clear()
      createTerminal(io.stderr, io.env).line(readsSlower(reason), 2)
    },
  }
  if (added !== null) await checkTokenizer(given as string, added, host)
  const read = async (from: OpenedSources, against: SecondRun | null): Promise<Audit> => {
    const hooks: SessionHooks = {
      addedTokenizers: added === null ? [] : [added],
      onProgress: (now) => progress.show(now),
      against,
      unopened: from.problems,
      dataset: from === opened ? (dataset?.sources ?? []) : [],
    }
    const following = from === followed ? followed.begin(judgement, progress) : null
    const session = await Session.open(from.sources, settings, host, {
      ...hooks,
      ...(following === null ? {} : { follow: following }),
    })
    following?.judge(session)
    await session.done
    const tell = from === opened ? judgingBegins(session.facts.length) : null
    if (tell !== null) await session.settled(tell)
    const unreadable = [...session.unreadable, ...session.datasetProblems]
    if (session.facts.length === 0 && !session.logs.some(hasNumbers)) {
      const inputs = [...from.paths, ...(dataset?.paths ?? [])]
      const reported = from === opened ? { report: session.mergeableReport(), inputs } : null
      throw new NothingReadError(nothingRead(unreadable, session), reported)
    }
    return { session, unreadable: [...unreadable, ...lostFiles(session.report())], inputs: from.paths }
  }
  try {
    // The second run is read first: the verdicts on the first one want all of it.
    const second = other === null ? null : await read(other, null)
    const first = await read(opened, second?.session.secondRun() ?? null)
    return {
      session: first.session,
      unreadable: [...first.unreadable, ...(dataset?.problems ?? []), ...(second?.unreadable ?? [])],
      inputs: [...first.inputs, ...(dataset?.paths ?? []), ...(second?.inputs ?? [])],
    }
  } finally {
    progress.clear()
  }
}

async function checkTokenizer(given: string, ...check: Parameters<typeof Session.checkTokenizer>): Promise<void> {
  try {
    await Session.checkTokenizer(...check)
  } catch (error) {
    throw new UsageError(`--tokenizer ${given}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** A dataset that tells nothing is found out before hours are spent on the dump. */
async function checkDataset({ sources, problems }: OpenedSources, settings: AuditOptions): Promise<void> {
  const [problem] = problems
  if (sources.length === 0 && problem !== undefined) throw new UsageError(`--dataset: ${problem.message}`)
  try {
    await Session.checkDataset(sources, settings)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--dataset: ${said}${/[.!?]$/.test(said) ? '' : '.'}`)
  }
}

function nothingRead(unreadable: Audit['unreadable'], session: Session): string {
  const skipped = session
    .report()
    .sources.flatMap((source) => source.skipped.slice(0, 1).map(({ message }) => `${source.name}: ${message}`))
  const told = [...unreadable, ...describedAlone(session.logs)]
  const reasons = [...told.map(({ message }) => message), ...skipped]
  const listed = reasons.slice(0, 8).map((reason) => `\n  ${reason}`)
  if (reasons.length > listed.length) listed.push(`\n  and ${reasons.length - listed.length} more`)
  return `Nothing could be read.${listed.join('')}`
}
