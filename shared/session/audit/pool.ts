import { allNumericKeys } from '../../formats/registry.ts'
import { type AuditWorkerHost, type EngineHost, WORKERS_FROM_BYTES, type WorkerLink } from '../host.ts'
import { bytesOf, type OpenSource } from '../opening/open-source.ts'
import { ReadFailure } from '../read-failure.ts'
import { type AuditRuntime, auditBatch } from './batch.ts'
import { withDecoded } from './decode-here.ts'
import type {
  AuditJob,
  AuditPlan,
  AuditReply,
  AuditRequest,
  BatchResult,
  DissectedBatch,
  DissectJob,
  SearchedBatch,
  SearchJob,
} from './plan.ts'
import { ScansAhead } from './scans-ahead.ts'

/** Runs jobs; `run` may be called while others are under way, as long as `ready` has resolved since. */
export interface JobPool<Job, Result> {
  run(job: Job): Promise<Result>
  /** Resolves when another job may be handed in without piling up bytes. */
  ready(): Promise<void>
  close(): void
}

export interface AuditPool extends JobPool<AuditJob, BatchResult> {
  /** It reads for itself what `Container.refer` tells it of. */
  readonly elsewhere: boolean
}
export type SearchPool = JobPool<SearchJob, SearchedBatch>
export type DissectPool = JobPool<DissectJob, DissectedBatch>

/** Jobs a worker may hold: one it works on and one waiting, so that it never idles and memory stays bounded. */
const JOBS_PER_WORKER = 2

interface Slot<Result> {
  readonly link: WorkerLink
  readonly waiting: Map<number, { resolve(result: Result): void; reject(error: Error): void }>
}

/** Workers that audit. */
export function workerPool(
  links: readonly WorkerLink[],
  plan: AuditPlan,
  { readElsewhere }: AuditWorkerHost,
): AuditPool {
  const pool = poolOf<AuditJob, BatchResult>(links, plan, (job) => ({ kind: 'job', job }))
  return { ...pool, elsewhere: readElsewhere !== undefined }
}

/** Workers that look for something in rollouts. */
export function searchPool(links: readonly WorkerLink[], plan: AuditPlan): SearchPool {
  return poolOf(links, plan, (job) => ({ kind: 'search', job }))
}

/** Workers that tell where everything stands in rollouts. */
export function dissectPool(links: readonly WorkerLink[], plan: AuditPlan): DissectPool {
  return poolOf(links, plan, (job) => ({ kind: 'dissect', job }))
}

/**
 * A pool of audit workers. A worker that breaks (its code could not be loaded, memory ran out) takes records with it, so that
 * every job fails with its sentence, also those that are handed in later; a job that fails alone leaves the others be.
 */
function poolOf<
  Job extends AuditJob | SearchJob | DissectJob,
  Result extends BatchResult | SearchedBatch | DissectedBatch,
>(links: readonly WorkerLink[], plan: AuditPlan, request: (job: Job) => AuditRequest): JobPool<Job, Result> {
  let wake: (() => void)[] = []
  /** Why no job can be done any more. */
  let over: Error | null = null
  const slots: Slot<Result>[] = links.map((link) => {
    const slot: Slot<Result> = { link, waiting: new Map() }
    link.onMessage((message) => {
      const reply = message as AuditReply
      const number = reply.kind === 'failed' ? reply.job : reply.result.job
      const waiting = slot.waiting.get(number)
      slot.waiting.delete(number)
      if (reply.kind === 'failed') waiting?.reject(new (reply.unread ? ReadFailure : Error)(reply.message))
      else waiting?.resolve(reply.result as Result)
      notify()
    })
    link.onError((message) => end(new Error(`An audit worker stopped: ${message}`)))
    link.post({ kind: 'plan', plan } satisfies AuditRequest)
    return slot
  })
  const notify = () => {
    const woken = wake
    wake = []
    for (const resume of woken) resume()
  }
  const end = (reason: Error) => {
    over ??= reason
    for (const { waiting } of slots) {
      for (const { reject } of waiting.values()) reject(over)
      waiting.clear()
    }
    notify()
  }
  const freest = () => slots.reduce((best, slot) => (slot.waiting.size < best.waiting.size ? slot : best))
  return {
    run(job) {
      if (over !== null) return Promise.reject(over)
      const slot = freest()
      return new Promise((resolve, reject) => {
        slot.waiting.set(job.job, { resolve, reject })
        const buffers = new Set(job.records.bytes.map((bytes) => bytes.buffer as ArrayBuffer))
        try {
          slot.link.post(request(job), [...buffers])
        } catch (error) {
          // It keeps no place of the worker.
          slot.waiting.delete(job.job)
          reject(error as Error)
        }
      })
    },
    async ready() {
      while (freest().waiting.size >= JOBS_PER_WORKER) await new Promise<void>((resolve) => wake.push(resolve))
    },
    close() {
      for (const { link } of slots) link.terminate()
      end(new Error('Reading was stopped.'))
    },
  }
}

/**
 * A link that keeps a breakdown for whoever listens later: workers are started before there is a plan for them, and one
 * whose code cannot be loaded says so only once, at any time.
 */
function rememberingErrors(link: WorkerLink): WorkerLink {
  const said: string[] = []
  const listeners: ((message: string) => void)[] = []
  link.onError((message) => {
    said.push(message)
    for (const listener of listeners) listener(message)
  })
  return {
    post: (message, transfer) => link.post(message, transfer),
    onMessage: (listener) => link.onMessage(listener),
    onError(listener) {
      listeners.push(listener)
      for (const message of said) queueMicrotask(() => listener(message))
    },
    terminate: () => link.terminate(),
  }
}

/** Audits under a plan in this thread. */
export function auditingPool(runtime: AuditRuntime, { readElsewhere }: AuditWorkerHost): AuditPool {
  const pool = inlinePool<AuditJob, BatchResult>(async (job) =>
    withDecoded(job.records, allNumericKeys, readElsewhere, (portions) => auditBatch(job, portions, runtime)),
  )
  return { ...pool, elsewhere: readElsewhere !== undefined }
}

/** The first job of a pass is done here and has the machine for itself: what does the others is started once it is done. */
export function firstJobHere(here: AuditPool, start: () => AuditPool): AuditPool {
  let first: Promise<unknown> | null = null
  let others: AuditPool | null = null
  let closed = false
  return {
    elsewhere: here.elsewhere,
    run(job) {
      if (others !== null) return others.run(job)
      const result = here.run(job)
      first = result.catch(() => undefined)
      return result
    },
    async ready() {
      if (first === null) return
      await first
      if (!closed) others ??= start()
      await others?.ready()
    },
    close() {
      closed = true
      here.close()
      others?.close()
    },
  }
}

/** Workers, and this thread wherever they all have enough to do. */
export function sharedPool(here: AuditPool, workers: AuditPool): AuditPool {
  let next = workers
  return {
    elsewhere: here.elsewhere && workers.elsewhere,
    run: (job) => next.run(job),
    async ready() {
      next = await Promise.race([workers, here].map((pool) => pool.ready().then(() => pool)))
    },
    close() {
      here.close()
      workers.close()
    },
  }
}

/** Other work of this thread was done. A timer is late by a millisecond at least, in a browser by four. */
function givenWay(): Promise<void> {
  const { setImmediate: soon } = globalThis as { setImmediate?: (resume: () => void) => unknown }
  return new Promise((resolve) => {
    if (soon !== undefined) return void soon(resolve)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}

/** Works in this thread: one job after the other, giving way to other work between them. */
export function inlinePool<Job, Result>(work: (job: Job) => Promise<Result>): JobPool<Job, Result> {
  let closed = false
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(job) {
      const result = last.then(async () => {
        await givenWay()
        if (closed) throw new Error('Reading was stopped.')
        return work(job)
      })
      last = result.catch(() => undefined)
      return result
    },
    async ready() {
      await last
    },
    close() {
      closed = true
    },
  }
}

/**
 * Workers are started while the dump is still being surveyed: they need about as long to be ready. `size`: bytes to be read. Where this thread
 * does `itsShare`, it is one of those that the host allows.
 */
export function startWorkers(size: number, host: EngineHost, itsShare = false): WorkerLink[] {
  const { spawnAuditWorker, jobs } = host
  if (spawnAuditWorker === undefined || jobs < 2 || size < WORKERS_FROM_BYTES) return []
  return Array.from({ length: itsShare ? jobs - 1 : jobs }, () => rememberingErrors(spawnAuditWorker()))
}

/**
 * With one other thread, and a dump of numbers, that thread scans for this one: both would compile the same checks. It is started behind the first
 * batch where somebody waits for that.
 */
export function scanningAhead(opened: readonly OpenSource[], host: EngineHost): ScansAhead | null {
  const { spawnScanWorker, onSlower, jobs } = host
  const mayAudit = host.firstHere === true || doesItsShare(host)
  if (spawnScanWorker === undefined || jobs !== 2 || !mayAudit || bytesOf(opened) < WORKERS_FROM_BYTES) return null
  const ahead = ScansAhead.over(opened, spawnScanWorker, onSlower)
  if (!host.firstHere) ahead?.begin()
  return ahead
}

/** With more of them, this thread has enough to do with finding records for them. */
const MOST_SHARED = 4

/** Whether this thread audits beside its workers: it has most of their code already, which they load and compile by themselves. */
export function doesItsShare({ nobodyWaits = false, jobs }: EngineHost): boolean {
  return nobodyWaits && jobs <= MOST_SHARED
}
