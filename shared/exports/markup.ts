import { visibleText } from './visible-text.ts'

/** Text for HTML and XML, in elements and in double-quoted attributes. Active characters become visible signs. */
export function markupText(text: string, keepNewlines = false): string {
  const visible = keepNewlines ? text.split('\n').map(visibleText).join('\n') : visibleText(text)
  return visible
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replace(/[\ufffe\uffff]/g, '\ufffd')
}

/**
 * Text from a dump as a Markdown code span: the one place where code hosts let no markup, HTML, mention or link come
 * alive. Not for table cells, where a bar would end the cell.
 */
export function markdownCode(text: string): string {
  const visible = visibleText(text)
  const longest = Math.max(0, ...[...visible.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 || visible === '' ? `${fence} ${visible} ${fence}` : `${fence}${visible}${fence}`
}

/**
 * What a code host makes alive wherever it stands in text (mentions, links, ids of commits, emoji, maths), and what begins a list, a heading or
 * a quotation.
 */
const ALIVE =
  /[@#]|:\/\/|www\.|\bGH-\d|\b[\da-f]{40}\b|:(?:\d*[a-z_+-][\w+-]*|100|1234):|\$[^$]*\$|^\s*(?:[-+=~>]|\d+[.)]\s)/i

/**
 * A sentence of the program's own as Markdown, in which names stand between backticks. Anybody may have written that of a report which
 * was merged, and it may quote a dump: one that would come alive is a code span as a whole.
 */
export function markdownSentence(text: string): string {
  const visible = visibleText(text)
  const pieces = visible.split('`')
  if (ALIVE.test(visible) || pieces.length % 2 === 0 || pieces.includes('')) return markdownCode(text)
  return pieces
    .map((piece, at) => (at % 2 === 1 ? `\`${piece}\`` : piece.replace(/[\\*[\]<>|~&]|(?<!\w)_|_(?!\w)/g, '\\$&')))
    .join('')
}

/** The program's own words in a Markdown table cell; token names such as `<|im_end|>` must not end the cell. */
export function markdownCell(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('|', '\\|')
}

/** Text from a dump as text of Markdown, in table cells too: nothing of it is read as Markdown or HTML. */
export function markdownText(text: string): string {
  return visibleText(text).replace(/[\\`*_[\]<>|#&@]/g, '\\$&')
}
