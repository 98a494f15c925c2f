import type { ReadPosition, RecordSpans } from '../containers/container.ts'
import type { KeptParts } from './choose.ts'
import type { OpenSource } from './open-source.ts'
import type { BatchResult } from './plan.ts'
import type { AuditPool } from './pool.ts'

export interface PassHooks {
  /** Results arrive in job order, whoever was faster. */
  onResult(result: BatchResult): void
  /** Records that the container itself could not delimit or decompress end up in the result of their batch. */
  onSpans(source: number, spans: RecordSpans): void
  onBytes(source: number, bytesRead: number): void
  /** The bytes of sources that `givesChunks`, in order; they stand until it returns. */
  onChunk?(source: number, start: number, chunk: Uint8Array): void
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

/** Reads sources, each from its first byte to its last unless it is read on, and audits them in batches. */
export async function runPass(
  sources: readonly OpenSource[],
  pool: AuditPool,
  chosen: readonly KeptParts[] | null,
  hooks: PassHooks,
): Promise<void> {
  const finished = new Map<number, BatchResult>()
  let nextToDeliver = 0
  const deliver = (result: BatchResult) => {
    finished.set(result.job, result)
    for (;;) {
      const next = finished.get(nextToDeliver)
      if (next === undefined) return
      finished.delete(nextToDeliver++)
      hooks.onResult(next)
    }
  }
  const underWay: Promise<void>[] = []
  let failure: Error | null = null
  let job = 0
  try {
    for (const [source, open] of sources.entries()) {
      if (hooks.only?.has(source) === false) continue
      const from = hooks.from?.(source) ?? null
      const refer = pool.elsewhere ? open.container.refer : undefined
      const index = open.container.index({
        ...(from === null ? {} : { from }),
        ...BATCHES,
        onBytes: (bytes) => hooks.onBytes(source, bytes),
        onChunk: (start, chunk) => hooks.onChunk?.(source, start, chunk),
        passing: refer !== undefined,
        ...(hooks.signal ? { signal: hooks.signal } : {}),
      })
      for await (const spans of index) {
        hooks.signal?.throwIfAborted()
        hooks.onSpans(source, spans)
        await pool.ready()
        if (failure !== null) throw failure
        const records = refer?.(spans) ?? (await open.container.read(spans))
        const counts = hooks.keepsFindings?.(source) === false ? ({ countsFindings: true } as const) : {}
        underWay.push(
          pool
            .run({ job: job++, source, records, keep: keptOf(chosen, source, spans), ...counts })
            .then(deliver)
            .catch((error: unknown) => {
              failure ??= error instanceof Error ? error : new Error(String(error))
            }),
        )
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
