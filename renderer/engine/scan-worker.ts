import { serveScanWorker } from '../../shared/session/audit/scan-worker.ts'
import { scanHost } from './scan-host.ts'
import { workerPort } from './worker-port.ts'

serveScanWorker(workerPort(), scanHost)
