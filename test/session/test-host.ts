import { createHash } from 'node:crypto'
import { readElsewhere } from '../../cli/read-elsewhere.ts'
import { serveAuditWorker } from '../../shared/session/audit/audit-worker.ts'
import type { AuditReply } from '../../shared/session/audit/plan.ts'
import type { AuditWorkerHost, EngineHost, WorkerLink } from '../../shared/session/host.ts'
import type { BundledTokenizers } from '../../shared/tokens/tokenizer.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'

/** A host in this process: without `jobs` everything is audited in one thread. */
export function testHost(more: Partial<EngineHost> = {}): EngineHost {
  return {
    bundledTokenizers: testTokenizerFiles,
    createSha256() {
      const hash = createHash('sha256')
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('hex') }
    },
    jobs: 1,
    ...more,
  }
}

export interface WorkerLog {
  spawned: number
  terminated: number
  results: number
  /** Families whose whole files a worker asked for. */
  readonly loaded: string[]
}

/**
 * Audit workers that are functions of this process behind links that clone every message and detach what is transferred,
 * as threads do. `intercept` may answer in a worker's stead; false lets the message through. `broken`: what every worker
 * says as soon as it is started.
 */
export function workerHost(
  jobs: number,
  intercept: (message: unknown, worker: WorkerEnd) => boolean = () => false,
  broken: string | null = null,
): { host: EngineHost; log: WorkerLog } {
  const log: WorkerLog = { spawned: 0, terminated: 0, results: 0, loaded: [] }
  const host = testHost({
    jobs,
    spawnAuditWorker() {
      log.spawned++
      // One for each worker: what a thread has loaded, another has not.
      const bundledTokenizers: BundledTokenizers = (id) => {
        log.loaded.push(id)
        return testTokenizerFiles(id)
      }
      return spawn(intercept, { bundledTokenizers, readElsewhere }, log, broken)
    },
    readElsewhere,
  })
  return { host, log }
}

/** What a test may do in place of a worker. */
export interface WorkerEnd {
  readonly number: number
  reply(message: AuditReply): void
  /** Hands a message that was held back to the worker after all. */
  pass(message: unknown): void
  fail(message: string): void
}

function spawn(
  intercept: (message: unknown, worker: WorkerEnd) => boolean,
  lent: AuditWorkerHost,
  log: WorkerLog,
  broken: string | null,
): WorkerLink {
  let alive = true
  const toMain: ((message: unknown) => void)[] = []
  const toWorker: ((message: unknown) => void)[] = []
  const errors: ((message: string) => void)[] = []
  const deliver = (listeners: readonly ((message: never) => void)[], message: unknown) =>
    setImmediate(() => {
      if (alive) for (const listener of listeners) listener(message as never)
    })
  const postBack = (message: unknown) => {
    if ((message as AuditReply).kind === 'result') log.results++
    deliver(toMain, structuredClone(message))
  }
  serveAuditWorker({ post: postBack, onMessage: (listener) => void toWorker.push(listener) }, lent)
  if (broken !== null) {
    queueMicrotask(() => {
      for (const listener of errors) listener(broken)
    })
  }
  const end: WorkerEnd = {
    number: log.spawned,
    reply: postBack,
    pass: (message) => deliver(toWorker, message),
    fail: (message) => deliver(errors, message),
  }
  return {
    post(message, transfer = []) {
      const cloned = structuredClone(message, { transfer: [...transfer] })
      if (!intercept(cloned, end)) deliver(toWorker, cloned)
    },
    onMessage: (listener) => void toMain.push(listener),
    onError: (listener) => void errors.push(listener),
    terminate() {
      if (alive) log.terminated++
      alive = false
    },
  }
}
