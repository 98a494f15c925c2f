import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { EngineHost, WorkerLink } from '../shared/session/host.ts'
import { keepingWorkers } from '../shared/session/keep-workers.ts'
import { collectSooner, compileLess } from './engine-flags.ts'
import { packageRoot } from './package-root.ts'
import { readElsewhere } from './read-elsewhere.ts'
import { createSha256 } from './sha256.ts'
import { bundledTokenizer } from './tokenizer-files.ts'

/** As in tests, whose process goes on. */
const IS_SOURCE = import.meta.url.endsWith('.ts')

/** All that the command names has been read. */
export function judgingBegins(rollouts: number): void {
  if (!IS_SOURCE) collectSooner(rollouts)
}

/** What Node lends the engine. `jobs` = threads that audit at most; 1 audits in this one alone. */
export function nodeHost(jobs: number | undefined): EngineHost {
  return {
    bundledTokenizers: bundledTokenizer,
    readElsewhere,
    createSha256,
    // Node 20 runs no TypeScript: from source, as in tests, everything happens in this thread.
    ...(IS_SOURCE ? {} : { spawnAuditWorker: keptAuditWorker, spawnScanWorker }),
    nobodyWaits: true,
    jobs: jobs ?? availableParallelism(),
  }
}

function spawnAuditWorker(): WorkerLink {
  return spawnWorker('audit-worker.js')
}

function spawnScanWorker(): WorkerLink {
  return spawnWorker('scan-worker.js')
}

function spawnWorker(script: string): WorkerLink {
  compileLess()
  // Under 2 GB V8 lets garbage double a heap before it collects it, above that quadruple it: a fifth of a process's memory here.
  const worker = new Worker(join(packageRoot(), 'dist', 'cli', 'thread.js'), {
    workerData: script,
    resourceLimits: { maxOldGenerationSizeMb: 1800 },
  })
  return {
    post: (message, transfer) => worker.postMessage(message, transfer === undefined ? [] : [...transfer]),
    onMessage: (listener) => void worker.on('message', listener),
    onError(listener) {
      worker.on('error', (error) => listener(error instanceof Error ? error.message : String(error)))
    },
    terminate: () => void worker.terminate(),
    rest: () => worker.unref(),
    wake: () => worker.ref(),
  }
}

const keptAuditWorker = keepingWorkers(spawnAuditWorker, availableParallelism())
