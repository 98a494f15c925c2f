import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { WorkerLink } from '../../shared/session/host.ts'
import { keepingWorkers } from '../../shared/session/keep-workers.ts'
import type { EngineWorkerHost } from '../../shared/session/serve-engine.ts'
import { byteSource, readElsewhere } from './byte-sources.ts'
import { fetchTokenizer } from './fetch-tokenizer.ts'
import { watchFiles } from './watch.ts'

/** Audit workers beyond this many wait for the one reader. */
const MOST_JOBS = 8
/** One core stays with the page; two workers at least, so that the reader can always answer. */
const JOBS = Math.max(2, Math.min(MOST_JOBS, (navigator.hardwareConcurrency || 2) - 1))

/** What a browser lends the engine. Runs inside the engine's worker, whose script lies one folder below the page. */
export function browserHost(): EngineWorkerHost {
  return {
    byteSource,
    watch: watchFiles,
    bundledTokenizers: fetchTokenizer,
    readElsewhere,
    createSha256: () => {
      const hash = sha256.create()
      return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) }
    },
    slowSha256: true,
    firstHere: true,
    spawnAuditWorker: keepingWorkers(spawnAuditWorker, JOBS),
    jobs: JOBS,
  }
}

function spawnAuditWorker(): WorkerLink {
  const worker = new Worker(new URL('./audit-worker.ts', import.meta.url), { type: 'module' })
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    onMessage: (listener) => worker.addEventListener('message', (event) => listener(event.data)),
    onError: (listener) => {
      worker.addEventListener('error', (event) => {
        event.preventDefault()
        listener(event.message || 'its code could not be loaded')
      })
      worker.addEventListener('messageerror', () => listener('a message could not be read'))
    },
    terminate: () => worker.terminate(),
  }
}
