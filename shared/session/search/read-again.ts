import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { RecordSpans } from '../../containers/container.ts'
import { orAborted } from '../aborted.ts'
import type { ReadAgain } from '../audit/plan.ts'
import type { JobPool } from '../audit/pool.ts'
import { batchOf, type OpenSource, partOf } from '../opening/open-source.ts'
import type { SearchOrigin } from './search.ts'

/** Bytes of records that are read again at once, and those that may be read between two of them for nothing. */
const BATCH_BYTES = 1 << 20
const GAP_BYTES = 128 << 10

/** How long work that was stopped may go on before its workers are ended with it, in milliseconds. */
const GRACE = 1000

export interface ReadAgainHooks {
  readonly signal?: AbortSignal
  /** So many of the rollouts were looked into. */
  onProgress(done: number): void
}

/** Work on rollouts that are read again: workers where there is enough of it. */
export interface AgainWork<Job extends ReadAgain, Result> {
  /** @param bytes that will be read */
  pool(bytes: number): JobPool<Job, Result>
  job(read: ReadAgain): Job
  /** Results as they come; null for rollouts whose records cannot be had. */
  take(indices: readonly number[], result: Result | null): void
}

/**
 * Reads rollouts again, in the order of the report, and hands them to workers. What was taken stays taken, also where it is stopped.
 * Rejects with the signal's reason.
 *
 * @param indices ascending
 */
export async function readAgain<Job extends ReadAgain, Result>(
  origin: SearchOrigin,
  indices: Int32Array,
  work: AgainWork<Job, Result>,
  { signal, onProgress }: ReadAgainHooks,
): Promise<void> {
  const facts = indices.length === 0 ? [] : origin.facts
  const runs = [...runsOf(origin, indices, facts)]
  const pool = work.pool(
    runs.reduce((sum, { spans }) => sum + spans.lengths.reduce((all, length) => all + length, 0), 0),
  )
  const underWay: Promise<void>[] = []
  let done = 0
  let failure: Error | null = null
  const take = (run: Run, result: Result | null) => {
    work.take(run.indices, result)
    done += run.indices.length
    onProgress(done)
  }
  try {
    for (const [job, run] of runs.entries()) {
      await pool.ready()
      signal?.throwIfAborted()
      if (failure !== null) throw failure
      const read = await readRun(run, job, origin, facts)
      if (read === null) {
        take(run, null)
        continue
      }
      underWay.push(
        pool.run(work.job(read)).then(
          (result) => take(run, result),
          (error: unknown) => {
            failure ??= error instanceof Error ? error : new Error(String(error))
          },
        ),
      )
    }
    await (signal === undefined ? Promise.all(underWay) : orAborted(Promise.all(underWay), signal))
    signal?.throwIfAborted()
    if (failure !== null) throw failure
  } finally {
    if (signal?.aborted) void Promise.race([Promise.allSettled(underWay), delay(GRACE)]).then(() => pool.close())
    else pool.close()
  }
}

/** Rollouts of records that lie close together. */
export interface Run {
  readonly source: number
  readonly spans: RecordSpans
  readonly indices: number[]
}

/** The records of rollouts, near ones in one. */
export function* runsOf(
  origin: Pick<SearchOrigin, 'spans'>,
  indices: Int32Array,
  facts: readonly TrajectoryFacts[],
): Generator<Run> {
  let open: { source: number; batch: RecordSpans; first: number; last: number; indices: number[] } | null = null
  const closed = (): Run | null =>
    open === null
      ? null
      : {
          source: open.source,
          spans: partOf(open.batch, open.first - open.batch.first, open.last - open.batch.first + 1),
          indices: open.indices,
        }
  for (const index of indices) {
    const { source, record } = (facts[index] as TrajectoryFacts).place
    if (open !== null && open.source === source && fitsRun(open, record)) {
      open.last = record
      open.indices.push(index)
      continue
    }
    const run = closed()
    if (run !== null) yield run
    const batch = batchOf(origin.spans(source), record)
    open = batch === null ? null : { source, batch, first: record, last: record, indices: [index] }
  }
  const run = closed()
  if (run !== null) yield run
}

/** Whether a record is the last one, or stands in the same batch near enough to it and the run stays short. */
function fitsRun({ batch, first, last }: { batch: RecordSpans; first: number; last: number }, record: number): boolean {
  // Of a record that alone is longer than a run all trajectories belong to the one reading.
  if (record === last) return true
  const { offsets, lengths } = batch
  const at = record - batch.first
  if (at >= offsets.length || record < last) return false
  const ends = (row: number) => (offsets[row] as number) + (lengths[row] as number)
  const gap = (offsets[at] as number) - ends(last - batch.first)
  return gap <= GAP_BYTES && ends(at) - (offsets[first - batch.first] as number) <= BATCH_BYTES
}

/** Null where the records cannot be had. */
async function readRun(
  run: Run,
  job: number,
  { opened }: SearchOrigin,
  facts: readonly TrajectoryFacts[],
): Promise<ReadAgain | null> {
  const { container } = opened[run.source] as OpenSource
  const rows = run.indices.map((index) => facts[index] as TrajectoryFacts)
  try {
    return {
      job,
      source: run.source,
      records: await container.read(run.spans),
      places: Int32Array.from(rows.flatMap(({ place }) => [place.record, place.part])),
      hashes: rows.map(({ recordHash }) => recordHash),
    }
  } catch {
    return null
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
