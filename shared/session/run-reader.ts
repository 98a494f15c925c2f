import type { DatasetFacts } from '../checks/truncation/dataset.ts'
import type { Container } from '../containers/container.ts'
import type { ByteSource } from '../model/source.ts'
import { runPass } from './audit/pass.ts'
import {
  type AuditPool,
  auditingPool,
  doesItsShare,
  firstJobHere,
  sharedPool,
  startWorkers,
  workerPool,
} from './audit/pool.ts'
import type { ScansAhead } from './audit/scans-ahead.ts'
import { Follower } from './following/follow.ts'
import { SourceHash } from './hashes.ts'
import type { EngineHost, WorkerLink } from './host.ts'
import { LateHashes } from './late-hashes.ts'
import { chooseTrajectories } from './opening/choose.ts'
import type { OpenedReading } from './opening/open-reading.ts'
import { bytesOf } from './opening/open-source.ts'
import type { Progress } from './protocol.ts'
import { readDataset, unreadDataset } from './read-dataset.ts'
import type { Reading } from './reading.ts'

export interface ReadingHooks {
  onProgress?(progress: Progress): void
  readonly signal?: AbortSignal
  /** The dataset that the run was started with, which tells what never became a rollout (C11). */
  readonly dataset?: readonly ByteSource[]
}

/** How often progress is told, in milliseconds. */
const PROGRESS_EVERY = 80

/** Reads what was opened to its end: all records through the workers, what each source hashes to, the dataset. */
export class RunReader {
  readonly hashes: (string | null)[]
  readonly late: LateHashes
  dataset: DatasetFacts | null
  /** Grows with all that was read beside rollouts and changes what is concluded. */
  changes = 0
  /** Everything is read, though conclusions may still have to be drawn. */
  isRead = false
  isDone = false
  /** Nobody ended following before all that was written had been read. */
  isWhole = true
  /** Why reading broke off before the end. */
  failure: Error | null = null
  private readonly reading: Reading
  private readonly workers: readonly WorkerLink[]
  private readonly ahead: ScansAhead | null
  private readonly stop = new AbortController()
  /** What ends hashing that is left until all is judged. */
  private readonly letGo = new AbortController()
  private pool: AuditPool | null = null

  constructor(
    opened: OpenedReading,
    private readonly host: EngineHost,
    private readonly hooks: ReadingHooks,
  ) {
    this.reading = opened.reading
    this.workers = opened.workers
    this.ahead = opened.ahead
    this.hashes = this.reading.opened.map(() => null)
    // What is followed is not hashed.
    this.late = new LateHashes(this.reading instanceof Follower ? [] : this.reading.opened, host)
    this.dataset = hooks.dataset?.length ? unreadDataset(hooks.dataset) : null
    hooks.signal?.addEventListener('abort', () => this.close(), { once: true })
  }

  /**
   * Reads everything. Rejects with a sentence where reading breaks off, which `failure` keeps.
   *
   * @param settle draws the conclusions before reading counts as done; null leaves them to whoever asks
   */
  async run(settle: ((tell: (share: number) => void) => Promise<unknown>) | null): Promise<void> {
    const { hooks } = this
    const { signal } = this.stop
    let told = 0
    const tell = (done: boolean) => {
      const now = Date.now()
      if (signal.aborted || (!done && now - told < PROGRESS_EVERY)) return
      told = now
      hooks.onProgress?.(this.progress(done))
    }
    // A source that never answers must not keep a closed session waiting.
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      await Promise.race([this.read(() => tell(false)), stopped])
      this.isRead = true
      if (settle !== null) {
        const tellShare = (share: number) => hooks.onProgress?.({ ...this.progress(false), concluding: share })
        await Promise.race([settle(tellShare), stopped])
      }
      this.isDone = true
      tell(true)
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error))
      tell(true)
      throw this.failure
    } finally {
      this.endReading()
    }
  }

  /** Takes the hashes that were left until now. Rejects where it is closed before. */
  hashLate(): Promise<void> {
    return this.late.take(this.letGo.signal)
  }

  /** How far reading is. */
  progress(done: boolean): Progress {
    const { sources, rollouts } = this.reading.soFar()
    return {
      bytesRead: sources.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
      bytesTotal: bytesOf(this.reading.opened),
      trajectories: rollouts,
      skipped: sources.reduce((sum, { skipped }) => sum + skipped.length, 0),
      done,
      ...(this.reading instanceof Follower && !done ? { following: true } : {}),
    }
  }

  private async read(tell: () => void): Promise<void> {
    const { reading, host } = this
    const dataset = this.hooks.dataset ?? []
    const { signal } = this.stop
    if (reading instanceof Follower) {
      this.isWhole = await reading.follow(signal, tell)
      // Whoever did not wait for the rollouts waits for their prompts even less.
      if (this.isWhole) await reading.unlessEnded(signal, (ended) => this.readDataset(dataset, ended))
      return
    }
    const { collected, opened } = reading
    const hashes = opened.map(({ source }, index) =>
      this.late.sources.has(index) ? null : new SourceHash(source, host),
    )
    const apart = host.slowSha256 ? null : this.hash(hashes, ({ givesChunks }) => givesChunks !== true)
    apart?.catch(() => undefined)
    const keep = await chooseTrajectories(opened, this.reading.survey.plan.settings.options, signal)
    signal.throwIfAborted()
    this.pool = this.createPool()
    await runPass(opened, this.pool, keep, {
      signal,
      onResult: (result) => {
        collected.add(result)
        tell()
      },
      onLost: (source, rest) => collected.lose(source, rest),
      ahead: this.ahead,
      keepsFindings: () => collected.keepsFindings,
      ...(apart === null ? {} : { onChunk: (source, start, chunk) => hashes[source]?.take(start, chunk) }),
      onSpans: (source, spans) => collected.sources[source]?.spans.push(spans),
      onBytes: (source, bytes) => {
        const state = collected.sources[source]
        if (state !== undefined) state.bytesRead = bytes
        tell()
      },
    })
    await apart
    await this.hash(hashes, ({ givesChunks }) => apart === null || givesChunks === true)
    await this.readDataset(dataset, signal)
  }

  private async readDataset(sources: readonly ByteSource[], signal: AbortSignal): Promise<void> {
    const { maxUnpacked = null, checks } = this.reading.survey.plan.settings.options
    if (sources.length === 0 || (checks !== undefined && !checks.includes('C11'))) return
    const tokenizer = this.reading.runtime.tokenizers.find((each) => each !== null) ?? null
    const dataset = await readDataset(sources, tokenizer, { maxUnpacked, signal })
    signal.throwIfAborted()
    this.dataset = dataset
    this.changes++
  }

  /** One source after the other: a run may have more files than a process may open at a time. */
  private async hash(hashes: readonly (SourceHash | null)[], which: (container: Container) => boolean): Promise<void> {
    for (const [index, { container }] of this.reading.opened.entries()) {
      if (!which(container) || this.late.sources.has(index)) continue
      this.hashes[index] = this.ahead?.sha256(index) ?? (await hashes[index]?.digest(this.stop.signal)) ?? null
      this.changes++
    }
  }

  private createPool(): AuditPool {
    const { workers } = this
    const host = this.host
    const { opened, runtime, survey } = this.reading
    const here = () => auditingPool(runtime, host)
    const shared = (links: readonly WorkerLink[]) => {
      if (links.length === 0) return here()
      const others = workerPool(links, survey.plan, host)
      return doesItsShare(host) ? sharedPool(here(), others) : others
    }
    if (this.ahead !== null) return here()
    return host.firstHere ? firstJobHere(here(), () => shared(startWorkers(bytesOf(opened), host))) : shared(workers)
  }

  /** Stops reading and hashing; `done` rejects unless it has resolved. What was read can still be looked at. */
  close(): void {
    this.letGo.abort(new Error('Reading was stopped.'))
    this.endReading()
  }

  private endReading(): void {
    this.stop.abort(new Error('Reading was stopped.'))
    this.pool?.close()
    this.pool = null
    this.ahead?.close()
    for (const worker of this.workers) worker.terminate()
  }
}
