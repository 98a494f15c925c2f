import type { BundledTokenizers } from '../tokens/tokenizer.ts'

/** A streaming SHA-256; Node gives its own, browsers a library's. */
export interface Sha256 {
  update(bytes: Uint8Array): void
  /** Lower-case hex. */
  digest(): string
}

/** A worker as the engine sees it: Node's `worker_threads` and the browser's `Worker` are wrapped into this. */
export interface WorkerLink {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void
  onMessage(listener: (message: unknown) => void): void
  onError(listener: (message: string) => void): void
  terminate(): void
  /** Nothing is expected of the worker for now: it must not keep its process alive. */
  rest?(): void
  wake?(): void
}

/**
 * Bytes `start` (inclusive) to `end` (exclusive) of a source, by its `ByteSource.elsewhere`; fewer where it ends before. They stand until the
 * next call in the same thread.
 */
export type ReadElsewhere = (source: unknown, start: number, end: number) => Uint8Array | Promise<Uint8Array>

/** What a host lends whoever audits, in any thread. */
export interface AuditWorkerHost {
  readonly bundledTokenizers: BundledTokenizers
  /** Absent where the host gives no source an `elsewhere`. */
  readonly readElsewhere?: ReadElsewhere
}

/** Bytes of a dump below which a worker costs more to start than it saves. */
export const WORKERS_FROM_BYTES = 8 << 20

/** What a host lends the engine. */
export interface EngineHost extends AuditWorkerHost {
  createSha256(): Sha256
  /** Hashing would keep this thread from answering: it is done once everything else is there. */
  readonly slowSha256?: boolean
  /** Starts an audit worker (which runs `serveAuditWorker`); absent = audit in this thread. */
  readonly spawnAuditWorker?: () => WorkerLink
  /** Starts a worker that scans ahead of this thread (which runs `serveScanWorker`); absent = this thread scans what it audits. */
  readonly spawnScanWorker?: () => WorkerLink
  /**
   * Starts a worker that hashes whole sources, each by its `ByteSource.elsewhere` (`HashReply`). Given where SHA-256 takes about as long as reading: a large
   * run is hashed once all is judged. Absent = while it is read.
   */
  readonly spawnHashWorker?: () => WorkerLink
  /** The worker that scans ahead broke, for a reason that is not its file's: nothing is lost, but what follows takes longer. `reason`: what it threw. */
  readonly onSlower?: (reason: string) => void
  /** Somebody waits for the first rollouts: they are audited in this thread, before its workers start. */
  readonly firstHere?: boolean
  /** Nobody asks this thread anything until all is read: it may audit, too. */
  readonly nobodyWaits?: boolean
  /** Threads that audit at most. */
  readonly jobs: number
}
