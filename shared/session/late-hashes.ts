import { NOT_HASHED } from '../model/not-hashed.ts'
import type { Report, SourceReport } from '../model/report.ts'
import { orAborted } from './aborted.ts'
import { SourceHash } from './hashes.ts'
import { type EngineHost, WORKERS_FROM_BYTES, type WorkerLink } from './host.ts'
import { bytesOf, type OpenSource } from './opening/open-source.ts'

/** Hash worker to coordinator, of each `ByteSource.elsewhere` that it was posted: lower-case hex, null where it could not read all of it. */
export interface HashReply {
  readonly sha256: string | null
}

/**
 * SHA-256 of the sources that are hashed once all is judged: those of a large run, where the host has no fast one and lends a thread for it. They
 * are put into a report that was drawn before.
 */
export class LateHashes {
  /** Numbers of the sources that are hashed late. */
  readonly sources: ReadonlySet<number>
  /** Null: it cannot be had any more. */
  private readonly known = new Map<number, string | null>()

  constructor(
    private readonly opened: readonly OpenSource[],
    private readonly host: EngineHost,
  ) {
    const isLate = host.spawnHashWorker !== undefined && bytesOf(opened) >= WORKERS_FROM_BYTES
    this.sources = new Set(
      opened.flatMap(({ source }, index) => (isLate && source.elsewhere !== undefined && !source.isFar ? [index] : [])),
    )
  }

  /** Nothing is left to be hashed. */
  get isWhole(): boolean {
    return this.known.size === this.sources.size
  }

  /** Hashes what is not hashed yet, one source after the other. Rejects with the signal's reason; what was hashed by then stays known. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { spawnHashWorker } = this.host
    if (this.isWhole || spawnHashWorker === undefined) return
    const worker = new HashingThread(spawnHashWorker())
    try {
      for (const index of this.sources) {
        if (this.known.has(index)) continue
        const { source } = this.opened[index] as OpenSource
        const there = await orAborted(worker.hash(source.elsewhere), signal).catch(() => {
          signal.throwIfAborted()
          // It broke, which is not the file's fault.
          return new SourceHash(source, this.host).digest(signal)
        })
        this.known.set(index, there)
      }
    } finally {
      worker.end()
    }
  }

  /** The same report with what is known by now. */
  in(report: Report): Report {
    if (this.known.size === 0) return report
    return { ...report, sources: report.sources.map((source, index) => this.of(source, index)) }
  }

  private of(source: SourceReport, index: number): SourceReport {
    const sha256 = this.known.get(index)
    if (sha256 === undefined) return source
    return sha256 === null ? { ...source, notes: [...(source.notes ?? []), NOT_HASHED] } : { ...source, sha256 }
  }
}

/** A worker that is asked for one hash at a time; once it broke it gives none. */
class HashingThread {
  private answer: (reply: HashReply) => void = () => undefined
  private readonly broken: Promise<never>

  constructor(private readonly link: WorkerLink) {
    this.broken = new Promise((_, reject) => link.onError((reason) => reject(new Error(reason))))
    this.broken.catch(() => undefined)
    link.onMessage((message) => this.answer(message as HashReply))
  }

  async hash(elsewhere: unknown): Promise<string | null> {
    const answered = new Promise<HashReply>((resolve) => {
      this.answer = resolve
    })
    this.link.post(elsewhere)
    return (await Promise.race([answered, this.broken])).sha256
  }

  end(): void {
    this.link.terminate()
  }
}
