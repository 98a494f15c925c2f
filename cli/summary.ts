import { baselineText } from '../shared/exports/against-baseline.ts'
import { type AlikeSources, alikeSources, sumOf } from '../shared/exports/alike-sources.ts'
import { fixOf } from '../shared/exports/check-page.ts'
import {
  byTurnText,
  bytesText,
  causeIdsText,
  defectPlacesText,
  extentText,
  failingChecks,
  fails,
  foundBy,
  groupsText,
  intendedTexts,
  type Judgement,
  limitTexts,
  loggedTexts,
  measureText,
  proofOf,
  thresholdsText,
  uncheckable,
  verdictText,
  whereText,
} from '../shared/exports/phrases.ts'
import { adviceSentences, hasNoTrainedToken } from '../shared/hypotheses/advice.ts'
import type { Aggregates } from '../shared/hypotheses/aggregates.ts'
import { recordPlace, unreadRest } from '../shared/model/lost-files.ts'
import { count, counted, percent } from '../shared/model/number-text.ts'
import type { CheckResult, HypothesisResult, LogReport, Report, SourceReport } from '../shared/model/report.ts'
import { STREAM_TITLES } from '../shared/session/audit/streams.ts'
import { LISTED } from './listed.ts'
import type { Line, Segment, Style, Terminal } from './terminal.ts'

/** Characters of what would change a verdict, from which on only its first conditions are told; the reports have all of them. */
const LONGEST_WAY = 240
/** Aggregates count rewards in millionths. */
const REWARD_UNIT = 1e6
/** Column where the values of the facts begin. */
const FACT = 11

/** What decides whether the command fails, and whether it does: also by findings that are not listed. */
interface Outcome extends Judgement {
  readonly fails: boolean
}

/** The report as a person reads it: what was read, what it shows, what it proves it with, and what it cannot tell. */
export function printSummary(
  terminal: Terminal,
  report: Report,
  unreadable: readonly { readonly name: string; readonly message: string }[],
  judgement: Outcome,
  chosenBy?: string,
): void {
  // The others are told with their reason, files that could not even be opened among them.
  const read = report.sources.filter(({ unreadable: reason }) => reason === undefined)
  const lacking = inAll(read.map(({ missing }) => missing))
  for (const alike of alikeSources(read)) printSources(terminal, alike, read.length > 1 ? lacking : [])
  if (read.length > 1 && lacking.length > 0) {
    terminal.line([{ text: `not in any of these files: ${lacking.join(', ')}`, style: 'soft' }], 4)
  }
  for (const log of report.logs ?? []) printLog(terminal, log)
  listSome(
    unreadable,
    ({ message }) => terminal.line([{ text: 'not read  ', style: 'warn' }, message], 2),
    (more) => terminal.line(`and ${counted(more, 'more file')} not read`),
  )
  terminal.line()
  printFacts(terminal, report, chosenBy)
  printVerdicts(terminal, report)
  printDefects(terminal, report)
  printFailing(terminal, report)
  printUndecided(terminal, report)
  printAdvice(terminal, report)
  terminal.line()
  const compared = baselineText(judgement)
  if (compared !== null) terminal.line(compared)
  terminal.line(conclusion(report, judgement))
}

function heading(terminal: Terminal, text: string): void {
  terminal.line()
  terminal.line([{ text, style: 'strong' }])
}

/** The JSON report has the rest. */
function listSome<T>(items: readonly T[], print: (item: T) => void, rest: (more: number) => void): void {
  for (const item of items.slice(0, LISTED)) print(item)
  if (items.length > LISTED) rest(items.length - LISTED)
}

/** What every one of the lists has. */
function inAll<T>([first = [], ...others]: readonly (readonly T[])[]): T[] {
  return first.filter((item) => others.every((other) => other.includes(item)))
}

/** @param told streams that are said to be missing in all files, once */
function printSources(terminal: Terminal, alike: AlikeSources, told: SourceReport['missing']): void {
  const [source] = alike
  const format = source.format === null ? 'not recognised' : source.format.id
  const others =
    alike.length === 1 ? '' : ` and ${counted(alike.length - 1, 'more file')} like it, the last ${alike.at(-1)?.name}`
  terminal.line(
    [
      { text: source.name, style: 'strong' },
      `${others}  ${bytesText(sumOf(alike, 'bytes'))}, ${source.container ?? 'unknown container'}, `,
      { text: format, style: 'strong' },
      `: ${counted(sumOf(alike, 'trajectories'), 'rollout')} in ${counted(sumOf(alike, 'records'), 'record')}`,
    ],
    2,
  )
  if (source.format !== null && source.format.evidence.length > 0) {
    terminal.line(['  recognised by ', source.format.evidence.join('; ')], 4)
  }
  const missing = source.missing.filter((stream) => !told.includes(stream))
  if (missing.length > 0)
    terminal.line(
      [{ text: `  not in this ${told.length > 0 ? 'file' : 'dump'}: ${missing.join(', ')}`, style: 'soft' }],
      4,
    )
  listSome(
    [...(source.notes ?? []), ...source.drift],
    (text) => terminal.line(['  ', text], 4),
    (more) => terminal.line(`  and ${count(more)} more like it`),
  )
  const rest = unreadRest(source)
  listSome(
    // Where all are not listed, this one is.
    rest === null ? source.skipped : [rest, ...source.skipped.slice(0, -1)],
    (skipped) => {
      const place = recordPlace(skipped)
      const what = skipped === rest ? `nothing is read from ${place} on` : `skipped ${place}`
      terminal.line([{ text: `  ${what}: `, style: 'warn' }, skipped.message], 4)
    },
    (more) => terminal.line(`  and ${counted(more, 'more record')} skipped`),
  )
}

function printLog(terminal: Terminal, log: LogReport): void {
  terminal.line(
    [{ text: log.name, style: 'strong' }, `  ${bytesText(log.bytes)}, ${log.title}: no rollouts, ${log.evidence}`],
    2,
  )
  for (const text of loggedTexts(log)) terminal.line(`  ${text}`, 4)
  if (log.others.length > 0)
    terminal.line([{ text: `  and ${counted(log.others.length, 'other metric')}`, style: 'soft' }], 4)
  for (const note of log.notes) terminal.line([{ text: `  ${note}`, style: 'soft' }], 4)
}

function printFacts(terminal: Terminal, report: Report, chosenBy: string | undefined): void {
  const fact = (name: string, ...value: Line) => terminal.line([`${name.padEnd(FACT)}`, ...value], FACT)
  const { tokenizer, policy, totals } = report
  const tokenizerName = tokenizer.id === null ? ['none'] : [tokenizer.id, ` (${tokenizer.origin})`]
  fact('tokenizer', ...tokenizerName, ...because(tokenizer.evidence))
  if (tokenizer.lacks !== undefined) fact('', { text: `Not judged for want of ${tokenizer.lacks}`, style: 'warn' })
  fact(
    'policy',
    `${policy.id} (${policy.origin === 'format' ? 'documented by the format' : policy.origin})`,
    ...because(policy.evidence),
    `; mask alignment ${policy.mask_alignment}`,
  )
  if (policy.alignment_undecided) {
    const asked = 'Every mask lies one token before the turns: say --mask-alignment target if it marks predictions'
    fact('', { text: `${asked} (taken for now), or token if it marks tokens and is off by one (M06)`, style: 'warn' })
  }
  if (policy.intended.length > 0) fact('', `meant by it: ${intendedTexts(report).join(', ')}`)
  if (policy.suggested !== null) {
    fact(
      '',
      `the masks look like ${policy.suggested}, which is only suggested: if that is meant, say --policy ${policy.suggested}`,
    )
  }
  for (const { evidence, intend } of policy.conventions ?? []) {
    fact('', `${evidence}: if that is meant, say --intend ${intend.join(' ')}`)
  }
  const limits = limitTexts(report)
  if (limits.length > 0) fact('limits', limits.join(', '))
  if (report.thresholds !== undefined) fact('thresholds', thresholdsText(report))
  const inGroups = groupsText(report)
  const groups = inGroups === null ? '' : ` in ${inGroups}`
  // Turns are found in ids: without these there are none to count.
  const turns = totals.tokens.total > 0 ? `, ${counted(totals.turns, 'turn')}` : ''
  const chosen = chosenBy === undefined ? '' : `; chosen by ${chosenBy}, which keeps groups whole`
  fact('rollouts', `${count(totals.trajectories)}${groups}${turns}${chosen}`)
  fact('tokens', tokensText(report))
  const rewards = rewardsText(report)
  if (rewards !== null) fact('rewards', rewards)
}

/** Of the rollouts that have one; null where none has. */
function rewardsText({ aggregates, totals }: Report): string | null {
  const { rewards } = aggregates as Partial<Aggregates>
  if (rewards === undefined || rewards.rows === 0) return null
  const { rows, sum } = rewards
  const mean = (sum / REWARD_UNIT / rows).toFixed(3)
  return `mean ${mean}${rows < totals.trajectories ? ` of the ${count(rows)} rollouts with one` : ''}`
}

function because(evidence: readonly string[]): Line {
  return evidence.length === 0 ? [] : [': ', evidence.join('; ')]
}

function tokensText({ totals: { tokens } }: Report): string {
  if (tokens.total === 0) return 'none in this dump'
  const states = (['trained', 'masked', 'padding', 'unknown'] as const)
    .filter((state) => tokens[state] > 0)
    .map((state) => `${count(tokens[state])} ${state} (${percent(tokens[state] / tokens.total)})`)
  const lost = tokens.lost > 0 ? `; beside them ${count(tokens.lost)} lost` : ''
  // Of a token without a mask nobody knows whether it is trained: it is in no share.
  const known = tokens.trained + tokens.masked
  const share = `${percent(tokens.trained / known)}`
  const without =
    tokens.trained === 0 || known === tokens.total
      ? ''
      : tokens.unknown > 0
        ? `; trained share of the ${count(known)} with a mask, without padding, ${share}`
        : `; trained share without padding ${share}`
  return `${count(tokens.total)}: ${states.join(', ')}${without}${lost}`
}

const VERDICT_STYLE: Record<HypothesisResult['verdict'], Style> = {
  supported: 'bad',
  contradicted: 'good',
  inconclusive: 'warn',
  'not-checkable': 'soft',
}

function printVerdicts(terminal: Terminal, report: Report): void {
  const decided = report.hypotheses.filter(({ verdict }) => verdict !== 'not-checkable')
  if (decided.length === 0) return
  heading(terminal, 'Verdicts')
  for (const result of decided) {
    terminal.line(
      [
        { text: `  ${result.id} `, style: 'strong' },
        `${result.title}: `,
        { text: verdictText(result), style: VERDICT_STYLE[result.verdict] },
      ],
      6,
    )
    for (const measure of result.because.slice(0, 3)) {
      // Codes say where to look: where nothing is wrong, or by a check that found nothing, there is nowhere to look.
      const codes = result.verdict === 'supported' ? foundBy(report, measure.checks).join(' ') : ''
      terminal.line([`      ${measureText(measure)}  `, { text: codes, style: 'soft' }], 8)
    }
    const [first, ...others] = result.would_change
    if (first !== undefined) {
      const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'other way')}, in the report)`
      terminal.line([{ text: `      ${firstConditions(first)}${more}`, style: 'soft' }], 8)
    }
    // What would decide a verdict that is open; one that is decided rests on what there is.
    if (result.verdict === 'inconclusive' && result.missing.length > 0)
      terminal.line([{ text: `      this dump lacks: ${result.missing.join('; ')}`, style: 'soft' }], 8)
  }
}

/** A sentence of many conditions, cut between two of them and never within one. */
function firstConditions(way: string): string {
  const conditions = way.split('; ')
  let told = 1
  let length = (conditions[0] as string).length
  while (told < conditions.length && length + (conditions[told] as string).length <= LONGEST_WAY) {
    length += (conditions[told] as string).length
    told++
  }
  const rest = conditions.length - told
  const more = rest === 0 ? '' : `; and ${count(rest)} more, in the report`
  return `${conditions.slice(0, told).join('; ')}${more}`
}

function printDefects(terminal: Terminal, report: Report): void {
  if (report.defects.length === 0) return
  heading(terminal, 'Known defects')
  terminal.line([{ text: `  ${causeIdsText(report.defects)}`, style: 'soft' }], 2)
  for (const defect of report.defects) {
    const { id, title, places, checks } = defect
    const extent = places.checked > 0 ? `: ${defectPlacesText(defect)}` : ''
    terminal.line([{ text: `  ${id} `, style: 'bad' }, `${title}${extent} (${checks.join(', ')})`], 6)
  }
}

const SEVERITY_STYLE: Record<CheckResult['severity'], Style> = { error: 'bad', warning: 'warn', info: 'soft' }

function printFailing(terminal: Terminal, report: Report): void {
  const failing = failingChecks(report)
  if (failing.length === 0) return
  heading(terminal, 'Checks that fail')
  for (const check of failing) {
    terminal.line(
      [
        { text: `  ${check.severity.padEnd(8)}`, style: SEVERITY_STYLE[check.severity] },
        { text: `${check.code} `, style: 'strong' },
        check.title,
      ],
      14,
    )
    terminal.line(`          ${extentText(check)}`, 12)
    const turns = byTurnText(check)
    if (turns !== '') terminal.line([{ text: `          by assistant turn: ${turns}`, style: 'soft' }], 12)
    const proof = proofOf(report, check.code)
    if (proof !== null) {
      const one = check.affected > 1 ? 'first: ' : ''
      terminal.line([`          ${one}`, proof.message, { text: ` (${whereText(report, proof)})`, style: 'soft' }], 12)
    }
  }
}

function printUndecided(terminal: Terminal, report: Report): void {
  const verdicts = report.hypotheses.filter(({ verdict }) => verdict === 'not-checkable')
  // The alignment is asked for above, where it is told.
  const reasons = uncheckable(report).filter(
    ({ codes }) => !(report.policy.alignment_undecided && codes.length === 1 && codes[0] === 'M06'),
  )
  if (verdicts.length === 0 && reasons.length === 0) return
  heading(terminal, 'What this dump cannot decide')
  for (const { id, title, missing } of verdicts) {
    const needs = missing.length > 0 ? `: needs ${missing.join(', ')}` : ''
    terminal.line([{ text: `  ${id} `, style: 'strong' }, `${title}${needs}`], 6)
  }
  // Where no rollout has ids, each of the other streams that a check of tokens needs is as absent, and told above.
  const ofTokens = report.totals.tokens.total > 0 ? [] : reasons.filter(({ reason }) => reason.startsWith(NO_IDS))
  for (const { reason, codes } of reasons) {
    if (!ofTokens.some((each) => each.reason === reason)) terminal.line([`  ${codes.join(', ')}: `, reason], 6)
  }
  const blind = ofTokens.flatMap(({ codes }) => codes).length
  if (blind > 0) terminal.line(`  ${counted(blind, 'check')} of tokens: ${NO_IDS}`, 6)
  const switches = [...new Set(report.hypotheses.flatMap(({ recorded_by = [] }) => recorded_by))]
  if (switches.length === 0) return
  terminal.line('  What a trainer would write it with:')
  for (const line of switches) terminal.line([{ text: `    ${line}`, style: 'soft' }], 6)
}

const NO_IDS = `the dump does not carry ${STREAM_TITLES.ids}`

/** What it all comes to, last, where a terminal is read first. */
function printAdvice(terminal: Terminal, report: Report): void {
  heading(terminal, 'What to do first')
  // What these lack stands just above.
  const told = report.hypotheses.filter(({ verdict }) => verdict === 'not-checkable').map(({ id }) => id)
  for (const { text, fix } of adviceSentences(report, fixOf, told)) {
    terminal.line(`  ${text}`, 4)
    if (fix !== null) terminal.line([{ text: `    ${fix}`, style: 'soft' }], 4)
  }
}

function conclusion(report: Report, judgement: Outcome): Segment[] {
  const { failOn, known } = judgement
  if (failOn === 'none') return [{ text: `${counted(total(report), 'finding')}.` }]
  const failing = report.findings.filter((finding) => fails(finding, judgement)).length
  const kept = known.size === 0 ? '' : ', leaving out those of the baseline'
  if (failing === 0 && report.findings_omitted === 0) {
    // A good ending would hide that the rows give no gradient: rows that are cut or masked on purpose are notes.
    if (hasNoTrainedToken(report)) {
      return [
        { text: `No finding at or above ${failOn}${kept}, but no token of any rollout is trained.`, style: 'warn' },
      ]
    }
    if (report.sources.some((source) => unreadRest(source) !== null)) {
      return [{ text: `No finding at or above ${failOn}${kept} in what could be read.`, style: 'warn' }]
    }
    return [{ text: `No finding at or above ${failOn}${kept}.`, style: 'good' }]
  }
  const more =
    report.findings_omitted > 0
      ? ` among the ${count(report.findings.length)} of ${count(total(report))} that are listed`
      : ''
  const unlisted =
    judgement.fails && failing === 0 ? `, and some among the ${count(report.findings_omitted)} others` : ''
  return [
    {
      text: `${counted(failing, 'finding')} at or above ${failOn}${kept}${more}${unlisted}.`,
      style: judgement.fails ? 'bad' : 'warn',
    },
  ]
}

function total(report: Report): number {
  return report.findings.length + report.findings_omitted
}
