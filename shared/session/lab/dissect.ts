import { forgetLast } from '../../checks/of-last.ts'
import { createView } from '../../checks/view.ts'
import type { ParsedRecords } from '../../containers/container.ts'
import type { Format } from '../../formats/format.ts'
import { readJoined, type SourceReader } from '../../formats/join.ts'
import { formatById } from '../../formats/registry.ts'
import type { AuditRuntime } from '../audit/batch.ts'
import type { DissectedBatch, DissectJob, SourcePlan } from '../audit/plan.ts'
import { anatomyOf } from './anatomy.ts'

/** The anatomy of the rollouts of a job, whose records were decoded; null for one without ids, or that is no longer there. */
export function dissectBatch(job: DissectJob, parsed: ParsedRecords, runtime: AuditRuntime): DissectedBatch {
  const readerOf = (source: number): SourceReader => {
    const { formatId, recognition, metadata, run } = runtime.plan.sources[source] as SourcePlan
    return { format: formatById(formatId) as Format, context: { source, recognition, metadata, run } }
  }
  const own = readerOf(job.source)
  const byPlace = new Map(
    readJoined(parsed, own, readerOf).trajectories.map((each) => [`${each.place.record}.${each.place.part}`, each]),
  )
  const anatomies = job.hashes.map((hash, i) => {
    const trajectory = byPlace.get(`${job.places[i * 2]}.${job.places[i * 2 + 1]}`)
    if (trajectory === undefined || trajectory.recordHash !== hash) return null
    const view = createView(trajectory, {
      tokenizer: runtime.tokenizers[job.source] ?? null,
      settings: (runtime.plan.sources[job.source] as SourcePlan).settings,
      unsampledLogprob: own.format.unsampledLogprob,
      maskImplied: own.format.maskImplied,
    })
    return view === null ? null : anatomyOf(view)
  })
  forgetLast()
  return { job: job.job, anatomies }
}
