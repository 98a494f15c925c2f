import { spelledScheme } from '../../checks/groups/scheme-words.ts'
import { HYPOTHESES } from '../../hypotheses/registry.ts'
import { measured } from '../../model/number-text.ts'
import type { HypothesisResult, Measure, Report } from '../../model/report.ts'
import { speechText, termsOf, verdictText } from '../phrases.ts'
import type { Links } from './links.ts'
import { folded, list, table, text } from './parts.ts'

/** A verdict is told by its sign and its word, never by colour alone. */
const SIGNS: Readonly<Record<HypothesisResult['verdict'], string>> = {
  supported: '●',
  contradicted: '○',
  inconclusive: '◐',
  'not-checkable': '–',
}

const SIGN = { '>': '>', '>=': '≥', '<': '<', '<=': '≤', '=': '=' } as const

const ORDER = ['supported', 'inconclusive', 'contradicted', 'not-checkable']

/** Every verdict, those that call for something first and open. */
export function verdictsHtml({ hypotheses }: Report, links: Links): string {
  if (hypotheses.length === 0) return ''
  const sorted = [...hypotheses].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))
  return `<section aria-labelledby=verdicts>\n<h2 id=verdicts>Verdicts</h2>\n${sorted.map((each) => verdictHtml(each, links)).join('\n')}\n</section>`
}

function verdictHtml(result: HypothesisResult, links: Links): string {
  const { id, title, verdict, because } = result
  const claim = HYPOTHESES.find((hypothesis) => hypothesis.id === id)?.claim
  const chip = `<span class="chip ${verdict}"><span aria-hidden=true>${SIGNS[verdict]}</span> ${text(verdictText(result))}</span>`
  const parts = [
    claim === undefined ? '' : `<p class=soft>${text(claim, 600)}</p>`,
    because.length === 0 ? '' : measuresHtml(because, links),
    termsHtml(result),
  ]
  const open = verdict === 'supported' || verdict === 'inconclusive'
  const body = folded(`<b>${id}</b> <span>${text(title)}</span> ${chip}`, parts.join('\n'), open)
  return body.replace('<details', `<details class="card ${verdict}"`)
}

function measuresHtml(because: readonly Measure[], links: Links): string {
  const rows = because.slice(0, 40).map((line) => {
    const { measure, value, threshold, comparison, checks } = line
    return [
      text(measure),
      speechHtml(line),
      text(spelledScheme(line) ?? measured(measure, value)),
      threshold === null ? '' : text(`${SIGN[comparison]} ${measured(measure, threshold)}`),
      links.all(checks),
    ]
  })
  const columns = [
    { title: 'measure' },
    { title: 'speaks' },
    { title: 'value', number: true },
    { title: 'threshold', number: true },
    { title: 'checks' },
  ]
  return table('Measures', columns, rows)
}

const SPEECH_SIGNS = { for: SIGNS.supported, against: SIGNS.contradicted, undecided: SIGNS.inconclusive }

function speechHtml(line: Measure): string {
  const speech = speechText(line)
  return speech === null ? '' : `<span aria-hidden=true>${SPEECH_SIGNS[speech]}</span>\u00a0${speech}`
}

function termsHtml(result: HypothesisResult): string {
  const each = termsOf(result).map(
    ({ term, items }) => `<dt>${term}</dt><dd>${list(items.map((item) => text(item, 600)))}</dd>`,
  )
  return each.length === 0 ? '' : `<dl>${each.join('')}</dl>`
}
