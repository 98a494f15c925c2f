import { serveAuditWorker } from '../../shared/session/audit/audit-worker.ts'
import { readElsewhere } from './byte-sources.ts'
import { fetchTokenizer } from './fetch-tokenizer.ts'
import { workerPort } from './worker-port.ts'

serveAuditWorker(workerPort(), { bundledTokenizers: fetchTokenizer, readElsewhere })
