import { forgetLast } from '../../checks/of-last.ts'
import { createView, type ViewOptions } from '../../checks/view.ts'
import type { ParsedRecords } from '../../containers/container.ts'
import type { Format } from '../../formats/format.ts'
import { readJoined, type SourceReader } from '../../formats/join.ts'
import { formatById } from '../../formats/registry.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { createProber, type Hit, type ProbeSubject } from '../../query/probe.ts'
import { type AuditRuntime, auditTrajectory } from '../audit/batch.ts'
import type { SearchedBatch, SearchJob, SourcePlan } from '../audit/plan.ts'

/** Looks for the probes of a job in its rollouts, whose records were decoded. */
export function searchBatch(job: SearchJob, parsed: ParsedRecords, runtime: AuditRuntime): SearchedBatch {
  const readerOf = (source: number): SourceReader => {
    const { formatId, recognition, metadata, run } = runtime.plan.sources[source] as SourcePlan
    return { format: formatById(formatId) as Format, context: { source, recognition, metadata, run } }
  }
  const own = readerOf(job.source)
  const { trajectories } = readJoined(parsed, own, readerOf)
  const byPlace = new Map(trajectories.map((each) => [`${each.place.record}.${each.place.part}`, each]))
  const rollouts = job.places.length / 2
  const size = rollouts * job.probes.length
  const batch = {
    job: job.job,
    counts: new Int32Array(size).fill(-1),
    starts: new Int32Array(size).fill(-1),
    ends: new Int32Array(size).fill(-1),
    messages: new Int32Array(size).fill(-1),
  }
  const probe = createProber(job.probes)
  for (let rollout = 0; rollout < rollouts; rollout++) {
    const trajectory = byPlace.get(`${job.places[rollout * 2]}.${job.places[rollout * 2 + 1]}`)
    if (trajectory === undefined || trajectory.recordHash !== job.hashes[rollout]) continue
    for (const [i, hit] of probe(subjectOf(trajectory, own.format, runtime)).entries()) {
      writeHit(hit, rollout * job.probes.length + i, batch)
    }
  }
  forgetLast()
  return batch
}

function writeHit({ count, start, end, message }: Hit, at: number, into: SearchedBatch): void {
  into.counts[at] = count
  into.starts[at] = start
  into.ends[at] = end
  into.messages[at] = message
}

function subjectOf(trajectory: Trajectory, format: Format, runtime: AuditRuntime): ProbeSubject {
  const tokenizer = runtime.tokenizers[trajectory.place.source] ?? null
  const { settings } = runtime.plan.sources[trajectory.place.source] as SourcePlan
  const options: ViewOptions = {
    tokenizer,
    settings,
    unsampledLogprob: format.unsampledLogprob,
    maskImplied: format.maskImplied,
  }
  let view: ReturnType<typeof createView> | undefined
  return {
    trajectory,
    tokenizer,
    view() {
      if (view === undefined) view = createView(trajectory, options)
      return view
    },
    findings: () => auditTrajectory(trajectory, format, runtime).findings.filter(({ intended }) => intended !== true),
  }
}
