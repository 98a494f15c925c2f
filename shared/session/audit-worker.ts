import { decodeRecords } from '../containers/decode.ts'
import { allNumericKeys } from '../formats/registry.ts'
import { type AuditRuntime, auditBatch } from './batch.ts'
import type { EngineHost } from './host.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import type { AuditJob, AuditReply, AuditRequest, BatchResult } from './plan.ts'
import { EncoderNotLoaded, withoutEncoders } from './prepared-tokenizer.ts'

/** The other end of a `WorkerLink`, as a worker sees it. */
export interface WorkerPort {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void
  onMessage(listener: (message: unknown) => void): void
}

/** Runs in an audit worker: takes a plan, then jobs, and answers each with its result or a sentence. */
export function serveAuditWorker(port: WorkerPort, host: Pick<EngineHost, 'bundledTokenizers'>): void {
  let runtime: AuditRuntime | null = null
  const reply = (message: AuditReply) => port.post(message)

  const audit = async (job: AuditJob): Promise<BatchResult> => {
    if (runtime === null) throw new Error('An audit job came before its plan.')
    const parsed = await decodeRecords(job.records, allNumericKeys)
    try {
      return auditBatch(job, parsed, runtime)
    } catch (error) {
      if (!(error instanceof EncoderNotLoaded)) throw error
      const { plan, tokenizers } = runtime
      const frameOnly = tokenizers[job.source]
      const whole = await loadTokenizer(plan.sources[job.source]?.tokenizer ?? null, host.bundledTokenizers)
      for (const [source, tokenizer] of tokenizers.entries()) if (tokenizer === frameOnly) tokenizers[source] = whole
      return auditBatch(job, parsed, runtime)
    }
  }

  // One job after the other: the next must not begin while the encoder is being loaded for this one.
  let last: Promise<void> = Promise.resolve()
  port.onMessage((message) => {
    const request = message as AuditRequest
    if (request.kind === 'plan') {
      const { plan } = request
      runtime = { plan, tokenizers: withoutEncoders(plan.sources.map(({ prepared }) => prepared)) }
      return
    }
    const { job } = request
    last = last
      .then(() => audit(job))
      .then(
        (result) => reply({ kind: 'result', result }),
        (error: unknown) => reply({ kind: 'failed', job: job.job, message: sentence(error) }),
      )
  })
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
