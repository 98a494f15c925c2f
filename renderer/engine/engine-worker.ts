import { serveEngine } from '../../shared/session/serve-engine.ts'
import { browserHost } from './browser-host.ts'
import { workerPort } from './worker-port.ts'

serveEngine(workerPort(), browserHost())
