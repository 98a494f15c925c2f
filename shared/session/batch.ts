import type { Check, CheckTally, TrajectoryView } from '../checks/check.ts'
import { CHECKS } from '../checks/registry.ts'
import { addTally, createTally, TrajectoryReporter } from '../checks/tally.ts'
import { createFacts, createView } from '../checks/view.ts'
import { parseRecords } from '../containers/records.ts'
import type { Format } from '../formats/format.ts'
import { allNumericKeys, formatById } from '../formats/registry.ts'
import type { Finding } from '../model/report.ts'
import { LIMIT_NAMES, type LimitName, type Stream } from '../model/streams.ts'
import { Expected, PART, Provenance, TokenState } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { type BoundaryCounts, countBoundaries } from './boundaries.ts'
import { addressOf } from './choose.ts'
import { emptyTotals } from './collected.ts'
import type { AuditedTrajectory, AuditJob, AuditPlan, BatchResult, TokenTotals } from './plan.ts'
import { streamsOf } from './streams.ts'

/** A plan with what a thread needs to carry it out. */
export interface AuditRuntime {
  readonly plan: AuditPlan
  readonly tokenizer: Tokenizer | null
}

/** Reads and audits the trajectories of one batch of records. */
export function auditBatch(job: AuditJob, runtime: AuditRuntime): BatchResult {
  const described = runtime.plan.sources[job.source] as AuditPlan['sources'][number]
  const format = formatById(described.formatId) as Format
  const parsed = parseRecords(job.bytes, job.spans, allNumericKeys)
  const read = format.read(parsed.records, { source: job.source, recognition: described.recognition })
  const tallies: Record<string, CheckTally> = {}
  const boundaries: BoundaryCounts = {}
  const totals = emptyTotals()
  const streams = new Set<Stream>()
  const limits: Partial<Record<LimitName, number[]>> = {}
  const trajectories: AuditedTrajectory[] = []
  for (const trajectory of read.trajectories) {
    const { record, part } = trajectory.place
    if (job.keep !== null && !job.keep.has(addressOf(job.source, record, part))) continue
    for (const stream of streamsOf(trajectory, runtime.tokenizer)) streams.add(stream)
    for (const name of LIMIT_NAMES) {
      const limit = trajectory.limits?.[name]
      if (typeof limit !== 'number') continue
      const values = (limits[name] ??= [])
      if (!values.includes(limit)) values.push(limit)
    }
    const { view, facts, findings, talliesOf } = auditTrajectory(trajectory, format, runtime)
    for (const [code, tally] of Object.entries(talliesOf)) addTally((tallies[code] ??= createTally()), tally)
    if (view !== null) {
      countTokens(view, runtime.plan, totals)
      countBoundaries(view, boundaries)
    }
    totals.lost += facts.lost
    trajectories.push({ facts, findings })
  }
  return {
    job: job.job,
    source: job.source,
    records: parsed.records.length - read.skipped.length,
    trajectories,
    skipped: [...parsed.skipped, ...read.skipped].sort((a, b) => a.record - b.record),
    unknownFields: [...read.unknownFields],
    streams: [...streams],
    tallies,
    totals,
    boundaries,
    limits,
  }
}

/** One trajectory under every check of the plan that it can be put to. */
export function auditTrajectory(trajectory: Trajectory, format: Format, runtime: AuditRuntime) {
  const { settings } = runtime.plan
  const view = createView(trajectory, {
    tokenizer: runtime.tokenizer,
    settings,
    unsampledLogprob: format.unsampledLogprob,
    maskImplied: format.maskImplied,
  })
  const facts = view?.facts ?? createFacts(trajectory)
  const talliesOf: Record<string, CheckTally> = {}
  const findings: Finding[] = []
  if (view !== null) {
    const has = streamsOf(trajectory, runtime.tokenizer)
    if (view.mask !== null) has.add('mask')
    for (const check of trajectoryChecks(runtime.plan)) {
      if (!check.needs.every((stream) => has.has(stream) || DUMP_STREAMS.has(stream))) continue
      const reporter = new TrajectoryReporter(check, view, settings)
      check.trajectory?.(view, settings, reporter)
      const { tally, findings: found } = reporter.finish()
      talliesOf[check.code] = tally
      findings.push(...found)
    }
  }
  findings.sort(byCodeAndToken)
  return { view, facts, findings, talliesOf }
}

/** Streams that belong to the dump as a whole: a single trajectory without them can still be looked at. */
const DUMP_STREAMS: ReadonlySet<Stream> = new Set<Stream>(['group', 'limits', 'step'])

function trajectoryChecks(plan: AuditPlan): readonly Check[] {
  const { checks } = plan
  return CHECKS.filter((check) => check.trajectory !== undefined && (checks === null || checks.includes(check.code)))
}

/** The report's order within one trajectory. */
export function byCodeAndToken(a: Finding, b: Finding): number {
  if (a.code !== b.code) return a.code < b.code ? -1 : 1
  return (a.tokens?.[0] ?? -1) - (b.tokens?.[0] ?? -1) || (a.tokens?.[1] ?? -1) - (b.tokens?.[1] ?? -1)
}

function countTokens(view: TrajectoryView, plan: AuditPlan, totals: TokenTotals): void {
  const { states, segmentation, mask, weights, expected, provenance } = view
  const parts = segmentation?.parts ?? null
  const judged = mask !== null && (expected !== null || provenance !== null)
  const observationsIntended = plan.settings.policy.intended.includes('M01')
  let unsampled = 0
  for (let token = 0; token < states.length; token++) {
    const state = states[token] as TokenState
    const part = parts === null ? (state === TokenState.padding ? PART.padding : PART.other) : (parts[token] as number)
    totals.byPart[part] = (totals.byPart[part] as number) + 1
    if (state === TokenState.padding) totals.padding++
    else if (state === TokenState.unknown) totals.unknown++
    else if (state === TokenState.masked) totals.masked++
    else totals.trained++
    if (mask === null || mask[token] !== 1) continue
    totals.trainedByPart[part] = (totals.trainedByPart[part] as number) + 1
    const weight = weights === null ? 1 : (weights[token] as number)
    totals.weight += weight
    if (!judged) continue
    const bySelf = provenance !== null && provenance[token] === Provenance.sampled
    const byStructure = expected === null || expected[token] !== Expected.masked
    const intended = observationsIntended && part === PART.tool
    if (expected === null ? provenance?.[token] === Provenance.notSampled : !byStructure && !bySelf && !intended) {
      unsampled += weight
    }
  }
  totals.total += states.length
  totals.turns += segmentation?.turns.length ?? 0
  if (mask !== null) totals.maskKnown = true
  if (judged) totals.weightUnsampled = (totals.weightUnsampled ?? 0) + unsampled
}
