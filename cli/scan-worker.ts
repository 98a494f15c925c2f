import { parentPort } from 'node:worker_threads'
import { serveScanWorker } from '../shared/session/audit/scan-worker.ts'
import { scanHost } from './scan-host.ts'

/** A scan thread: the engine at the other end of `spawnScanWorker`. */
export function serve(): void {
  const port = parentPort
  if (port === null) throw new Error('scan-worker.js is started by rollout-inspector, not by hand.')
  serveScanWorker(
    {
      post: (message) => port.postMessage(message),
      onMessage: (listener) => void port.on('message', listener),
    },
    scanHost,
  )
}
