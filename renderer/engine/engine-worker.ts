import { serveEngine } from '../../shared/session/serve-engine.ts'
import { browserHost } from './browser-host.ts'
import { workerPort } from './worker-port.ts'

const port = workerPort()
browserHost().then((host) => serveEngine(port, host))
