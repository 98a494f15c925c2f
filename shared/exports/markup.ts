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

/** The program's own words in a Markdown table cell; token names such as `<|im_end|>` must not end the cell. */
export function markdownCell(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('|', '\\|')
}

/** Text from a dump as text of Markdown, in table cells too: nothing of it is read as Markdown or HTML. */
export function markdownText(text: string): string {
  return visibleText(text).replace(/[\\`*_[\]<>|#&@]/g, '\\$&')
}
