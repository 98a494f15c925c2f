import { keepingWorkers } from '../../shared/session/audit/keep-workers.ts'
import type { EngineWorkerHost } from '../../shared/session/engine/open-runs.ts'
import type { WorkerLink } from '../../shared/session/host.ts'
import { byteSource, readElsewhere } from './byte-sources.ts'
import { fetchTokenizer } from './fetch-tokenizer.ts'
import { linkTo } from './link-to.ts'
import { fastSha256, slowSha256 } from './sha256.ts'
import { watchFiles } from './watch.ts'

/** Audit workers beyond this many wait for the one reader. */
const MOST_JOBS = 8
/** One core stays with the page; two workers at least, so that the reader can always answer. */
const JOBS = Math.max(2, Math.min(MOST_JOBS, (navigator.hardwareConcurrency || 2) - 1))

/** What a browser lends the engine. Runs inside the engine's worker, whose script lies one folder below the page. */
export async function browserHost(): Promise<EngineWorkerHost> {
  const fast = await fastSha256()
  return {
    byteSource,
    watch: watchFiles,
    bundledTokenizers: fetchTokenizer,
    readElsewhere,
    createSha256: fast ?? slowSha256,
    slowSha256: fast === null,
    firstHere: true,
    spawnAuditWorker: keepingWorkers(spawnAuditWorker, JOBS),
    ...(fast !== null && mayShareMemory() ? { spawnScanWorker } : {}),
    spawnHashWorker,
    jobs: JOBS,
  }
}

function spawnAuditWorker(): WorkerLink {
  return linkTo(new Worker(new URL('./audit-worker.ts', import.meta.url), { type: 'module' }))
}

function spawnScanWorker(): WorkerLink {
  return linkTo(new Worker(new URL('./scan-worker.ts', import.meta.url), { type: 'module' }))
}

function spawnHashWorker(): WorkerLink {
  return linkTo(new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' }))
}

/** Who serves the page isolates it, or does not; the first browsers with shared memory could not wait for it beside other work. */
function mayShareMemory(): boolean {
  return crossOriginIsolated && typeof Atomics.waitAsync === 'function'
}
