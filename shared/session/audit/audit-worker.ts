import { packedFacts } from '../../checks/facts/batch-facts.ts'
import { decodeRecords } from '../../containers/decode.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import type { AuditWorkerHost } from '../host.ts'
import { loadTokenizer } from '../opening/load-tokenizer.ts'
import { EncoderNotLoaded, withoutEncoders } from '../opening/prepared-tokenizer.ts'
import { ReadFailure } from '../read-failure.ts'
import { sentence } from '../sentence.ts'
import { type AuditRuntime, auditBatch } from './batch.ts'
import { withDecoded } from './decode-here.ts'
import type { AuditJob, AuditReply, AuditRequest, DissectJob, SearchJob } from './plan.ts'

/** The other end of a `WorkerLink`, as a worker sees it. */
export interface WorkerPort {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void
  onMessage(listener: (message: unknown) => void): void
}

/** Runs in an audit worker: takes a plan, then jobs of auditing, searching or dissecting, and answers each with its result or a sentence. */
export function serveAuditWorker(port: WorkerPort, host: AuditWorkerHost): void {
  let runtime: AuditRuntime | null = null
  const reply = (message: AuditReply) => {
    port.post(message, message.kind === 'result' ? [message.result.facts.buffer] : [])
  }

  /** Does what may turn out to take an encoder, which workers are started without. */
  const withEncoder = async <Result>(
    source: number,
    work: (runtime: AuditRuntime) => Result | Promise<Result>,
  ): Promise<Result> => {
    if (runtime === null) throw new Error('A job came before its plan.')
    try {
      return await work(runtime)
    } catch (error) {
      if (!(error instanceof EncoderNotLoaded)) throw error
      const { plan, tokenizers } = runtime
      const frameOnly = tokenizers[source]
      const loaded = await loadTokenizer(plan.sources[source]?.tokenizer ?? null, host.bundledTokenizers)
      // Its frame and template are those that were decided on, which may be none.
      const whole = loaded && frameOnly ? { ...loaded, frame: frameOnly.frame, template: frameOnly.template } : loaded
      for (const [each, tokenizer] of tokenizers.entries()) if (tokenizer === frameOnly) tokenizers[each] = whole
      return work(runtime)
    }
  }

  const audit = async (job: AuditJob): Promise<AuditReply> => {
    const decodeAndAudit = (ready: AuditRuntime) =>
      withDecoded(job.records, allNumericKeys, host.readElsewhere, (portions) => auditBatch(job, portions, ready))
    const result = await withEncoder(job.source, decodeAndAudit)
    return { kind: 'result', result: { ...result, facts: packedFacts(result.facts) } }
  }

  // What looks for something, regular expressions and all, is a quarter of a worker's code, and most workers audit alone: it is loaded when it is asked for.
  const search = async (job: SearchJob): Promise<AuditReply> => {
    const { searchBatch } = await import('../search/search-batch.ts')
    const parsed = await decodeRecords(job.records, allNumericKeys)
    return { kind: 'searched', result: await withEncoder(job.source, (ready) => searchBatch(job, parsed, ready)) }
  }

  const dissect = async (job: DissectJob): Promise<AuditReply> => {
    const { dissectBatch } = await import('../lab/dissect.ts')
    const parsed = await decodeRecords(job.records, allNumericKeys)
    return { kind: 'dissected', result: await withEncoder(job.source, (ready) => dissectBatch(job, parsed, ready)) }
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
    last = last
      .then(() => {
        if (request.kind === 'job') return audit(request.job)
        return request.kind === 'search' ? search(request.job) : dissect(request.job)
      })
      .then(reply)
      // Also where a result cannot be posted: whoever waits for it would wait for ever.
      .catch((error: unknown) =>
        reply({
          kind: 'failed',
          job: request.job.job,
          message: sentence(error),
          ...(error instanceof ReadFailure ? { unread: true } : {}),
        }),
      )
  })
}
