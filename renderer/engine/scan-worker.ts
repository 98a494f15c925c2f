import { serveScanWorker } from '../../shared/session/scan-worker.ts'
import { linkTo } from './link-to.ts'
import { scanHost } from './scan-host.ts'
import { workerPort } from './worker-port.ts'

/** Ends with the worker that started it, which is this one. */
const hashing = new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' })
serveScanWorker(workerPort(), scanHost(linkTo(hashing)))
