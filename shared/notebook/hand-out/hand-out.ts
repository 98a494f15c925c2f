import { STYLE } from '../../exports/html/style.ts'
import { markdownCode, markupText } from '../../exports/markup.ts'
import { styleHash } from '../../exports/report-html.ts'
import { percent } from '../../model/number-text.ts'
import type { Evidence, Hypothesis } from '../model.ts'

/** One hypothesis as it is shown to somebody else. */
export interface HandOut {
  readonly hypothesis: Hypothesis
  /** What a person wrote, under the titles they wrote it under; empty ones are left out. */
  readonly sections: readonly { readonly title: string; readonly text: string }[]
}

/** For an issue or a chat. A person's texts stand as the Markdown they are; what came out of a dump stands as code, where nothing comes alive. */
export function handOutMarkdown({ hypothesis, sections }: HandOut): string {
  const parts = [
    `# ${hypothesis.id} ${hypothesis.title}`,
    factsOf(hypothesis).join(' · '),
    ...sections.filter(isWritten).map(({ title, text }) => `## ${title}\n\n${text.trim()}`),
    ...(hypothesis.validation.length === 0
      ? []
      : [`## Validation\n\n${hypothesis.validation.map(methodText).join('\n')}`]),
    `## Evidence\n\n${evidenceMarkdown(hypothesis.evidence)}`,
  ]
  return `${parts.join('\n\n')}\n`
}

/** One self-contained page without scripts; its own policy forbids loading anything. All text is escaped, and no Markdown is read. */
export function handOutHtml({ hypothesis, sections }: HandOut): string {
  const title = `${hypothesis.id} ${hypothesis.title}`
  const methods = hypothesis.validation.map((method) => `<li>${proseHtml(methodText(method).slice(2))}</li>`)
  const parts = [
    `<h1>${markupText(title)}</h1>`,
    `<p>${markupText(factsOf(hypothesis).join(' · '))}</p>`,
    ...sections.filter(isWritten).map((section) => `<h2>${markupText(section.title)}</h2>${proseHtml(section.text)}`),
    ...(methods.length === 0 ? [] : [`<h2>Validation</h2><ol>${methods.join('')}</ol>`]),
    `<h2>Evidence</h2>${evidenceHtml(hypothesis.evidence)}`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash()}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${markupText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${parts.join('\n')}
</main>
</body>
</html>
`
}

function factsOf({ status, statusNote, confidence, priority, codeLocation }: Hypothesis): string[] {
  return [
    `Status: ${status}${statusNote === '' ? '' : ` (${statusNote})`}`,
    ...(confidence === null ? [] : [`Confidence: ${confidence}`]),
    `Priority: ${priority}`,
    ...(codeLocation === '' ? [] : [`Code: ${codeLocation}`]),
  ]
}

function isWritten({ text }: { readonly text: string }): boolean {
  return text.trim() !== ''
}

function methodText({ title, how, success }: Hypothesis['validation'][number]): string {
  return `- ${[title, how, success === '' ? '' : `It holds if: ${success}`]
    .filter((part) => part !== '')
    .join(' — ')
    .replaceAll('\n', '\n  ')}`
}

function evidenceMarkdown(evidence: readonly Evidence[]): string {
  return evidence.length === 0 ? 'None was pinned.' : evidence.map(evidenceItem).join('\n')
}

/** One pinned piece as an item of a Markdown list, with its numbers and where they are from. */
export function evidenceItem(evidence: Evidence): string {
  return [
    `- ${markdownCode(evidence.title)}`,
    ...evidence.numbers.map((number) => `  - ${markdownCode(numberText(number))}`),
    ...(evidence.note === '' ? [] : [`  - ${evidence.note.replaceAll('\n', ' ')}`]),
    `  - ${markdownCode(originText(evidence))}`,
  ].join('\n')
}

function evidenceHtml(evidence: readonly Evidence[]): string {
  if (evidence.length === 0) return '<p>None was pinned.</p>'
  const items = evidence.map((each) => {
    const numbers = each.numbers.map((number) => `<li>${markupText(numberText(number))}</li>`).join('')
    const note = each.note === '' ? '' : proseHtml(each.note)
    return `<li><strong>${markupText(each.title)}</strong><ul>${numbers}</ul>${note}<p>${markupText(originText(each))}</p></li>`
  })
  return `<ol>${items.join('')}</ol>`
}

function numberText({ name: pinned, value, unit }: Evidence['numbers'][number]): string {
  // As a check calls it, in the words of a person.
  const name = pinned.replaceAll('_', ' ')
  if (unit === 'share' && typeof value === 'number') return `${name}: ${percent(value)}`
  return `${name}: ${value ?? 'not known'}${unit === null ? '' : ` ${unit}`}`
}

/** Where the numbers are from, so that another person finds the same. */
function originText({ from, address, pinnedAt }: Evidence): string {
  const settings = Object.entries(from.settings).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${value}`],
  )
  const report = from.report === null ? '' : `, report ${from.report}`
  return `from ${from.names.join(', ')} (dump ${from.dump}${report}), read by ${from.version} under ${settings.join(', ')}, pinned ${pinnedAt}, at ${address}`
}

function proseHtml(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${markupText(paragraph, true).replaceAll('\n', '<br>')}</p>`)
    .join('')
}
