import type { ReadPosition, RecordSpans } from '../../containers/container.ts'
import type { SkippedRecord } from '../../model/source.ts'
import type { KeptParts } from '../opening/choose.ts'
import type { OpenSource } from '../opening/open-source.ts'
import { endOf, lostFrom, ReadFailure, readingFrom, startOf } from '../read-failure.ts'
import type { AuditJob, BatchResult } from './plan.ts'
import type { AuditPool } from './pool.ts'
import type { ScansAhead } from './scans-ahead.ts'

export interface PassHooks {
  /** Results arrive in job order, whoever was faster. */
  onResult(result: BatchResult): void
  /** Records that the container itself could not delimit or decompress end up in the result of their batch. */
  onSpans(source: number, spans: RecordSpans): void
  onBytes(source: number, bytesRead: number): void
  /** A source of which nothing from `rest` on can be read any more. Absent = the first of them ends the pass. */
  onLost?(source: number, rest: SkippedRecord): void
  /** The bytes of sources that `givesChunks`, in order; they stand until it returns. */
  onChunk?(source: number, start: number, chunk: Uint8Array): void
  /** Absent = nobody reads ahead of this thread. */
  readonly ahead?: ScansAhead | null
  /** False once no finding of a source that comes is kept: from then on they are counted alone. */
  keepsFindings?(source: number): boolean
  readonly signal?: AbortSignal
  /** Where a source is read on, null = from its start; absent = all of them from their starts. */
  from?(source: number): ReadPosition | null
  /** Sources to be read; absent = all. */
  readonly only?: ReadonlySet<number>
}

/** The batches of a pass; files that are joined are read for their keys in the same. */
export const BATCHES = {
  /** Small enough that the last ones end together, large enough that their messages do not count. */
  batchBytes: 2 << 20,
  /** Little, so that the first rollouts are there before a person has looked up. */
  firstBatchBytes: 256 << 10,
} as const

/**
 * Reads sources, each from its first byte to its last unless it is read on, and audits them in batches. Of a source whose bytes
 * cannot be had any more, what comes before the first batch that is missing stands; the others are read all the same.
 */
export async function runPass(
  sources: readonly OpenSource[],
  pool: AuditPool,
  chosen: readonly KeptParts[] | null,
  hooks: PassHooks,
): Promise<void> {
  const order = new InOrder(hooks)
  const underWay: Promise<void>[] = []
  let failure: Error | null = null
  let job = 0
  const lose = (number: number, source: number, place: Place, error: unknown) => {
    if (!(error instanceof ReadFailure) || hooks.onLost === undefined) throw error
    order.take(number, source, { lost: lostFrom((sources[source] as OpenSource).source, place, error.cause ?? error) })
  }
  const audit = async (number: number, source: number, spans: RecordSpans, records: AuditJob['records']) => {
    const counts = hooks.keepsFindings?.(source) === false ? ({ countsFindings: true } as const) : {}
    try {
      const result = await pool.run({ job: number, source, records, keep: keptOf(chosen, source, spans), ...counts })
      order.take(number, source, { result })
    } catch (error) {
      lose(number, source, startOf(spans), error)
    }
  }
  try {
    for (const [source, open] of sources.entries()) {
      if (hooks.only?.has(source) === false) continue
      const from = hooks.from?.(source) ?? null
      const refer = pool.elsewhere ? open.container.refer : undefined
      const onBytes = (bytes: number) => hooks.onBytes(source, bytes)
      const ahead = hooks.ahead ?? null
      const index =
        ahead?.index(source, { onBytes, ...(hooks.signal ? { signal: hooks.signal } : {}) }) ??
        open.container.index({
          ...(from === null ? {} : { from }),
          ...BATCHES,
          onBytes,
          onChunk: (start, chunk) => hooks.onChunk?.(source, start, chunk),
          passing: refer !== undefined,
          ...(hooks.signal ? { signal: hooks.signal } : {}),
        })
      let place: Place = { record: 0, line: null, byte: 0 }
      try {
        for await (const spans of readingFrom(index, hooks.signal)) {
          hooks.signal?.throwIfAborted()
          hooks.onSpans(source, spans)
          await pool.ready()
          if (failure !== null) throw failure
          if (order.hasLost(source)) break
          place = startOf(spans)
          const records =
            ahead?.recordsOf(spans) ??
            refer?.(spans) ??
            (await open.container.read(spans, hooks.signal).catch(failToRead(hooks.signal)))
          place = endOf(spans)
          underWay.push(
            audit(job++, source, spans, records).catch((error: unknown) => {
              failure ??= error instanceof Error ? error : new Error(String(error))
            }),
          )
        }
      } catch (error) {
        lose(job++, source, place, error)
      }
    }
  } catch (error) {
    // What was read before the source broke off is not lost.
    if (!hooks.signal?.aborted) await Promise.all(underWay)
    throw error
  }
  await Promise.all(underWay)
  hooks.signal?.throwIfAborted()
  if (failure !== null) throw failure
}

type Place = Pick<SkippedRecord, 'record' | 'line' | 'byte'>

/** What came of a batch: it was audited, or its source is lost from there on. */
type Outcome = { readonly result: BatchResult } | { readonly lost: SkippedRecord }

/** Hands over what comes of batches in their order, and nothing of a source from where on it is lost. */
class InOrder {
  private readonly finished = new Map<number, { readonly source: number; readonly outcome: Outcome }>()
  private readonly lost = new Set<number>()
  private readonly toldLost = new Set<number>()
  private next = 0

  constructor(private readonly hooks: Pick<PassHooks, 'onResult' | 'onLost'>) {}

  /** Some batch of the source is lost, be it one that is yet to be told of. */
  hasLost(source: number): boolean {
    return this.lost.has(source)
  }

  take(job: number, source: number, outcome: Outcome): void {
    if ('lost' in outcome) this.lost.add(source)
    this.finished.set(job, { source, outcome })
    for (;;) {
      const next = this.finished.get(this.next)
      if (next === undefined) return
      this.finished.delete(this.next++)
      this.tell(next.source, next.outcome)
    }
  }

  private tell(source: number, outcome: Outcome): void {
    if (this.toldLost.has(source)) return
    if ('result' in outcome) {
      this.hooks.onResult(outcome.result)
      return
    }
    this.toldLost.add(source)
    this.hooks.onLost?.(source, outcome.lost)
  }
}

/** What was stopped is not lost. */
function failToRead(signal: AbortSignal | undefined): (error: unknown) => never {
  return (error) => {
    signal?.throwIfAborted()
    throw new ReadFailure(error)
  }
}

/** Those of one batch: every job is posted to a worker, and must not carry the choice of the whole dump. */
function keptOf(chosen: readonly KeptParts[] | null, source: number, spans: RecordSpans): KeptParts | null {
  if (chosen === null) return null
  const kept = new Map<number, readonly number[]>()
  for (let i = 0; i < spans.offsets.length; i++) {
    const parts = chosen[source]?.get(spans.first + i)
    if (parts !== undefined) kept.set(spans.first + i, parts)
  }
  return kept
}
