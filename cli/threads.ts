import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { WORKERS_FROM_BYTES, type WorkerLink } from '../shared/session/host.ts'
import { compileLess, setYoungFlag } from './engine-flags.ts'
import { packageRoot } from './package-root.ts'

/** As in tests, whose process goes on; Node 20 runs no TypeScript, so that no thread could be started. */
export const IS_SOURCE = import.meta.url.endsWith('.ts')

/** A thread that runs the script that the first message names. */
interface Thread {
  readonly worker: Worker
  /** Why it is no more; null while it is. */
  broke: unknown
}

let waiting: Thread | null = null

/**
 * Starts a thread that waits for its script, where files are so large that one will be wanted: Node takes as long to start it as this thread takes to load
 * the code of a command and to open the files. It keeps no process alive.
 *
 * @param jobs threads that a person allows, undefined for as many as there are cores
 */
export function startAhead(paths: readonly string[], directory: string, jobs = availableParallelism()): void {
  if (IS_SOURCE || waiting !== null || jobs < 2) return
  if (paths.reduce((sum, path) => sum + sizeOf(resolve(directory, path)), 0) < WORKERS_FROM_BYTES) return
  // What so large a dump is mostly made of is numbers.
  waiting = startThread('scan-worker.js')
  waiting.worker.unref()
}

/** Bytes of a file; 0 of whatever is none: what is wrong with it says whoever opens it. */
function sizeOf(path: string): number {
  try {
    const found = statSync(path)
    return found.isFile() ? found.size : 0
  } catch {
    return 0
  }
}

/** @param likely the script that will be named, which it loads meanwhile */
function startThread(likely?: string): Thread {
  // Under 2 GB V8 lets garbage double a heap before it collects it, above that quadruple it: a fifth of a process's memory here.
  const worker = new Worker(join(packageRoot(), 'dist', 'cli', 'thread.js'), {
    resourceLimits: { maxOldGenerationSizeMb: 1800 },
    workerData: likely,
  })
  const thread: Thread = { worker, broke: null }
  worker.once('online', setYoungFlag)
  worker.once('error', (error) => {
    thread.broke = error
  })
  return thread
}

/** Runs a script of the build in a thread: the one that waits, where one does. */
export function spawnWorker(script: string): WorkerLink {
  compileLess()
  const thread = waiting ?? startThread()
  waiting = null
  const { worker } = thread
  worker.ref()
  worker.postMessage(script)
  return {
    post: (message, transfer) => worker.postMessage(message, transfer === undefined ? [] : [...transfer]),
    onMessage: (listener) => void worker.on('message', listener),
    onError(listener) {
      const tell = (error: unknown) => listener(error instanceof Error ? error.message : String(error))
      if (thread.broke === null) worker.on('error', tell)
      else queueMicrotask(() => tell(thread.broke))
    },
    terminate: () => void worker.terminate(),
    rest: () => worker.unref(),
    wake: () => worker.ref(),
  }
}
