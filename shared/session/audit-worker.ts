import { type AuditRuntime, auditBatch } from './batch.ts'
import type { EngineHost } from './host.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import type { AuditReply, AuditRequest } from './plan.ts'

/** The other end of a `WorkerLink`, as a worker sees it. */
export interface WorkerPort {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void
  onMessage(listener: (message: unknown) => void): void
}

/** Runs in an audit worker: takes a plan, then jobs, and answers each with its result or a sentence. */
export function serveAuditWorker(port: WorkerPort, host: Pick<EngineHost, 'bundledTokenizers'>): void {
  let runtime: Promise<AuditRuntime> | null = null
  const reply = (message: AuditReply) => port.post(message)
  port.onMessage(async (message) => {
    const request = message as AuditRequest
    if (request.kind === 'plan') {
      const { plan } = request
      runtime = loadTokenizer(plan.tokenizer, host.bundledTokenizers).then((tokenizer) => ({ plan, tokenizer }))
      runtime.catch((error: unknown) => reply({ kind: 'failed', job: null, message: sentence(error) }))
      return
    }
    try {
      if (runtime === null) throw new Error('An audit job came before its plan.')
      reply({ kind: 'result', result: auditBatch(request.job, await runtime) })
    } catch (error) {
      reply({ kind: 'failed', job: request.job.job, message: sentence(error) })
    }
  })
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
