import type { AuditSettings, Check, CheckTally, TrajectoryView } from '../../checks/check.ts'
import { looseFacts } from '../../checks/facts/batch-facts.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { forgetLast, TOGETHER } from '../../checks/of-last.ts'
import { countOf, runEnd } from '../../checks/oracles/spans.ts'
import { CHECKS } from '../../checks/registry.ts'
import { createTally, TrajectoryReporter } from '../../checks/reporting/tally.ts'
import { addSymptoms, createFacts, prepareView, type ViewOptions, withFacts } from '../../checks/view.ts'
import type { ParsedRecords } from '../../containers/container.ts'
import type { Format } from '../../formats/format.ts'
import { readJoined, type SourceReader } from '../../formats/join.ts'
import { formatById } from '../../formats/registry.ts'
import type { CountedFinding, Finding } from '../../model/report.ts'
import type { SkippedRecord } from '../../model/source.ts'
import { STREAMS, type Stream } from '../../model/streams.ts'
import { PART, TokenState, TURN_KINDS, type Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { bitOf, LookedAt } from '../concluding/looked-at.ts'
import { DriftOfBatch } from '../concluding/source-drift.ts'
import { renderTexts, withRenderedLengths } from '../rendered-texts.ts'
import { type BoundaryCounts, countBoundaries } from './boundaries.ts'
import { isPutTo } from './checks-of-row.ts'
import { emptyTotals } from './collected.ts'
import type { AuditJob, AuditPlan, BatchResult, SourcePlan, TokenTotals } from './plan.ts'
import { streamsOf } from './streams.ts'
import { toldBatch } from './told-batches.ts'
import { countTools } from './tool-sums.ts'
import { type Told, weigh } from './weigh.ts'

/** A plan with what a thread needs to carry it out. */
export interface AuditRuntime {
  readonly plan: AuditPlan
  /** By source; replaced in place once an encoder is loaded. */
  readonly tokenizers: (Tokenizer | null)[]
  /** Hears of each stage of the work when it is done; for measuring. */
  readonly done?: (stage: AuditStage) => void
}

/** Trajectories read; turns and oracles; facts; checks of each rollout; sums of tokens. */
export type AuditStage = 'reading' | 'turns' | 'facts' | 'checks' | 'sums'

/**
 * Reads and audits the trajectories of one batch, whose records are decoded portion by portion: each is done with before the next is asked for, so
 * that the collector finds next to nothing of a batch alive.
 */
export function auditBatch(job: AuditJob, portions: Iterable<ParsedRecords>, runtime: AuditRuntime): BatchResult {
  const described = runtime.plan.sources[job.source] as SourcePlan
  const tokenizer = runtime.tokenizers[job.source] ?? null
  const readerOf = (source: number): SourceReader => {
    const { formatId, recognition, metadata, run } = runtime.plan.sources[source] as SourcePlan
    return { format: formatById(formatId) as Format, context: { source, recognition, metadata, run } }
  }
  const own = readerOf(job.source)
  const { format } = own
  const tallies: Record<string, CheckTally> = {}
  const boundaries: BoundaryCounts = {}
  const totals = emptyTotals()
  const streams = new Set<Stream>()
  const drift = new DriftOfBatch()
  const skipped: SkippedRecord[] = []
  const rows: TrajectoryFacts[] = []
  const findings: (readonly Finding[])[] = []
  const counted: (readonly CountedFinding[])[] | null = job.countsFindings ? [] : null
  let records = 0
  for (const parsed of portions) {
    if (parsed.told !== undefined) return toldBatch(job, parsed.told, tokenizer)
    const read = readJoined(parsed, own, readerOf)
    runtime.done?.('reading')
    records += parsed.records.length - read.skipped.length
    for (const each of parsed.skipped) skipped.push(each)
    for (const each of read.skipped) skipped.push(each)
    drift.add(read, parsed.records)
    const lines = new Map(parsed.records.map(({ record, line }) => [record, line]))
    // What is told with another source is still what this one carries.
    for (const trajectory of read.told) for (const stream of streamsOf(trajectory, tokenizer)) streams.add(stream)
    const chosen: Chosen[] = []
    for (const trajectory of read.trajectories) {
      const { record, part } = trajectory.place
      // What the dump carries is no matter of which rollouts were chosen from it.
      const carried = streamsOf(trajectory, tokenizer)
      for (const stream of carried) streams.add(stream)
      if (job.keep === null || job.keep.get(record)?.includes(part)) chosen.push({ trajectory, carried })
    }
    runtime.done?.('checks')
    for (let at = 0; at < chosen.length; at += TOGETHER) {
      for (const audited of auditTogether(
        chosen.slice(at, at + TOGETHER),
        format,
        runtime,
        tallies,
        job.countsFindings,
      )) {
        const { trajectory, view } = audited
        const rendered = described.rendersTexts ? renderTexts(trajectory, tokenizer) : null
        const facts = rendered === null ? audited.facts : withRenderedLengths(audited.facts, rendered)
        if (view !== null) {
          countTokens(view, described.settings, audited.reporter, totals)
          countBoundaries(view, boundaries)
          countTools(view, totals.byTool)
        }
        totals.lost += facts.lost
        const line = lines.get(trajectory.place.record) ?? null
        if (line !== null) (facts as { line?: number }).line = line
        rows.push(facts)
        if (counted === null) findings.push(audited.findings)
        else counted.push(audited.counted ?? [])
      }
      forgetLast()
      runtime.done?.('sums')
    }
  }
  return {
    job: job.job,
    source: job.source,
    records,
    facts: looseFacts(rows),
    findings,
    counted,
    skipped: skipped.sort((a, b) => a.record - b.record),
    drift: drift.counted(),
    streams: [...streams],
    tallies,
    totals,
    boundaries,
  }
}

/** One trajectory under every check of the plan that it can be put to. */
export function auditTrajectory(trajectory: Trajectory, format: Format, runtime: AuditRuntime): Audited {
  const tokenizer = runtime.tokenizers[trajectory.place.source] ?? null
  return auditTogether([{ trajectory, carried: streamsOf(trajectory, tokenizer) }], format, runtime, {})[0] as Audited
}

/** A trajectory that is to be audited, with the streams that it carries. */
interface Chosen {
  readonly trajectory: Trajectory
  readonly carried: ReadonlySet<Stream>
}

interface Audited {
  readonly trajectory: Trajectory
  readonly view: TrajectoryView | null
  readonly facts: TrajectoryFacts
  readonly findings: Finding[]
  /** In place of them where they are counted alone, else null. */
  readonly counted: CountedFinding[] | null
  /** What its checks told it to; null where it is put to none. */
  reporter: TrajectoryReporter | null
}

/**
 * Trajectories of one source, `TOGETHER` at most, under every check of the plan that they can be put to; what these count is added to
 * `tallies`. Each check goes through all of them before the next one begins: there are many checks, and what one of them needs of
 * the machine is gone by the time it comes to the next rollout if all the others came between.
 */
function auditTogether(
  chosen: readonly Chosen[],
  format: Format,
  runtime: AuditRuntime,
  tallies: Record<string, CheckTally>,
  countsFindings = false,
): Audited[] {
  const source = chosen[0]?.trajectory.place.source ?? 0
  const { settings, measuresDrift } = runtime.plan.sources[source] as SourcePlan
  const { unsampledLogprob, maskImplied } = format
  const tokenizer = runtime.tokenizers[source] ?? null
  const options: ViewOptions = { tokenizer, settings, unsampledLogprob, maskImplied, measuresDrift }
  const prepared = chosen.map(({ trajectory }) => prepareView(trajectory, options))
  runtime.done?.('turns')
  const views = prepared.map((each) => (each === null ? null : withFacts(each, options)))
  runtime.done?.('facts')
  const audited: Audited[] = []
  /** Those that are put to the same checks. */
  const alike = new Map<readonly Check[], Reported[]>()
  for (const [index, { trajectory, carried }] of chosen.entries()) {
    const view = views[index] ?? null
    const findings: Finding[] = []
    const counted: CountedFinding[] | null = countsFindings ? [] : null
    if (view !== null) addSymptoms(view)
    audited.push({ trajectory, view, facts: view?.facts ?? createFacts(trajectory), findings, counted, reporter: null })
    // The sampled tokens may stand for a mask.
    const hasMask = view !== null && view.mask !== null && view.ids.length > 0
    const checks = trajectoryChecks(runtime.plan, carried, hasMask)
    const [first] = checks
    if (view === null || first === undefined) continue
    const others = alike.get(checks)
    // One reporter for all checks: none keeps anything of it.
    const reporter = new TrajectoryReporter(first, view, settings, undefined, counted)
    ;(audited.at(-1) as Audited).reporter = reporter
    const reported = { view, reporter, findings, lookedAt: new LookedAt() }
    if (others === undefined) alike.set(checks, [reported])
    else others.push(reported)
  }
  for (const [checks, rollouts] of alike) {
    putToAll(checks, rollouts, settings, tallies)
    for (const { view, lookedAt } of rollouts) Object.assign(view.facts, { lookedAt: lookedAt.text() })
  }
  // Checks come by their codes, so that only faults of one check that begin at one token may be out of order.
  for (const { findings } of audited) if (!isInOrder(findings)) findings.sort(byCodeAndToken)
  runtime.done?.('checks')
  return audited
}

/** This and the next are functions of their own: what runs for each check, and for each rollout, is compiled without all that comes before it. */
function putToAll(
  checks: readonly Check[],
  rollouts: readonly Reported[],
  settings: AuditSettings,
  tallies: Record<string, CheckTally>,
): void {
  let unused = createTally()
  for (const check of checks) {
    const known = tallies[check.code]
    // Most checks have nothing to tell of a batch: the sums that they left empty are those of the next one.
    if (!putTo(check, rollouts, settings, known ?? unused) || known !== undefined) continue
    tallies[check.code] = unused
    unused = createTally()
  }
}

/** Whether the check told of any of the rollouts. */
function putTo(check: Check, rollouts: readonly Reported[], settings: AuditSettings, tally: CheckTally): boolean {
  if (check.trajectory === undefined) return false
  const bit = bitOf(check.code)
  let spoke = false
  for (let i = 0; i < rollouts.length; i++) {
    const { view, reporter, findings, lookedAt } = rollouts[i] as Reported
    reporter.turnTo(check, tally)
    check.trajectory(view, settings, reporter)
    if (!reporter.hasSpoken) continue
    spoke = true
    lookedAt.add(bit)
    for (const finding of reporter.finish().findings) findings.push(finding)
  }
  return spoke
}

function isInOrder(findings: readonly Finding[]): boolean {
  for (let i = 1; i < findings.length; i++) {
    if (byCodeAndToken(findings[i - 1] as Finding, findings[i] as Finding) > 0) return false
  }
  return true
}

interface Reported {
  readonly view: TrajectoryView
  readonly reporter: TrajectoryReporter
  readonly findings: Finding[]
  readonly lookedAt: LookedAt
}

const MOST_KEPT = 256

/** Checks by the streams that they find: the trajectories of a dump carry the same ones, or nearly so. */
const planned = new WeakMap<AuditPlan, Map<number, readonly Check[]>>()

/** Far fewer than a number has bits. */
const STREAM_BITS: ReadonlyMap<Stream, number> = new Map(STREAMS.map((stream, index) => [stream, 2 ** index]))

/** Beside the bits of the streams: a mask is carried that does not fit the ids. */
const UNFIT_MASK = 2 ** STREAMS.length

function trajectoryChecks(plan: AuditPlan, carried: ReadonlySet<Stream>, hasMask: boolean): readonly Check[] {
  let byStreams = planned.get(plan)
  if (byStreams === undefined) {
    byStreams = new Map()
    planned.set(plan, byStreams)
  }
  const isCarried = carried.has('mask')
  // A mask may be carried and not fit, and one that is not carried be stood for.
  let key = hasMask === isCarried ? 0 : hasMask ? (STREAM_BITS.get('mask') as number) : UNFIT_MASK
  for (const stream of carried) key += STREAM_BITS.get(stream) as number
  let chosen = byStreams.get(key)
  if (chosen === undefined) {
    if (byStreams.size >= MOST_KEPT) byStreams.clear()
    const { checks } = plan
    chosen = CHECKS.filter((check) => (checks?.includes(check.code) ?? true) && isPutTo(check, carried, hasMask))
    byStreams.set(key, chosen)
  }
  return chosen
}

/** The report's order within one trajectory. */
export function byCodeAndToken(a: Finding, b: Finding): number {
  if (a.code !== b.code) return a.code < b.code ? -1 : 1
  return (a.tokens?.[0] ?? -1) - (b.tokens?.[0] ?? -1) || (a.tokens?.[1] ?? -1) - (b.tokens?.[1] ?? -1)
}

/** Tokens by state and part (`state << 4 | part`); reused, because it is needed for every trajectory. */
const cells = new Int32Array(4 << 4)

function countTokens(view: TrajectoryView, settings: AuditSettings, told: Told | null, totals: TokenTotals): void {
  const { states, segmentation, mask } = view
  const parts = segmentation?.parts ?? null
  cells.fill(0)
  // Tokens come in runs, and a run is counted at once.
  const own = parts ?? states
  let stateEnd = 0
  for (let token = 0, end = 0; token < states.length; token = end) {
    const state = states[token] as number
    const kind = own[token] as number
    if (stateEnd <= token) stateEnd = runEnd(states, token, states.length)
    end = own === states ? stateEnd : runEnd(own, token, stateEnd)
    const part = parts !== null ? kind : state === TokenState.padding ? PART.padding : PART.other
    const cell = (state << 4) | part
    cells[cell] = (cells[cell] as number) + end - token
  }
  const byState = [0, 0, 0, 0]
  for (let cell = 0; cell < cells.length; cell++) {
    const count = cells[cell] as number
    if (count === 0) continue
    const part = cell & 15
    const state = cell >> 4
    byState[state] = (byState[state] as number) + count
    totals.byPart[part] = (totals.byPart[part] as number) + count
    // A padding token that carries loss has the state `trained` too.
    if (state === TokenState.trained) totals.trainedByPart[part] = (totals.trainedByPart[part] as number) + count
    else if (state === TokenState.unknown) totals.unknownByPart[part] = (totals.unknownByPart[part] as number) + count
  }
  totals.masked += byState[TokenState.masked] as number
  totals.trained += byState[TokenState.trained] as number
  totals.padding += byState[TokenState.padding] as number
  totals.unknown += byState[TokenState.unknown] as number
  totals.total += states.length
  totals.turns += segmentation?.turns.length ?? 0
  for (const turn of segmentation?.turns ?? []) {
    if (turn.kind === 'assistant') countTurn(turn, mask, (byState[TokenState.unknown] as number) > 0, totals)
    if (turn.endToken >= 0) countEnd(turn, mask, totals)
  }
  if (mask !== null) {
    totals.maskKnown = true
    weigh(view, mask, settings, told, totals)
  }
}

function countTurn(
  { ordinal, contentStart, contentEnd, endToken }: Turn,
  mask: Uint8Array | null,
  hasUnknown: boolean,
  totals: TokenTotals,
) {
  const end = endToken < 0 ? contentEnd : endToken + 1
  const trained = mask === null ? 0 : countOf(mask, 1, contentStart, end)
  const masked = mask === null || !hasUnknown ? 0 : countOf(mask, 0, contentStart, end)
  for (let turn = totals.byTurn.length; turn <= ordinal; turn++) {
    totals.byTurn[turn] = totals.trainedByTurn[turn] = totals.unknownByTurn[turn] = 0
  }
  if (hasUnknown) {
    totals.unknownByTurn[ordinal] = (totals.unknownByTurn[ordinal] as number) + end - contentStart - trained - masked
  }
  totals.byTurn[ordinal] = (totals.byTurn[ordinal] as number) + end - contentStart
  totals.trainedByTurn[ordinal] = (totals.trainedByTurn[ordinal] as number) + trained
}

function countEnd({ kind, endToken }: Turn, mask: Uint8Array | null, { ends, trainedEnds, unknownEnds }: TokenTotals) {
  if (ends === null || trainedEnds === null) return
  const at = TURN_KINDS.indexOf(kind)
  ends[at] = (ends[at] as number) + 1
  const value = mask?.[endToken]
  if (value === 1) trainedEnds[at] = (trainedEnds[at] as number) + 1
  else if (value !== 0) unknownEnds[at] = (unknownEnds[at] as number) + 1
}
