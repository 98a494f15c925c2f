import { parentPort } from 'node:worker_threads'
import { serveScanWorker } from '../shared/session/scan-worker.ts'
import { scanHost } from './scan-host.ts'

/** Entry of a scan thread: the engine at the other end of `spawnScanWorker`. */
const port = parentPort
if (port === null) throw new Error('scan-worker.js is started by rollout-inspector, not by hand.')
serveScanWorker(
  {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
  },
  scanHost,
)
