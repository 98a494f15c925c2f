import type { AuditOptions } from '../../model/policy.ts'
import type { LogReport } from '../../model/report.ts'
import type { ByteSource } from '../../model/source.ts'
import { doesItsShare, scanningAhead, startWorkers } from '../audit/pool.ts'
import { canBeScanned, type ScansAhead } from '../audit/scans-ahead.ts'
import { Follower } from '../following/follow.ts'
import { dumpHash } from '../hashes.ts'
import type { EngineHost, WorkerLink } from '../host.ts'
import { type Reading, readOnce } from '../reading.ts'
import type { SessionHooks } from '../session.ts'
import { joinSources } from './join-sources.ts'
import { openFile } from './open-file.ts'
import { bytesOf, type OpenSource, type UnreadableFile } from './open-source.ts'
import { inTheirRun, type RunDescription } from './run-context.ts'
import { survey } from './survey.ts'

/** What a session begins with: everything that is known before the first pass over the records. */
export interface OpenedReading {
  readonly reading: Reading
  readonly hash: string
  /** Started and not yet given a plan; none where a run is followed. */
  readonly workers: readonly WorkerLink[]
  /** What is read ahead of this thread, in place of them. */
  readonly ahead: ScansAhead | null
}

/** Opens, surveys and joins sources, or those of a run that is followed; throws as `Session.open` does. */
export async function openReading(
  sources: readonly ByteSource[],
  options: AuditOptions,
  host: EngineHost,
  hooks: Pick<SessionHooks, 'signal' | 'follow' | 'addedTokenizers' | 'unopened'>,
): Promise<OpenedReading> {
  const { signal, follow, addedTokenizers = [], unopened = [] } = hooks
  if (follow !== undefined) {
    const follower = new Follower(follow, options, host, addedTokenizers)
    await follower.open(signal ?? new AbortController().signal)
    const hash = await dumpHash(follower.begunWith, host)
    // Nobody would end following any more.
    signal?.throwIfAborted()
    return { reading: follower, hash, workers: [], ahead: null }
  }
  const opened: OpenSource[] = []
  const unreadable: UnreadableFile[] = [...unopened]
  const logs: LogReport[] = []
  const descriptions: RunDescription[] = []
  for (const given of sources) {
    signal?.throwIfAborted()
    const file = await openFile(given, opened.length, options, signal)
    opened.push(...file.opened)
    unreadable.push(...file.unreadable)
    logs.push(...file.logs)
    descriptions.push(...file.descriptions)
  }
  const inRun = inTheirRun(opened, descriptions)
  // They need about as long to be ready as the survey takes, but slow it down: where somebody waits for the first rollouts none is started yet.
  let ahead = scanningAhead(inRun, host)
  const startOthers = () => (host.firstHere ? [] : startWorkers(bytesOf(opened), host, doesItsShare(host)))
  let workers = ahead === null ? startOthers() : []
  try {
    const found = await survey(inRun, options, host, addedTokenizers)
    const hash = await dumpHash(sources, host)
    signal?.throwIfAborted()
    const surveyed = (await joinSources(inRun, signal)).map((open) => ({ ...open, sample: [] }))
    signal?.throwIfAborted()
    // Records that others were joined to are more than what lies in their file.
    if (ahead !== null && !surveyed.every(canBeScanned)) {
      ahead.close()
      ahead = null
      workers = startOthers()
    }
    return { reading: readOnce(surveyed, found, { unreadable, logs }), hash, workers, ahead }
  } catch (error) {
    ahead?.close()
    for (const worker of workers) worker.terminate()
    throw error
  }
}
