import type { AuditSettings, DumpView } from '../checks/check.ts'
import { type DumpVerdict, runningDumpCheck } from '../checks/dump-reporter.ts'
import { FactColumns } from '../checks/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts.ts'
import { filledWidths } from '../checks/filled-widths.ts'
import { grouping } from '../checks/group-views.ts'
import { gatheringLimits, resolvingLimits } from '../checks/limits.ts'
import { CHECKS } from '../checks/registry.ts'
import { addTally, createTally } from '../checks/tally.ts'
import type { DatasetFacts } from '../checks/truncation/dataset.ts'
import { formatById } from '../formats/registry.ts'
import { aggregating } from '../hypotheses/aggregates.ts'
import { recognisingDefects } from '../hypotheses/defects.ts'
import type { SecondRun } from '../hypotheses/hypothesis.ts'
import { judging } from '../hypotheses/registry.ts'
import type { AuditOptions } from '../model/policy.ts'
import type { CheckResult, Finding, LogReport, Report, SourceReport } from '../model/report.ts'
import { REPORT_SCHEMA } from '../model/report.ts'
import { atOnce, forEachOf, type Steps, sorted, within } from '../model/steps.ts'
import { STREAMS, type Stream } from '../model/streams.ts'
import { changedThresholds } from '../model/thresholds/registry.ts'
import { PARTS, TURN_KINDS } from '../model/tokens.ts'
import { weightOf } from '../model/weight.ts'
import { byCodeAndToken } from './batch.ts'
import { checkResult } from './check-result.ts'
import { type Collected, countSeverity, type RolloutSums } from './collected.ts'
import { suggestedConventions } from './conventions.ts'
import { faultRows, indexOfPlace, type NamedRows, placesOf } from './fault-rows.ts'
import { FindingLines } from './finding-lines.ts'
import { groupOptionsOf } from './group-options.ts'
import { type Kin, wholeSettings, wholeTokenizer } from './kin.ts'
import type { OpenSource, UnreadableFile } from './open-source.ts'
import { withPatternsBySource } from './pattern-by-source.ts'
import type { TokenTotals } from './plan.ts'
import { renderingNote, renderingOf, sourceReport, unreadableReport } from './source-report.ts'
import type { Survey } from './survey.ts'
import { TOOL } from './tool.ts'
import { tokenSums, toolRows } from './tool-sums.ts'

/** The report so far, and the findings that only the whole dump could show. */
export interface Conclusion {
  readonly report: Report
  readonly dumpFindings: readonly Finding[]
  readonly named: NamedRows
  readonly groups: DumpView['groups']
  /** What another run is compared with, where this one is the second. */
  readonly run: SecondRun
  /** A finding with the defect that explains it, where one does. */
  explained(finding: Finding): Finding
  /** Places in the report's list of findings that rest on groups or on the whole dump. */
  readonly ofDump: readonly number[]
  /** The findings of rollouts that were kept and are not listed, since those of the dump take their places; in report order. */
  readonly unlisted: readonly Finding[]
}

/** All that a report is made of, be it gathered from files or from reports of parts of a run. */
export interface Gathered {
  /** Those that were read, in the order of their numbers. */
  readonly sources: readonly SourceReport[]
  /** Those that could not be. */
  readonly unreadable: readonly SourceReport[]
  /** What log files beside them say. */
  readonly logs: readonly LogReport[]
  /** What was decided of sources, kin by kin. */
  readonly kins: readonly Kin[]
  readonly options: AuditOptions
  readonly collected: RolloutSums
  readonly maxFindings: number
  readonly against: SecondRun | null
  /** The dataset that was given beside the dump; absent or null where none was. */
  readonly dataset?: DatasetFacts | null
}

/** What stands beside the rollouts that were read. */
export interface Beside {
  readonly unreadable?: readonly UnreadableFile[]
  readonly logs?: readonly LogReport[]
  readonly against?: SecondRun | null
  readonly dataset?: DatasetFacts | null
}

/**
 * What was gathered from files.
 *
 * @param sums `collected.soFar()`, where more may be collected before this is concluded from
 */
export function gathered(
  opened: readonly OpenSource[],
  { kins, plan }: Survey,
  collected: Collected,
  hashes: readonly (string | null)[],
  { unreadable = [], logs = [], against = null, dataset = null }: Beside = {},
  sums: RolloutSums = collected,
): Gathered {
  const { options } = plan.settings
  return {
    sources: opened.map((open, index) => {
      const { tokenizer = null, rendersTexts = false } = plan.sources[index] ?? {}
      const reported = sourceReport(open, index, collected, hashes[index] ?? null)
      if (!rendersTexts) return reported
      const rendering = renderingOf(index, collected.facts, tokenizer?.id ?? null)
      return { ...reported, rendering, notes: [renderingNote(rendering), ...(reported.notes ?? [])] }
    }),
    unreadable: unreadable.map(unreadableReport),
    logs,
    kins,
    options,
    collected: sums,
    maxFindings: options.maxFindings ?? DEFAULT_MAX_FINDINGS,
    against,
    dataset,
  }
}

/** Judges everything that was gathered. */
export function conclude(all: Gathered): Conclusion {
  return atOnce(concluding(all))
}

/** The same in steps, none of which takes long: of a million rollouts all of them take seconds. */
export function* concluding({
  sources,
  unreadable,
  logs,
  kins,
  options,
  collected,
  maxFindings,
  against,
  dataset = null,
}: Gathered): Steps<Conclusion> {
  const names = sources.map(({ name }) => name)
  const settings = wholeSettings(kins, names, options)
  const tokenizer = wholeTokenizer(kins, names)
  const streams = new Set(sources.flatMap(({ missing }) => STREAMS.filter((stream) => !missing.includes(stream))))
  const dump: DumpView = {
    ...(yield* within(0, DONE.dump, dumpView(sources, settings, collected.facts, streams))),
    dataset,
    against: against?.dump ?? null,
  }
  if (dump.groups.length > 0) streams.add('group')
  // Where a format says that what was sampled is what was trained, the dump need not carry the mask.
  if (collected.totals.maskKnown) streams.add('mask')
  if (dump.limitsByRollout !== undefined || Object.values(dump.limits).some((limit) => limit !== null))
    streams.add('limits')

  const dumpFindings: Finding[] = []
  const severities = structuredClone(collected.severities)
  const asked = CHECKS.filter(({ code }) => options.checks === undefined || options.checks.includes(code))
  const results: CheckResult[] = []
  for (const check of asked) {
    const tally = createTally()
    const gathered = collected.tallies[check.code]
    if (gathered !== undefined) addTally(tally, gathered)
    const missing = check.needs.filter((stream) => !streams.has(stream))
    let abstained = null
    let context: DumpVerdict['context'] = null
    if (check.dump !== undefined && missing.length === 0) {
      const [from, to] = [results.length / asked.length, (results.length + 1) / asked.length]
      const span = DONE.checks - DONE.dump
      const verdict = yield* within(DONE.dump + span * from, DONE.dump + span * to, runningDumpCheck(check, dump))
      addTally(tally, verdict.tally)
      for (const finding of verdict.findings) {
        dumpFindings.push(finding)
        if (!finding.intended) countSeverity(severities, finding)
      }
      abstained = verdict.abstained
      context = verdict.context
    }
    const result = checkResult(
      check,
      tally,
      missing,
      abstained,
      settings,
      collected.totals.weight,
      severities[check.code],
      tokenizer.lacks !== undefined,
    )
    const unproved = result.status === 'pass' ? (check.unproved?.(tally, dump) ?? null) : null
    results.push({
      ...result,
      ...(unproved === null ? {} : { status: 'not-checkable' as const, reason: unproved }),
      ...(context === null ? {} : { context }),
    })
    yield DONE.dump + ((DONE.checks - DONE.dump) * results.length) / asked.length
  }

  const standing = faultRows(collected.facts, collected.codes, dumpFindings)
  const { faults, named } = yield* within(DONE.checks, DONE.checks, standing)
  const sourceOf = Int32Array.from(new FactColumns(collected.facts).numbers('place', 'source'))
  const checks = withPatternsBySource(results, faults, sourceOf, settings.thresholds)
  const diagnosis = yield* within(DONE.checks, DONE.checks, recognisingDefects(checks, dump, faults))
  const defectOf = (finding: Finding): string | null => {
    if (finding.intended) return null
    const { facts } = collected
    for (const place of placesOf(finding) ?? [null]) {
      const defect = diagnosis.defectOf(finding.code, place === null ? null : indexOfPlace(facts, place))
      if (defect !== null) return defect
    }
    return null
  }
  yield DONE.checks
  const { totals } = collected
  const conventions = suggestedConventions({
    facts: collected.facts,
    checks,
    totals,
    kins,
    share: settings.thresholds['convention-share'],
  })
  yield DONE.checks
  const judgements = judging({
    dump,
    checks,
    streams,
    totalWeight: totals.maskKnown ? weightOf(totals.weight) : null,
    unsampledWeight: totals.weightUnsampled === null ? null : weightOf(totals.weightUnsampled),
    formats: [...new Set(sources.flatMap(({ format }) => (format === null ? [] : [format.id])))],
    tokenizer: tokenizer.id,
    lackOfTurns: tokenizer.lacks ?? null,
    against,
    logs,
    untrainedShare: totals.sampled > 0 ? totals.untrained / totals.sampled : null,
  })
  const verdicts = yield* within(DONE.checks, DONE.verdicts, judgements)
  const aggregates = (yield* within(DONE.verdicts, DONE.sums, aggregating(dump, checks, totals))) as unknown
  const kept = collected.findings.slice(0, maxFindings)
  const inOrder = yield* within(DONE.sums, 1, sorted([...kept, ...dumpFindings], inReportOrder))
  const listed = inOrder.slice(0, maxFindings)
  const told: Finding[] = []
  const lines = new FindingLines(collected.facts)
  const tell = (finding: Finding) => void told.push(lines.asTold(finding, defectOf(finding)))
  yield* within(1, 1, forEachOf(listed, tell))
  const thresholds = changedThresholds(settings.thresholds)
  const report: Report = {
    schema: REPORT_SCHEMA,
    tool: TOOL,
    // What could not be read stands at the end, so that the numbers of the others are those of `Finding.source`.
    sources: [...sources, ...unreadable],
    ...(logs.length > 0 ? { logs: [...logs] } : {}),
    tokenizer,
    policy: {
      ...settings.policy,
      ...(settings.alignmentUndecided ? { alignment_undecided: true as const } : {}),
      ...(conventions.length > 0 ? { conventions } : {}),
    },
    limits: dump.limits,
    ...(dump.limitsByRollout === undefined ? {} : { limits_by_rollout: dump.limitsByRollout }),
    ...(dump.limitsLeftOut === undefined ? {} : { limits_left_out: dump.limitsLeftOut }),
    ...(Object.keys(thresholds).length > 0 ? { thresholds } : {}),
    totals: {
      trajectories: collected.facts.length,
      groups: dump.groups.length,
      turns: totals.turns,
      tokens: {
        total: totals.total,
        trained: totals.trained,
        masked: totals.masked,
        padding: totals.padding,
        unknown: totals.unknown,
        lost: totals.lost,
      },
      by_part: Object.fromEntries(
        PARTS.map((part, index) => [
          part,
          tokenSums(
            totals.byPart[index] as number,
            totals.trainedByPart[index] as number,
            totals.unknownByPart[index] as number,
            totals.maskKnown,
          ),
        ]),
      ) as Report['totals']['by_part'],
      by_turn: Object.fromEntries(
        totals.byTurn
          .map(
            (total, turn) =>
              [
                turn,
                tokenSums(total, totals.trainedByTurn[turn] ?? 0, totals.unknownByTurn[turn] ?? 0, totals.maskKnown),
              ] as const,
          )
          .slice(1),
      ),
      ...endRows(totals),
      by_tool: toolRows(totals.byTool, totals.maskKnown),
    },
    checks,
    defects: diagnosis.defects,
    hypotheses: verdicts,
    findings: told,
    findings_omitted: collected.findingsSeen + dumpFindings.length - listed.length,
    aggregates: aggregates as Record<string, unknown>,
  }
  const run = { dump, checks, streams, tokenizer: tokenizer.id, logs }
  const ofRollouts = new Set(kept)
  return {
    report,
    dumpFindings,
    named,
    groups: dump.groups,
    run,
    explained(finding) {
      const defect = defectOf(finding)
      return defect === null ? finding : { ...finding, defect }
    },
    ofDump: listed.flatMap((finding, index) => (ofRollouts.has(finding) ? [] : [index])),
    unlisted: inOrder.slice(maxFindings).filter((finding) => ofRollouts.has(finding)),
  }
}

/** The share of a conclusion that is done once each part of it is, roughly by the time that it takes. */
const DONE = { dump: 0.3, checks: 0.6, verdicts: 0.85, sums: 0.9 } as const

/** Findings that a report lists unless told otherwise; counts are never cut. */
export const DEFAULT_MAX_FINDINGS = 10_000

function* dumpView(
  sources: readonly SourceReport[],
  settings: AuditSettings,
  facts: readonly TrajectoryFacts[],
  streams: ReadonlySet<Stream>,
): Steps<DumpView> {
  const options = groupOptionsOf(
    sources.map(({ name, format }) => ({ name, format: format === null ? null : formatById(format.id) })),
    settings.options.groupSize,
  )
  const { groups, groupSize } = yield* within(0, 0.6, grouping(facts, options))
  const padded = sources.flatMap(({ format }, at) =>
    format !== null && formatById(format.id)?.limitsAreWidths ? [at] : [],
  )
  const widths = yield* within(0.6, 0.65, filledWidths(facts, new Set(padded), settings.thresholds))
  const {
    limits: declared,
    byRollout,
    leftOut,
  } = yield* within(0.65, 0.8, gatheringLimits(settings.options.limits ?? {}, facts, widths))
  const limits = yield* within(0.8, 1, resolvingLimits(settings, declared, facts, byRollout))
  const view = { settings, streams, facts, groups, groupSize, groupsByOrder: options.groupsByOrder, limits }
  return {
    ...view,
    ...(byRollout === null ? {} : { limitsByRollout: byRollout }),
    ...(leftOut === null ? {} : { limitsLeftOut: leftOut }),
  }
}

/** Source, record, part, code, first token; findings of groups and of the whole dump stand before the records of their source. */
function inReportOrder(a: Finding, b: Finding): number {
  return (
    a.source - b.source ||
    (a.record ?? -1) - (b.record ?? -1) ||
    (a.part ?? -1) - (b.part ?? -1) ||
    byCodeAndToken(a, b) ||
    (a.fingerprint < b.fingerprint ? -1 : a.fingerprint > b.fingerprint ? 1 : 0)
  )
}

/** End tokens by the kind of their turn; nothing where a merged part did not count them. */
function endRows({ ends, trainedEnds, unknownEnds, maskKnown }: TokenTotals): Pick<Report['totals'], 'end_by_role'> {
  if (ends === null || trainedEnds === null) return {}
  const rows = TURN_KINDS.flatMap((kind, at) => {
    const total = ends[at] as number
    const sums = tokenSums(total, trainedEnds[at] as number, unknownEnds[at] as number, maskKnown)
    return total === 0 ? [] : [[kind, sums] as const]
  })
  return { end_by_role: Object.fromEntries(rows) }
}
