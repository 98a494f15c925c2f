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
}

/** What a host lends the engine. */
export interface EngineHost {
  readonly bundledTokenizers: BundledTokenizers
  createSha256(): Sha256
  /** Starts an audit worker (which runs `serveAuditWorker`); absent = audit in this thread. */
  readonly spawnAuditWorker?: () => WorkerLink
  /** Audit workers to use at most. */
  readonly jobs: number
}
