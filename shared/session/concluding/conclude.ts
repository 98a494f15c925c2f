import type { AuditSettings, DumpView } from '../../checks/check.ts'
import { grouping } from '../../checks/grouping/group-views.ts'
import { filledWidths } from '../../checks/limits/filled-widths.ts'
import { gatheringLimits, resolvingLimits } from '../../checks/limits/limits.ts'
import { countRejectedTokens } from '../../checks/mask/rejected-tokens.ts'
import { countAppendedEnds } from '../../checks/mask/zero-ends.ts'
import type { DatasetFacts } from '../../checks/truncation/dataset.ts'
import { formatById } from '../../formats/registry.ts'
import { aggregating } from '../../hypotheses/aggregates.ts'
import { recognisingDefects } from '../../hypotheses/defects.ts'
import type { SecondRun } from '../../hypotheses/hypothesis.ts'
import { judging } from '../../hypotheses/registry.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { Finding, LogReport, Report, SourceReport } from '../../model/report.ts'
import { REPORT_SCHEMA } from '../../model/report.ts'
import { atOnce, forEachOf, type Steps, sorted, within } from '../../model/steps.ts'
import { STREAMS } from '../../model/streams.ts'
import { changedThresholds } from '../../model/thresholds/registry.ts'
import { weightOf } from '../../model/weight.ts'
import { byCodeAndToken } from '../audit/batch.ts'
import type { Collected, RolloutSums } from '../audit/collected.ts'
import { groupOptionsOf, unreadGroups } from '../opening/group-options.ts'
import { type Kin, wholeSettings, wholeTokenizer } from '../opening/kin.ts'
import type { OpenSource, UnreadableFile } from '../opening/open-source.ts'
import type { Survey } from '../opening/survey.ts'
import { TOOL } from '../tool.ts'
import { concludingChecks } from './conclude-checks.ts'
import { suggestedConventions } from './conventions.ts'
import { faultRows, indexOfPlace, type NamedRows, placesOf } from './fault-rows.ts'
import { FindingLines } from './finding-lines.ts'
import { reportTotals } from './report-totals.ts'
import { renderingNote, renderingOf, sourceReport, unreadableReport } from './source-report.ts'
import { whereFaultsStand } from './where-faults-stand.ts'

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
export function* concluding(all: Gathered): Steps<Conclusion> {
  const { sources, logs, kins, options, collected, against } = all
  const { facts, totals } = collected
  const names = sources.map(({ name }) => name)
  const settings = wholeSettings(kins, names, options)
  const tokenizer = wholeTokenizer(kins, names)
  const isUnframed = tokenizer.lacks !== undefined
  const dump = { ...(yield* within(0, DONE.dump, dumpOf(all, settings))), isUnframed }
  const { streams } = dump
  const checking = concludingChecks(dump, collected, isUnframed)
  const { results, dumpFindings, unwrittenWeight } = yield* within(DONE.dump, DONE.checks, checking)

  const standing = faultRows(facts, collected.codes, dumpFindings)
  const { faults, named } = yield* within(DONE.checks, DONE.checks, standing)
  const placing = whereFaultsStand(results, faults, facts, settings.thresholds)
  const checks = yield* within(DONE.checks, DONE.checks, placing)
  const diagnosis = yield* within(DONE.checks, DONE.checks, recognisingDefects(checks, dump, faults))
  const defectOf = (finding: Finding): string | null => {
    if (finding.intended) return null
    for (const place of placesOf(finding) ?? [null]) {
      const defect = diagnosis.defectOf(finding.code, place === null ? null : indexOfPlace(facts, place))
      if (defect !== null) return defect
    }
    return null
  }
  yield DONE.checks
  const share = settings.thresholds['convention-share']
  const conventions = suggestedConventions({ facts, checks, totals, kins, share })
  yield DONE.checks
  const appended = yield* within(DONE.checks, DONE.checks, countAppendedEnds(facts, settings.thresholds))
  const rejected = yield* within(DONE.checks, DONE.checks, countRejectedTokens(dump))
  const judgements = judging({
    dump,
    checks,
    streams,
    totalWeight: totals.maskKnown ? weightOf(totals.weight) : null,
    unsampledWeight: totals.weightUnsampled === null ? null : weightOf(totals.weightUnsampled + unwrittenWeight),
    formats: [...new Set(sources.flatMap(({ format }) => (format === null ? [] : [format.id])))],
    tokenizer: tokenizer.id,
    lackOfTurns: tokenizer.lacks ?? null,
    against,
    logs,
    untrainedShare: totals.sampled > 0 ? (totals.untrained - appended - rejected) / totals.sampled : null,
  })
  const hypotheses = yield* within(DONE.checks, DONE.verdicts, judgements)
  const aggregates = (yield* within(DONE.verdicts, DONE.sums, aggregating(dump, checks, totals))) as unknown
  const listing = yield* within(DONE.sums, 1, listingFindings(all, dumpFindings, defectOf))
  const thresholds = changedThresholds(settings.thresholds)
  const report: Report = {
    schema: REPORT_SCHEMA,
    tool: TOOL,
    // What could not be read stands at the end, so that the numbers of the others are those of `Finding.source`.
    sources: [...sources, ...all.unreadable],
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
    totals: reportTotals(totals, facts.length, dump),
    checks,
    defects: diagnosis.defects,
    hypotheses,
    findings: listing.listed,
    findings_omitted: listing.omitted,
    aggregates: aggregates as Record<string, unknown>,
  }
  return {
    report,
    dumpFindings,
    named,
    groups: dump.groups,
    run: { dump, checks, streams, tokenizer: tokenizer.id, logs },
    explained(finding) {
      const defect = defectOf(finding)
      return defect === null ? finding : { ...finding, defect }
    },
    ofDump: listing.ofDump,
    unlisted: listing.unlisted,
  }
}

/** The findings of a report, in its order, with the defect and the line of each. */
function* listingFindings(
  { collected, maxFindings }: Gathered,
  dumpFindings: readonly Finding[],
  defectOf: (finding: Finding) => string | null,
): Steps<{ readonly listed: Finding[]; readonly omitted: number } & Pick<Conclusion, 'ofDump' | 'unlisted'>> {
  const kept = yield* within(0, 0.3, inOrder(collected.findings.slice(0, maxFindings)))
  const others = yield* within(0.3, 0.6, inOrder(dumpFindings))
  const first: Finding[] = []
  const ofDump: number[] = []
  let [taken, othersTaken] = [0, 0]
  while (first.length < maxFindings && (taken < kept.length || othersTaken < others.length)) {
    const [own, other] = [kept[taken], others[othersTaken]]
    if (other === undefined || (own !== undefined && inReportOrder(own, other) <= 0)) {
      first.push(own as Finding)
      taken++
    } else {
      ofDump.push(first.length)
      first.push(other)
      othersTaken++
    }
    if (first.length % COMPARED_AT_ONCE === 0) yield 0.6
  }
  const lines = new FindingLines(collected.facts)
  const listed: Finding[] = []
  const tell = (finding: Finding) => void listed.push(lines.asTold(finding, defectOf(finding)))
  yield* within(0.6, 1, forEachOf(first, tell))
  return {
    listed,
    omitted: collected.findingsSeen + dumpFindings.length - first.length,
    ofDump,
    unlisted: kept.slice(taken),
  }
}

/** Findings that are compared in a step. */
const COMPARED_AT_ONCE = 4096

/** Findings in the order of a report. Those of rollouts come in it, as a rule. */
function* inOrder(findings: readonly Finding[]): Steps<readonly Finding[]> {
  for (let i = 1; i < findings.length; i++) {
    if (inReportOrder(findings[i - 1] as Finding, findings[i] as Finding) > 0)
      return yield* sorted(findings, inReportOrder)
    if (i % COMPARED_AT_ONCE === 0) yield i / findings.length
  }
  return findings
}

/** The share of a conclusion that is done once each part of it is, roughly by the time that it takes. */
const DONE = { dump: 0.3, checks: 0.6, verdicts: 0.85, sums: 0.9 } as const

/** Findings that a report lists unless told otherwise; counts are never cut. */
export const DEFAULT_MAX_FINDINGS = 10_000

/** The dump as checks over all of it see it, and the streams that any of it carries. */
function* dumpOf(
  { sources, collected: { facts, totals }, dataset = null, against }: Gathered,
  settings: AuditSettings,
): Steps<DumpView> {
  const options = groupOptionsOf(
    sources.map(({ name, format }) => ({ name, format: format === null ? null : formatById(format.id) })),
    settings.options.groupSize,
  )
  const unread = unreadGroups(sources)
  const { groups, groupSize, sizeOfQuestions } = yield* within(
    0,
    0.6,
    grouping(facts, unread === null ? options : { ...options, unread }),
  )
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
  const streams = new Set(sources.flatMap(({ missing }) => STREAMS.filter((stream) => !missing.includes(stream))))
  if (groups.length > 0) streams.add('group')
  // Where a format says that what was sampled is what was trained, the dump need not carry the mask.
  if (totals.maskKnown) streams.add('mask')
  if (byRollout !== null || Object.values(limits).some((limit) => limit !== null)) streams.add('limits')
  return {
    settings,
    streams,
    facts,
    groups,
    groupSize,
    groupsByOrder: options.groupsByOrder,
    ...(sizeOfQuestions === null ? {} : { sizeOfQuestions }),
    limits,
    ...(byRollout === null ? {} : { limitsByRollout: byRollout }),
    ...(leftOut === null ? {} : { limitsLeftOut: leftOut }),
    dataset,
    against: against?.dump ?? null,
  }
}

/** Source, record, part, code, first token; findings of groups and of the whole dump stand before the records of their source. */
/** Of groups, which have no record of their own: as they come in the file. */
function byFirstMember(a: Finding, b: Finding): number {
  const [one, other] = [a.members?.[0], b.members?.[0]]
  return (one?.record ?? -1) - (other?.record ?? -1) || (one?.part ?? -1) - (other?.part ?? -1)
}

function inReportOrder(a: Finding, b: Finding): number {
  return (
    a.source - b.source ||
    (a.record ?? -1) - (b.record ?? -1) ||
    (a.part ?? -1) - (b.part ?? -1) ||
    byCodeAndToken(a, b) ||
    byFirstMember(a, b) ||
    (a.fingerprint < b.fingerprint ? -1 : a.fingerprint > b.fingerprint ? 1 : 0)
  )
}
