import { availableParallelism } from 'node:os'
import { keepingWorkers } from '../shared/session/audit/keep-workers.ts'
import type { EngineHost, WorkerLink } from '../shared/session/host.ts'
import { collectSooner } from './engine-flags.ts'
import { readElsewhere } from './read-elsewhere.ts'
import { createSha256 } from './sha256.ts'
import { IS_SOURCE, spawnWorker } from './threads.ts'
import { bundledTokenizer } from './tokenizer-files.ts'

/** All that the command names has been read. Returns who wants to be told what share is judged, from 0 to 1, or null. */
export function judgingBegins(rollouts: number): ((share: number) => void) | null {
  return IS_SOURCE ? null : collectSooner(rollouts)
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

const keptAuditWorker = keepingWorkers(spawnAuditWorker, availableParallelism())
