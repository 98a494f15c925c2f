import { expandArchive } from '../../containers/archive/expand.ts'
import { UnreadableSource } from '../../containers/container.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { LogReport } from '../../model/report.ts'
import type { ByteSource } from '../../model/source.ts'
import { unreadMessage } from '../read-failure.ts'
import { type OpenSource, openSource, type UnreadableFile, UnreadRollouts } from './open-source.ts'
import { openRunMetadata, type RunDescription, unreadSettings } from './run-context.ts'

/** What a file turned out to be: one or more sources of rollouts, a log or a description of the run, or nothing that is read. */
export interface OpenedFile {
  readonly opened: readonly OpenSource[]
  readonly unreadable: readonly UnreadableFile[]
  readonly logs: readonly LogReport[]
  readonly descriptions: readonly RunDescription[]
}

/**
 * Opens a file, or all that are in it where it is an archive. Throws only the signal's reason.
 *
 * @param first number of its first source
 */
export async function openFile(
  given: ByteSource,
  first: number,
  options: Pick<AuditOptions, 'map' | 'maxUnpacked' | 'readAs'>,
  signal?: AbortSignal,
): Promise<OpenedFile> {
  const { map = null, maxUnpacked = null, readAs = null } = options
  const opened: OpenSource[] = []
  const unreadable: UnreadableFile[] = []
  const logs: LogReport[] = []
  const descriptions: RunDescription[] = []
  const expanded = await expandArchive(given, { maxUnpacked }).catch((error: unknown) => ({
    sources: [],
    problems: [describeUnreadable(given, error)],
  }))
  unreadable.push(...expanded.problems)
  for (const source of expanded.sources) {
    signal?.throwIfAborted()
    try {
      const own = { maxUnpacked, map, readAs, ...(signal ? { signal } : {}) }
      opened.push(await openSource(source, first + opened.length, own))
    } catch (error) {
      signal?.throwIfAborted()
      const described = await openRunMetadata(source)
      // A file of a known kind that says nothing of the run (rollouts that failed) is called what it is.
      if (error instanceof UnreadRollouts && (described === null || described.description !== null)) {
        unreadable.push(describeUnreadable(source, error))
        continue
      }
      if (described?.description != null) descriptions.push(described.description)
      // Loaded for files without rollouts alone.
      const runLogs = await import('./run-logs.ts').catch(() => null)
      const own = { maxUnpacked, ...(signal ? { signal } : {}) }
      const log = described?.report ?? (await runLogs?.openRunLog(source, own)) ?? null
      if (log === null) unreadable.push(await describeAsMeant(source, error))
      else logs.push(log)
    }
  }
  return { opened, unreadable, logs, descriptions }
}

/** Of settings that were too much to read people are told just that: nobody takes them for rollouts. */
async function describeAsMeant(source: ByteSource, error: unknown): Promise<UnreadableFile> {
  const isText = error instanceof UnreadableSource && error.code === 'not-json'
  const message = isText ? await unreadSettings(source) : null
  return message === null
    ? describeUnreadable(source, error)
    : { name: source.name, bytes: source.size, code: 'settings-unread', message }
}

function describeUnreadable({ name, size }: ByteSource, error: unknown): UnreadableFile {
  if (error instanceof UnreadableSource) return { name, bytes: size, code: error.code, message: error.message }
  return { name, bytes: size, code: 'read-error', message: unreadMessage({ name }, error) }
}
