import { spelledScheme } from '../checks/groups/scheme-words.ts'
import type { Aggregates } from '../hypotheses/aggregates.ts'
import { count, counted, measured, percent, tokensText } from '../model/number-text.ts'
import type {
  CheckResult,
  Defect,
  Finding,
  HypothesisResult,
  LogReport,
  Measure,
  Report,
  Severity,
} from '../model/report.ts'
import { shortName } from '../model/short-name.ts'
import {
  LIMIT_NAMES,
  type LimitInForce,
  type LimitName,
  type LimitOfRollouts,
  type LimitsLeftOut,
} from '../model/streams.ts'
import { subsetText } from '../model/subset-text.ts'
import type { BaselineCounts } from './against-baseline.ts'

/** The words and numbers that every report for people shares, whatever it is written in. */

const SEVERITIES: readonly Severity[] = ['info', 'warning', 'error']

/** What decides whether a run of `inspect` fails. */
export interface Judgement {
  readonly failOn: 'error' | 'warning' | 'none'
  /** Fingerprints of a baseline: findings that are known and do not fail. */
  readonly known: ReadonlySet<string>
  /** Codes of findings that fail and that the report does not list, where all were looked at before the list was cut; else absent. */
  readonly unlisted?: ReadonlySet<string>
  /** How the findings, all of them, stand to the baseline, where one was given. */
  readonly baseline?: BaselineCounts
}

export function atOrAbove(severity: Severity, failOn: Judgement['failOn']): boolean {
  return failOn !== 'none' && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(failOn)
}

/** Whether a finding makes `inspect` fail. */
export function fails(finding: Finding, judgement: Judgement): boolean {
  return (
    finding.intended !== true &&
    atOrAbove(finding.severity, judgement.failOn) &&
    !judgement.known.has(finding.fingerprint)
  )
}

/**
 * Codes of findings that may fail and that the report does not list. What nobody can compare with a baseline is not known to it: of each
 * failing check whose list is not known to be whole.
 */
export function failingUnlisted(report: Report, judgement: Judgement): ReadonlySet<string> {
  if (judgement.unlisted !== undefined) return judgement.unlisted
  if (report.findings_omitted === 0) return new Set()
  const failing = report.checks.filter(
    ({ status, severity }) => status === 'fail' && atOrAbove(severity, judgement.failOn),
  )
  const listed = new Map<string, number>()
  for (const { code, intended } of report.findings) if (intended !== true) listed.set(code, (listed.get(code) ?? 0) + 1)
  const isWhole = ({ code, affected, by_turn }: CheckResult) => {
    const inTurns = Object.values(by_turn).reduce((sum, turns) => sum + turns, 0)
    return (listed.get(code) ?? 0) >= Math.max(affected, inTurns)
  }
  return new Set(failing.filter((check) => !isWhole(check)).map(({ code }) => code))
}

/** `1.4 MB`, of 1000 bytes a step. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return unit === 0 ? `${value} bytes` : `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`
}

/** `for: trained share of tool tokens: 31 % (threshold > 0 %)` */
export function measureText(line: Measure): string {
  const { measure, value } = line
  const speech = speechText(line)
  const threshold = thresholdText(line)
  const compared = threshold === null ? '' : ` (${threshold})`
  const shown = spelledScheme(line) ?? measured(measure, value)
  return `${speech === null ? '' : `${speech}: `}${measure}: ${shown}${compared}`
}

/** `threshold >= 20 %`, and of what speaks for a hypothesis from the first on: `above 0 is enough`. Null where nothing is compared. */
export function thresholdText(
  line: Measure,
  signs: Readonly<Partial<Record<Measure['comparison'], string>>> = {},
): string | null {
  const { measure, threshold, comparison } = line
  if (threshold === null) return null
  const value = measured(measure, threshold)
  if (threshold === 0 && comparison === '>' && line.speaks === 'for') return `above ${value} is enough`
  return `threshold ${signs[comparison] ?? comparison} ${value}`
}

/** Which way a measure speaks; `undecided` where it is compared and speaks neither way, null where it is stated alone. */
export function speechText({ speaks, threshold }: Measure): 'for' | 'against' | 'undecided' | null {
  return speaks ?? (threshold === null ? null : 'undecided')
}

/** `near-limit-tokens 20 (default 10)`, of the thresholds that a person set; empty where all are at their default. */
export function thresholdsText({ thresholds = {} }: Report): string {
  return Object.entries(thresholds)
    .map(([id, { value, default: usual }]) => `${id} ${value} (default ${usual})`)
    .join(', ')
}

/** `max_completion_length 512 per turn (inferred)`, of the limits that are known. */
export function limitTexts({
  limits,
  limits_by_rollout = {},
  limits_left_out = {},
}: Pick<Report, 'limits' | 'limits_by_rollout' | 'limits_left_out'>): string[] {
  return LIMIT_NAMES.flatMap((name) => {
    const limit = limits[name]
    const several = limits_by_rollout[name] ?? []
    if (limit !== null) return [`${name} ${count(limit.value)}${countedBy(limit)} (${limit.origin})`]
    return several.length === 0
      ? []
      : [`${name} ${severalText(several, limits_left_out[name])} (metadata, each rollout by its own)`]
  })
}

/** `768 in 96 rollouts, 2,048 in 12 rollouts and 48 more values in 50 rollouts`. */
export function severalText(several: readonly LimitOfRollouts[], leftOut?: LimitsLeftOut[LimitName]): string {
  const listed = several
    .map(
      ({ value, rollouts, per }) =>
        `${count(value)}${countedBy(per === undefined ? {} : { per })} in ${counted(rollouts, 'rollout')}`,
    )
    .join(', ')
  if (leftOut === undefined) return listed
  return `${listed} and ${counted(leftOut.values, 'more value')} in ${counted(leftOut.rollouts, 'rollout')}`
}

/** What a limit counts, behind its number; empty where its name says it. */
export function countedBy({ per, unit }: Pick<LimitInForce, 'per' | 'unit'>): string {
  if (unit !== undefined) return ` ${unit}`
  return per === undefined ? '' : per === 'turn' ? ' per turn' : ' per rollout'
}

export function verdictText(result: HypothesisResult): string {
  if (result.verdict === 'not-checkable') return 'not checkable'
  return `${result.verdict}, ${result.confidence} confidence`
}

/** What stands under a verdict beside its measures, each with a heading; nothing for what there is none of. */
export function termsOf({ would_change, missing, recorded_by = [] }: HypothesisResult) {
  const terms: readonly { readonly term: string; readonly items: readonly string[] }[] = [
    { term: 'What would change it', items: would_change },
    { term: 'What this dump lacks', items: missing },
    { term: 'What a trainer writes it with', items: recorded_by },
  ]
  return terms.filter(({ items }) => items.length > 0)
}

/** What the places of a check are, where a defect that it shows counts a part of them. */
const PLACES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  M08: ['assistant header', 'assistant headers'],
  T04: ['edge between turns', 'edges between turns'],
  T05: ['assistant turn', 'assistant turns'],
}

/** What a defect counts of the places of its check. */
const PLACES_OF_DEFECTS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  V2: ['assistant turn after the first', 'assistant turns after the first'],
  V3: ['edge behind an assistant turn', 'edges behind assistant turns'],
  V5: ['assistant turn after the first', 'assistant turns after the first'],
}

/** `186 of 282 assistant turns`: the places that a check looked at, and those with the fault. */
export function placesText({ code, places }: Pick<CheckResult, 'code' | 'places'>): string {
  const [one, many] = PLACES[code] ?? ['place', 'places']
  return `${count(places.affected)} of ${counted(places.checked, one, many)}`
}

/** The same of a defect, which may be one of a part of these places: `186 of 186 assistant turns after the first`. */
export function defectPlacesText({ id, places }: Pick<Defect, 'id' | 'places'>): string {
  const [one, many] = PLACES_OF_DEFECTS[id] ?? ['place', 'places']
  return `${count(places.affected)} of ${counted(places.checked, one, many)}`
}

/** `12 of 256 rollouts (4.7 %), systematic, in 40 of 4,096 places, 3,121 tokens with 1.5 % of the loss weight` */
export function extentText(check: CheckResult): string {
  const parts = [`${count(check.affected)} of ${counted(check.checked, unitName(check))} (${percent(check.rate)})`]
  if (check.pattern !== null) parts.push([check.pattern, subsetText(check)].filter(Boolean).join(' '))
  if (check.places.checked > 0) parts.push(placesText(check))
  // Not all tokens that a fault touches are trained: their number and their share of the loss are two measures.
  const weight =
    check.affected_weight !== null && check.affected_weight > 0
      ? `${percent(check.affected_weight)} of the loss weight`
      : null
  if (check.affected_tokens > 0) {
    parts.push(`${counted(check.affected_tokens, 'token')}${weight === null ? '' : ` with ${weight}`}`)
  } else if (weight !== null) parts.push(weight)
  return parts.join(', ')
}

/** `M01 (64 rollouts)` for each code that the policy means to be so; a code alone where no place has it. */
export function intendedTexts({ policy, checks }: Pick<Report, 'policy' | 'checks'>): string[] {
  return policy.intended.map((code) => {
    const check = checks.find((each) => each.code === code)
    const extent = check === undefined ? null : intendedExtent(check)
    return extent === null ? code : `${code} (${extent})`
  })
}

/** `64 rollouts`: those in which a check finds nothing but what the policy means; null where there is none. */
export function intendedExtent(check: CheckResult): string | null {
  return check.intended === 0 ? null : counted(check.intended, unitName(check))
}

function unitName({ unit }: Pick<CheckResult, 'unit'>): string {
  return { trajectory: 'rollout', group: 'group', source: 'source' }[unit]
}

/** `turn 1: 0, turn 2: 12`; "before" is what comes before the first assistant turn. Empty where nothing was counted by turn. */
export function byTurnText(check: CheckResult, most = 8): string {
  const turns = Object.entries(check.by_turn).sort((a, b) => Number(a[0]) - Number(b[0]))
  if (turns.every(([, affected]) => affected === 0)) return ''
  const shown = turns.slice(0, most).map(([turn, n]) => `${turn === '0' ? 'before' : `turn ${turn}`}: ${count(n)}`)
  return turns.length > most ? `${shown.join(', ')}, …` : shown.join(', ')
}

/**
 * Where a finding is, for people: `record 12, rollout q3, turn 2, tokens 410–655`; with the file where there are several, and where it is all the place
 * that a finding has.
 */
export function whereText(report: Report, finding: Finding, withFile = report.sources.length > 1): string {
  const file = report.sources[finding.source]?.name ?? `source ${finding.source}`
  const group = finding.trajectory === null ? finding.group : null
  // A group that others share their key with is named with its file.
  const parts = withFile && !group?.includes(`(${file}`) ? [file] : []
  if (finding.record !== null) parts.push(`record ${finding.record}`)
  if (finding.trajectory !== null) parts.push(`rollout ${shortName(finding.trajectory)}`)
  else if (group !== null) parts.push(`group ${shortName(group)}`)
  if (finding.turn !== null) parts.push(`turn ${finding.turn}`)
  if (finding.tokens !== null) parts.push(tokensText(...finding.tokens))
  return parts.length === 0 ? file : parts.join(', ')
}

/** What the ids of causes are, for who meets them for the first time; of `V1` to `V14` only where one of them stands among these. */
export function causeIdsText(defects: readonly Pick<Defect, 'id'>[]): string {
  const known = defects.some(({ id }) => id.startsWith('V'))
    ? 'V1 to V14 are defects known from the old verifiers trainer, which others have had as well. '
    : ''
  return `${known}A cause that is named by a check carries its code: M loss mask, T tokens and template, C cut or lost text, A rewards and advantages, L logprobs, S layout of the batch.`
}

/** Those of the codes whose checks found something. */
export function foundBy(report: Pick<Report, 'checks'> | null, codes: readonly string[]): string[] {
  const checks = report?.checks ?? []
  return codes.filter((code) => checks.some((check) => check.code === code && check.affected + check.intended > 0))
}

/** Failing checks, the worst first, then by code. */
export function failingChecks(report: Report): CheckResult[] {
  return report.checks
    .filter((check) => check.status === 'fail')
    .sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || (a.code < b.code ? -1 : 1))
}

/** Checks that lack something, by their reason: `needs mask` → `M01, M02`. */
export function uncheckable(report: Report): { reason: string; codes: string[] }[] {
  const byReason = new Map<string, string[]>()
  for (const check of report.checks) {
    if (check.status !== 'not-checkable') continue
    const reason = check.reason ?? `needs ${check.needs.join(', ')}`
    byReason.set(reason, [...(byReason.get(reason) ?? []), check.code])
  }
  return [...byReason].map(([reason, codes]) => ({ reason, codes }))
}

/** The first listed finding of a code that nothing excuses: the one-line proof of a failing check. */
export function proofOf(report: Report, code: string): Finding | null {
  return report.findings.find((finding) => finding.code === code && finding.intended !== true) ?? null
}

/** `The report lists 3 findings and leaves 845 out; the counts include them.`; null where it lists all. */
export function omittedText({
  findings,
  findings_omitted,
}: Pick<Report, 'findings' | 'findings_omitted'>): string | null {
  if (findings_omitted === 0) return null
  return `The report lists ${counted(findings.length, 'finding')} and leaves ${count(findings_omitted)} out; the counts include them.`
}

/** `reward 0.62 → 0.61 over 6 steps (reward)`, a text for each known metric of a log. */
export function loggedTexts({ series }: LogReport): string[] {
  return series.map(({ metric, name, steps, values }) => {
    const known = values.filter((value) => value !== null)
    const [first, last] = [known[0], known.at(-1)]
    const went = first === undefined || last === undefined ? 'no finite value' : `${short(first)} → ${short(last)}`
    return `${metric.replaceAll('-', ' ')} ${went} over ${counted(steps.length, 'step')} (${name})`
  })
}

function short(value: number): string {
  return Number(value.toPrecision(3)).toString()
}

/**
 * `8 groups, 3 of them complete`: what judges groups leaves the others out, which no rate of complete groups shows. With what they rest on
 * where no more than repeated questions tells of them. Null without groups.
 */
export function groupsText({ totals, aggregates }: Pick<Report, 'totals' | 'aggregates'>): string | null {
  if (totals.groups === 0) return null
  const { complete } = (aggregates as Partial<Aggregates>).groups ?? { complete: 0 }
  const some = complete > 0 && complete < totals.groups ? `, ${count(complete)} of them complete` : ''
  const { group_size_by_questions: size } = totals
  const by = size === undefined ? '' : ` (nothing names them: ${count(size)} rollouts in a row answer one question)`
  return `${counted(totals.groups, 'group')}${some}${by}`
}
