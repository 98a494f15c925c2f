import type { CheckTally } from '../../checks/check.ts'
import { BatchFactsKeeper } from '../../checks/facts/batch-facts.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { addFacts, copyOfFacts } from '../../checks/facts/kept-facts.ts'
import { addTally, createTally } from '../../checks/reporting/tally.ts'
import type { RecordDrift, RecordSpans } from '../../containers/container.ts'
import type { CountedFinding, Finding, Severity } from '../../model/report.ts'
import type { SkippedRecord } from '../../model/source.ts'
import type { Stream } from '../../model/streams.ts'
import { PARTS, TURN_KINDS } from '../../model/tokens.ts'
import type { CodeLists } from '../../query/values.ts'
import { CodesOfRows } from '../concluding/codes-of-rows.ts'
import { addDrift } from '../concluding/source-drift.ts'
import { addBoundaries, type BoundaryCounts } from './boundaries.ts'
import type { BatchResult, TokenTotals } from './plan.ts'
import { addTools } from './tool-sums.ts'

/** What the pass found in one source so far. */
export interface CollectedSource {
  records: number
  trajectories: number
  skipped: SkippedRecord[]
  readonly streams: Set<Stream>
  /** By what it is, in words. */
  readonly drift: Map<string, RecordDrift>
  readonly spans: RecordSpans[]
  bytesRead: number
}

export function emptyTotals(): TokenTotals {
  return {
    turns: 0,
    total: 0,
    trained: 0,
    masked: 0,
    padding: 0,
    unknown: 0,
    lost: 0,
    byPart: PARTS.map(() => 0),
    trainedByPart: PARTS.map(() => 0),
    unknownByPart: PARTS.map(() => 0),
    byTurn: [],
    trainedByTurn: [],
    unknownByTurn: [],
    ends: TURN_KINDS.map(() => 0),
    trainedEnds: TURN_KINDS.map(() => 0),
    unknownEnds: TURN_KINDS.map(() => 0),
    byTool: new Map(),
    maskKnown: false,
    weight: 0n,
    weightUnsampled: null,
    sampled: 0,
    untrained: 0,
  }
}

export function addTotals(into: TokenTotals, from: TokenTotals): void {
  into.turns += from.turns
  into.total += from.total
  into.trained += from.trained
  into.masked += from.masked
  into.padding += from.padding
  into.unknown += from.unknown
  into.lost += from.lost
  addEach(into.byPart, from.byPart)
  addEach(into.trainedByPart, from.trainedByPart)
  addEach(into.unknownByPart, from.unknownByPart)
  addEach(into.byTurn, from.byTurn)
  addEach(into.trainedByTurn, from.trainedByTurn)
  addEach(into.unknownByTurn, from.unknownByTurn)
  into.ends = sumOf(into.ends, from.ends)
  into.trainedEnds = sumOf(into.trainedEnds, from.trainedEnds)
  addEach(into.unknownEnds, from.unknownEnds)
  addTools(into.byTool, from.byTool)
  into.maskKnown ||= from.maskKnown
  into.weight += from.weight
  into.sampled += from.sampled
  into.untrained += from.untrained
  if (from.weightUnsampled !== null) into.weightUnsampled = (into.weightUnsampled ?? 0n) + from.weightUnsampled
}

function addEach(into: number[], from: readonly number[]): void {
  for (let i = 0; i < from.length; i++) into[i] = (into[i] ?? 0) + (from[i] ?? 0)
}

function sumOf(a: readonly number[] | null, b: readonly number[] | null): number[] | null {
  return a === null || b === null ? null : a.map((value, at) => value + (b[at] as number))
}

/** What is known of rollouts and of their tokens: rows in report order, and sums. */
export interface RolloutSums {
  readonly facts: readonly TrajectoryFacts[]
  /** Codes that stand in each trajectory, intended ones excepted, without those of its group and of the whole dump. */
  readonly codes: readonly (readonly string[])[]
  /** Those of rollouts, as many as are kept; `findingsSeen` is how many there are. */
  readonly findings: readonly Finding[]
  readonly findingsSeen: number
  readonly tallies: Readonly<Record<string, CheckTally>>
  readonly totals: TokenTotals
  readonly severities: Readonly<Record<string, Record<Severity, number>>>
}

/** Everything the pass has gathered so far. Findings beyond `maxFindings` are counted, not kept. */
export class Collected implements RolloutSums {
  readonly findings: Finding[] = []
  readonly tallies: Record<string, CheckTally> = {}
  readonly boundaries: BoundaryCounts = {}
  readonly totals = emptyTotals()
  readonly sources: CollectedSource[]
  /** How many findings of each code have each severity, intended ones excepted; a code's severity may be lowered by its findings. */
  readonly severities: Record<string, Record<Severity, number>> = {}
  findingsSeen = 0
  /** Grows with every result; what was derived from less is out of date. */
  version = 0
  private readonly maxFindings: number
  private readonly keeper = new BatchFactsKeeper()
  private readonly made: TrajectoryFacts[] = []
  /** Batches behind them of whose rollouts no objects were asked for yet. */
  private readonly notMade: (() => TrajectoryFacts[])[] = []
  private readonly codesOfRows = new CodesOfRows()

  constructor(sources: number, maxFindings: number) {
    this.maxFindings = maxFindings
    this.sources = Array.from({ length: sources }, () => ({
      records: 0,
      trajectories: 0,
      skipped: [],
      streams: new Set<Stream>(),
      drift: new Map<string, RecordDrift>(),
      spans: [],
      bytesRead: 0,
    }))
  }

  get facts(): TrajectoryFacts[] {
    for (const make of this.notMade) addFacts(this.made, make())
    this.notMade.length = 0
    return this.made
  }

  /** How many there are. */
  get rollouts(): number {
    return this.codesOfRows.rows
  }

  get codes(): (readonly string[])[] {
    return this.codesOfRows.all()
  }

  /** What was gathered by now, which stays as it is while more is added. */
  soFar(): RolloutSums {
    const { facts, codes, findings, findingsSeen, tallies, totals, severities } = this
    return {
      facts: copyOfFacts(facts),
      codes,
      findings: findings.slice(),
      findingsSeen,
      tallies: structuredClone(tallies),
      totals: structuredClone(totals),
      severities: structuredClone(severities),
    }
  }

  /** Adds the next result; results must come in job order. */
  add(result: BatchResult): void {
    this.version++
    const source = this.sources[result.source] as CollectedSource
    source.records += result.records
    source.trajectories += result.facts.rows
    for (const skipped of result.skipped) source.skipped.push(skipped)
    for (const stream of result.streams) source.streams.add(stream)
    addDrift(source.drift, result.drift)
    for (const [code, tally] of Object.entries(result.tallies)) addTally((this.tallies[code] ??= createTally()), tally)
    addBoundaries(this.boundaries, result.boundaries)
    addTotals(this.totals, result.totals)
    this.notMade.push(this.keeper.keep(result.facts))
    for (const found of result.counted ?? result.findings) {
      this.addCodes(codesOf(found), worstOf(found))
      for (const finding of found) if (!finding.intended) countSeverity(this.severities, finding)
      this.findingsSeen += found.length
    }
    for (const findings of result.findings) {
      for (const finding of findings) if (this.keepsFindings) this.findings.push(finding)
    }
  }

  /** The rest of a source can be read no more, for which one record stands. */
  lose(source: number, rest: SkippedRecord): void {
    this.version++
    this.sources[source]?.skipped.push(rest)
  }

  /** Those of the next result are kept, or some of them. */
  get keepsFindings(): boolean {
    return this.findings.length < this.maxFindings
  }

  /** Those of the next rollout, sorted, each once, and the gravest of its own findings, null where it has none. */
  addCodes(codes: readonly string[], worst: Severity | null): void {
    this.codesOfRows.add(codes, worst)
  }

  codesAt(index: number): readonly string[] {
    return this.codesOfRows.at(index)
  }

  worstAt(index: number): Severity | null {
    return this.codesOfRows.worstAt(index)
  }

  /** By rollout, as places in `SEVERITY_RANKS`; the caller's own. */
  worstRanks(): Uint8Array {
    return this.codesOfRows.worstRanks()
  }

  /** Lists of codes, with which of them each rollout has. */
  codeLists(): CodeLists {
    return this.codesOfRows.lists()
  }
}

const NO_CODES: readonly string[] = []

/** The codes of the findings that no policy intends, sorted, each once. */
export function codesOf(findings: readonly CountedFinding[]): readonly string[] {
  if (findings.length === 0) return NO_CODES
  return [...new Set(findings.filter(({ intended }) => !intended).map(({ code }) => code))].sort()
}

export function worstOf(findings: readonly CountedFinding[]): Finding['severity'] | null {
  let worst: Finding['severity'] | null = null
  for (const { severity, intended } of findings) {
    if (intended) continue
    if (severity === 'error') return 'error'
    if (severity === 'warning' || worst === null) worst = severity
  }
  return worst
}

export function countSeverity(into: Record<string, Record<Severity, number>>, finding: CountedFinding): void {
  const counts = (into[finding.code] ??= { error: 0, warning: 0, info: 0 })
  counts[finding.severity]++
}
