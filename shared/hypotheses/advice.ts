import { recordPlace, unreadRest } from '../model/lost-files.ts'
import { count, counted, measured } from '../model/number-text.ts'
import type { HypothesisId, HypothesisResult, Measure, Report, Severity, Unit } from '../model/report.ts'
import { subsetText } from '../model/subset-text.ts'
import { type Cause, causesOf } from './causes.ts'
import { covers, coversOne, shareOf } from './covers.ts'
import { type FixOf, kindsOf } from './fixes.ts'
import { layoutFirst } from './layout-first.ts'
import { remedyOf } from './remedies.ts'

/** What a report comes to for the person who has to act on it. It says what to mend and in which order, never what a flat reward is due to. */
export interface Advice {
  /**
   * `mend`: something is wrong with this run. `idle`: nothing that calls for mending, but nothing is trained either. `clean`: nothing that could be
   * checked is wrong. `little`: nor here, but more checks lack what they need than pass. `blind`: no check could look.
   */
  readonly outcome: 'mend' | 'idle' | 'clean' | 'little' | 'blind'
  /** Not a token of any rollout is trained, and no step says so. */
  readonly trainsNothing: boolean
  /** What the outcome is but for what calls for mending and for rows that train nothing. */
  readonly sound: 'clean' | 'little' | 'blind'
  /** What comes before all else: files that are read in part, and declarations on which findings hang. */
  readonly declare: readonly string[]
  /** In the order in which to take them. */
  readonly steps: readonly AdviceStep[]
  /** Faults that call for nothing: their ids. Those of note severity, and warnings that decide nothing and touch next to nothing. */
  readonly notes: readonly string[]
  /** What the dump does not decide, alike lacks together. */
  readonly undecided: readonly Undecided[]
}

export interface AdviceStep {
  /** Ids of the cause; of a hypothesis that only its measures support, its own. */
  readonly ids: readonly string[]
  readonly title: string
  /** Of a hypothesis `error`, as of what decides one. */
  readonly severity: Severity
  /** `96 of 96 rollouts`; of a hypothesis the measure that speaks for it. */
  readonly extent: string
  /** As of a cause; of a hypothesis the share that speaks for it, 0 where what speaks is no share. */
  readonly reach: number
  /** Supported hypotheses that this alone would support. */
  readonly decides: readonly HypothesisId[]
  /** What to do, where a hypothesis is the step; a cause says it itself. */
  readonly remedy: string | null
  readonly cause: Cause | null
}

export interface Undecided {
  readonly ids: readonly HypothesisId[]
  readonly missing: readonly string[]
  readonly switches: readonly string[]
}

/** It says how a second run, mostly an evaluation, differs from this one. */
const OF_THE_OTHER_RUN: HypothesisId = 'H08'

/** Steps that are told with their titles; of further ones their ids. */
const TOLD_STEPS = 4

/** Characters of switches, from which on only what they write is told. */
const LONGEST_SWITCHES = 400

const UNITS: Readonly<Record<Unit, string>> = { trajectory: 'rollout', group: 'group', source: 'file' }

export function adviceOf(report: Report): Advice {
  const causes = causesOf(report)
  const supported = report.hypotheses.filter(({ verdict }) => verdict === 'supported')
  const failing = new Set(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code))
  const stepOf = (cause: Cause): AdviceStep => ({
    ids: cause.ids,
    title: cause.title,
    severity: cause.severity,
    reach: cause.reach,
    extent: extentOf(cause),
    decides: supported
      .filter((result) => alone(cause, result, causes, failing) || coversOne(cause, result))
      .map(({ id }) => id),
    remedy: null,
    cause,
  })
  const [errors, warnings] = (['error', 'warning'] as const).map((severity) =>
    causes.filter((cause) => cause.severity === severity).map(stepOf),
  ) as [AdviceStep[], AdviceStep[]]
  const unusual = warnings.filter(({ decides, reach }) => decides.length === 0 && reach < RARE)
  const named = new Set([...errors, ...warnings].flatMap(({ cause }) => cause?.codes ?? []))
  const measuredOnly = supported.flatMap((result) => ofMeasures(result, named, causes) ?? [])
  const betweenRuns = measuredOnly.filter(({ ids }) => ids.includes(OF_THE_OTHER_RUN))
  const ofThisRun = measuredOnly.filter((step) => !betweenRuns.includes(step))
  // What makes two runs incomparable keeps no training flat: whatever supports a hypothesis about this run comes before it.
  const called = warnings.filter((step) => !unusual.includes(step))
  const weighty = called.findLastIndex(({ decides }) => decides.length > 0) + 1
  const steps = [
    ...layoutFirst(
      [...errors, ...ofThisRun].sort((a, b) => b.reach - a.reach),
      report,
    ),
    ...called.slice(0, weighty),
    ...betweenRuns,
    ...called.slice(weighty),
  ]
  const { passed, blind } = passedAndBlind(report)
  const looked = report.checks.some(({ status }) => status === 'pass' || status === 'fail')
  const trainsNothing = hasNoTrainedToken(report) && !steps.some(({ cause }) => cause?.codes.includes('M04'))
  const sound = !looked ? 'blind' : blind > passed ? 'little' : 'clean'
  return {
    outcome: steps.length > betweenRuns.length ? 'mend' : trainsNothing ? 'idle' : sound,
    sound,
    trainsNothing,
    declare: declarations(report),
    steps,
    notes: [
      ...unusual.flatMap(({ ids }) => ids),
      ...causes.filter(({ severity }) => severity === 'info').flatMap(({ ids }) => ids),
    ],
    undecided: undecidedOf(report.hypotheses),
  }
}

/** `45 of 64 rollouts, in rollouts with parallel calls`: what the part has in common leads to the code that makes the fault. */
function extentOf({ extent: { checked, affected }, lead, parts }: Cause): string {
  // A defect of several checks is of the parts of them all.
  const subset = parts.length === 0 && affected === lead.affected ? subsetText(lead) : ''
  return [`${count(affected)} of ${counted(checked, UNITS[lead.unit])}`, subset].filter(Boolean).join(', ')
}

/** Whether no token of any rollout is trained. Where one may be without the dump saying so, that is not known. */
export function hasNoTrainedToken({ totals: { tokens } }: Report): boolean {
  return tokens.total > 0 && tokens.trained === 0 && tokens.unknown === 0
}

/** Share of units and of the loss weight below which a warning is told as a note. */
const RARE = 0.02

/** Whether a hypothesis stays supported with this one cause and no other: one of its measures rests on what fails because of it alone. */
function alone(
  cause: Cause,
  { because }: HypothesisResult,
  causes: readonly Cause[],
  failing: ReadonlySet<string>,
): boolean {
  // A check that is explained in part fails because of several causes, the rest of it among them.
  const shared = new Set(causes.filter((other) => other !== cause).flatMap(({ codes }) => codes))
  return speakingFor(because).some(({ checks }) => {
    const behind = checks.filter((code) => failing.has(code))
    return behind.length > 0 && behind.every((code) => cause.codes.includes(code) && !shared.has(code))
  })
}

/** Measures that speak for it and rest on checks. Of one with a filter of its own the checks only name some of the rollouts. */
function speakingFor(because: readonly Measure[]): Measure[] {
  return because.filter(({ speaks, where }) => speaks === 'for' && where === undefined)
}

/** A supported hypothesis with nothing among the causes that any of its deciding measures rests on, and none that names all that one counts. */
function ofMeasures(result: HypothesisResult, named: ReadonlySet<string>, causes: readonly Cause[]): AdviceStep | null {
  const { id, title, because } = result
  if (speakingFor(because).some(({ checks }) => checks.some((code) => named.has(code)))) return null
  const open = because.filter((line) => line.speaks === 'for' && !causes.some((cause) => covers(cause, line)))
  const [deciding] = open
  if (deciding === undefined && because.some(({ speaks }) => speaks === 'for')) return null
  return {
    ids: [id],
    title,
    severity: 'error',
    reach: shareOf(deciding),
    extent: deciding === undefined ? '' : `${deciding.measure}: ${measured(deciding.measure, deciding.value)}`,
    decides: [],
    remedy: remedyOf(result),
    cause: null,
  }
}

function declarations({ policy, checks, sources }: Report): string[] {
  const said: string[] = incomplete(sources)
  if (policy.alignment_undecided) {
    said.push('Say whether index i of the mask marks token i or token i + 1: every mask lies one token early')
  }
  if (policy.suggested !== null) {
    said.push(
      `Say whether ${policy.suggested} training is meant: the masks look like it, and until it is declared it counts as a fault`,
    )
  }
  const isNote = (code: string) => checks.some((check) => check.code === code && check.severity === 'info')
  for (const { evidence, intend } of policy.conventions ?? []) {
    // Nothing hangs on a note: whether it is meant or not, there is nothing to mend.
    if (intend.every(isNote)) continue
    said.push(`Say whether ${intend.join(' and ')} ${intend.length === 1 ? 'is' : 'are'} meant: ${evidence}`)
  }
  return said
}

/** Names of files may hold anything, and stand where their records are listed. */
function incomplete(sources: Report['sources']): string[] {
  const rests = sources.flatMap((source) => unreadRest(source) ?? [])
  const [rest] = rests
  if (rest === undefined) return []
  return sources.length === 1
    ? [
        `Get the whole file: from ${recordPlace(rest)} on nothing could be read, and all that follows is about what stands before it`,
      ]
    : [
        `Get ${count(rests.length)} of ${counted(sources.length, 'file')} whole: behind a place in ${rests.length === 1 ? 'it' : 'each of them'} nothing could be read, and all that follows is about the rest`,
      ]
}

function undecidedOf(hypotheses: readonly HypothesisResult[]): Undecided[] {
  const open = hypotheses.filter(({ verdict }) => verdict === 'not-checkable' || verdict === 'inconclusive')
  const byLack = new Map<string, { ids: HypothesisId[]; missing: readonly string[]; switches: readonly string[] }>()
  for (const { id, missing, recorded_by: switches = [] } of open) {
    const key = missing.join('; ')
    const known = byLack.get(key)
    if (known === undefined) byLack.set(key, { ids: [id], missing, switches })
    else known.ids.push(id)
  }
  return [...byLack.values()]
}

export interface AdviceSentence {
  readonly text: string
  /** It quotes a measure, whose name may have words of the dump in it. */
  readonly quotes: boolean
  /** What mends the cause that it names, in sentences; null where it names none, or nothing tells. */
  readonly fix: string | null
}

/**
 * The advice in a few sentences, the most urgent first. Without `fixOf` only defects tell how they are mended.
 *
 * @param told hypotheses of which the reader has just been told what they lack
 */
export function adviceSentences(
  report: Report,
  fixOf: FixOf = () => null,
  told: readonly HypothesisId[] = [],
): AdviceSentence[] {
  const advice = adviceOf(report)
  const { declare, steps, notes, outcome } = advice
  const own = (texts: readonly string[]) => texts.map((text) => ({ text, quotes: false, fix: null }))
  const declared = own([...(advice.trainsNothing ? [idle(report)] : []), ...declare.map((sentence) => `${sentence}.`)])
  if (outcome === 'mend') return [...declared, ...mending(steps, report, fixOf)]
  const untold = outcome === 'idle' ? notes.filter((id) => !OF_IDLE_ROWS.includes(id)) : notes
  const unusual = untold.length === 0 ? [] : [`What is only unusual stands as a note: ${untold.join(', ')}.`]
  return [
    ...declared,
    ...own([sound(report, advice), ...unusual]),
    ...steps.map((step) => ({ text: ended(capital(stepText(step))), quotes: true, fix: null })),
    ...own(lacking(advice, told)),
  ]
}

function mending(steps: readonly AdviceStep[], report: Report, fixOf: FixOf): AdviceSentence[] {
  const [first, ...others] = steps as [AdviceStep, ...AdviceStep[]]
  const told = others.slice(0, TOLD_STEPS - 1)
  const rest = others.slice(TOLD_STEPS - 1).flatMap(({ ids }) => ids)
  const begin =
    first.cause === null
      ? `First ${stepText(first)}`
      : `Mend ${idsText(first.ids)} first: ${lowered(first.title)} (${first.extent})${decidesText(first, report.hypotheses)}`
  return [
    { text: ended(begin), quotes: first.cause === null, fix: fixText(first, report, fixOf) },
    ...told.map((step) => ({
      text: ended(`Then ${stepText(step)}`),
      quotes: step.cause === null,
      fix: fixText(step, report, fixOf),
    })),
    ...(rest.length === 0 ? [] : [{ text: `After these ${rest.join(', ')}.`, quotes: false, fix: null }]),
  ]
}

/** How a cause is mended: in the words of its defects, else in those of its check. */
function fixText({ cause }: AdviceStep, report: Report, fixOf: FixOf): string | null {
  if (cause === null) return null
  const ofDefects = [...new Set(cause.parts.flatMap(({ defect }) => defect.fix || []))]
  const fixes =
    ofDefects.length > 0 ? ofDefects : [fixOf(cause.lead.code, kindsOf(report, cause.lead.code)) ?? []].flat()
  return fixes.length === 0 ? null : fixes.map(ended).join(' ')
}

function ended(sentence: string): string {
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}

function stepText(step: AdviceStep): string {
  if (step.cause !== null) return `${idsText(step.ids)}: ${lowered(step.title)} (${step.extent})${decidesText(step)}`
  const where = step.ids.includes(OF_THE_OTHER_RUN) ? ', if one of the two runs is an evaluation of the other' : ''
  return `see to ${step.ids.join(', ')}${where} (${step.extent}): ${lowered(step.remedy ?? '')}`
}

function capital(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`
}

/** @param named hypotheses whose titles are told beside their ids, where they are mentioned for the first time */
function decidesText({ decides }: AdviceStep, named: readonly HypothesisResult[] = []): string {
  const names = decides.map((id) => {
    const title = named.find((result) => result.id === id)?.title
    return title === undefined ? id : `${id} (${lowered(title)})`
  })
  return names.length === 0 ? '' : `; alone enough to support ${listed(names)}`
}

function idsText(ids: readonly string[]): string {
  return ids.length < 2 ? (ids[0] ?? '') : `${ids.slice(0, -1).join(', ')} with ${ids.at(-1)}`
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** As it stands within a sentence; a first word with more than one capital is a name (T05, LoRA). */
function lowered(title: string): string {
  return /^(?:\p{Lu}\p{Ll}+(?!\p{L}|\p{N})|A )/u.test(title)
    ? `${title.charAt(0).toLowerCase()}${title.slice(1)}`
    : title
}

/** Codes of rows that train nothing: notes, since a few that are cut or masked on purpose are usual. */
const OF_IDLE_ROWS: readonly string[] = ['C14', 'M04']

function idle({ checks, totals }: Report): string {
  const seen = checks
    .filter(({ code, status }) => OF_IDLE_ROWS.includes(code) && status === 'fail')
    .map(
      ({ code, title, affected, checked, unit }) =>
        `${code}: ${lowered(title)} (${count(affected)} of ${counted(checked, UNITS[unit])})`,
    )
  const where = seen.length === 0 ? 'how the masks are made, and at what cuts the rows' : listed(seen)
  return `No token of any rollout is trained: ${counted(totals.trajectories, 'rollout')} ${totals.trajectories === 1 ? 'gives' : 'give'} no gradient at all. Look at ${where}.`
}

function sound(report: Report, { outcome, sound: as }: Advice): string {
  if (as === 'blind') return unchecked(report)
  const { checks, totals } = report
  const { passed, blind } = passedAndBlind({ checks })
  const nothing = outcome === 'idle' ? 'Nothing else' : 'Nothing'
  if (as === 'little') {
    return `${nothing} that could be checked is wrong, but little could be: ${counted(blind, 'check')} of ${count(checks.length)} ${blind === 1 ? 'lacks' : 'lack'} what the dump does not carry.`
  }
  return `${nothing} that could be checked is wrong: ${counted(passed, 'check')} ${passed === 1 ? 'passes' : 'pass'} on ${counted(totals.trajectories, 'rollout')}.`
}

/** What is known where no check looked: a verdict may rest on rewards alone. */
function unchecked({ checks, totals, hypotheses }: Report): string {
  if (totals.trajectories === 0)
    return 'There are no rollouts here, so there was nothing to check. Give the files that hold them as well.'
  const none = `No check ${checks.length === 0 ? 'was asked about' : 'could look at'} these rollouts`
  const known = hypotheses.flatMap(({ id, verdict }) => (verdict === 'contradicted' ? id : []))
  return known.length === 0
    ? `${none}, so nothing is known to be right or wrong.`
    : `${none}: all that is known of them is that ${listed(known)} ${known.length === 1 ? 'is' : 'are'} contradicted.`
}

function passedAndBlind({ checks }: Pick<Report, 'checks'>): { readonly passed: number; readonly blind: number } {
  return {
    passed: checks.filter(({ status }) => status === 'pass').length,
    blind: checks.filter(({ status }) => status === 'not-checkable').length,
  }
}

function lacking(advice: Advice, told: readonly HypothesisId[]): string[] {
  const undecided = advice.undecided
    .map((each) => ({ ...each, ids: each.ids.filter((id) => !told.includes(id)) }))
    .filter(({ ids }) => ids.length > 0)
  const each = undecided
    .filter(({ missing }) => missing.length > 0)
    .map(({ ids, missing }) => `${listed(ids)} ${ids.length === 1 ? 'needs' : 'need'} ${lackText(missing)}`)
  const between = undecided.filter(({ missing }) => missing.length === 0).flatMap(({ ids }) => ids)
  const switches = [...new Set(undecided.flatMap(({ switches }) => switches))]
  return [
    ...(each.length === 0 ? [] : [`Not decided, for what this dump lacks: ${each.join('; ')}.`]),
    ...(between.length === 0
      ? []
      : [
          `Not decided by what this dump has: ${listed(between)}; ${between.length === 1 ? 'its' : 'their'} measures speak neither way.`,
        ]),
    ...(switches.length === 0 ? [] : [switchesText(switches)]),
  ]
}

/** A lack that is a sentence of its own has commas in it. */
function lackText(missing: readonly string[]): string {
  return missing.some((lack) => lack.includes(',')) ? missing.join(', and ') : listed(missing)
}

/** Where nothing tells the trainer the switches of every one come to a page: they stand with the verdicts, and here what they write. */
function switchesText(switches: readonly string[]): string {
  const streamsOf = new Map<string, string[]>()
  for (const line of switches) {
    const how = line.slice(line.indexOf(':') + 1)
    streamsOf.set(how, [...(streamsOf.get(how) ?? []), line.slice(0, line.indexOf(':'))])
  }
  const all = [...streamsOf].map(([how, streams]) => `${listed(streams)}:${how}`).join('; ')
  if (all.length <= LONGEST_SWITCHES) return `Switch on to decide more: ${all}.`
  const streams = switches.map((line) => line.slice(0, line.indexOf(':')))
  return `Switch on to decide more: ${listed(streams)}; how each trainer writes them stands with what is not decided.`
}
