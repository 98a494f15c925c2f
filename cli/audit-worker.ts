import { parentPort } from 'node:worker_threads'
import { serveAuditWorker } from '../shared/session/audit/audit-worker.ts'
import { readElsewhere } from './read-elsewhere.ts'
import { bundledTokenizer } from './tokenizer-files.ts'

/** An audit thread: the engine at the other end of `spawnAuditWorker`. */
export function serve(): void {
  const port = parentPort
  if (port === null) throw new Error('audit-worker.js is started by rollout-inspector, not by hand.')
  serveAuditWorker(
    {
      post: (message, transfer) => port.postMessage(message, transfer === undefined ? [] : [...transfer]),
      onMessage: (listener) => void port.on('message', listener),
    },
    { bundledTokenizers: bundledTokenizer, readElsewhere },
  )
}
