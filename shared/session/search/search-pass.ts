import { decodeRecords } from '../../containers/decode.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import type { ProbeAnswers } from '../../query/answers.ts'
import type { Probe } from '../../query/plan.ts'
import type { SearchedBatch, SearchJob } from '../audit/plan.ts'
import { inlinePool, type SearchPool, searchPool, startWorkers } from '../audit/pool.ts'
import { type ReadAgainHooks, readAgain } from './read-again.ts'
import type { SearchOrigin } from './search.ts'
import { searchBatch } from './search-batch.ts'

/**
 * Reads rollouts again and looks for what is wanted in each. Answers are kept as they come, also those of a search that is stopped;
 * what cannot be read again is answered with a count of -1.
 *
 * @param indices ascending
 */
export async function lookInside(
  origin: SearchOrigin,
  indices: Int32Array,
  wanted: readonly { readonly probe: Probe; readonly answers: ProbeAnswers }[],
  hooks: ReadAgainHooks,
): Promise<void> {
  if (wanted.length === 0) return
  const probes = wanted.map(({ probe }) => probe)
  await readAgain<SearchJob, SearchedBatch>(
    origin,
    indices,
    {
      pool: (bytes) => poolFor(origin, bytes),
      job: (read) => ({ ...read, probes }),
      take(taken, result) {
        for (const [i, index] of taken.entries()) {
          for (const [k, { answers }] of wanted.entries()) {
            const at = i * wanted.length + k
            answers.set(index, {
              count: result?.counts[at] ?? -1,
              start: result?.starts[at] ?? -1,
              end: result?.ends[at] ?? -1,
              message: result?.messages[at] ?? -1,
            })
          }
        }
      },
    },
    hooks,
  )
}

function poolFor({ runtime, host }: SearchOrigin, bytes: number): SearchPool {
  const workers = startWorkers(bytes, host)
  if (workers.length > 0) return searchPool(workers, runtime.plan)
  return inlinePool(async (job) => searchBatch(job, await decodeRecords(job.records, allNumericKeys), runtime))
}
