import { clipped } from '../../model/clipped.ts'
import { markupText } from '../markup.ts'

/** Text of a dump for HTML, cut to `most` characters: what it says at length stands in the dump. */
export function text(value: string, most = 300): string {
  return markupText(clipped(value, most))
}

/** Words of ours with numbers in them, none of which is parted from its unit or its turn by the end of a line. */
export function figures(value: string, most?: number): string {
  return text(value, most)
    .replace(/(\d) (%|nats|tokens)/g, '$1\u00a0$2')
    .replace(/\bturn (\d+:) /g, 'turn\u00a0$1\u00a0')
}

/** A name or a value of a dump, in the fixed face and isolated from the direction of the text around it. */
export function code(value: string, most = 120): string {
  return `<code>${text(value, most)}</code>`
}

/** Items that are HTML already; beyond `most` they are counted. */
export function list(items: readonly string[], most = 40): string {
  if (items.length === 0) return ''
  const more = items.length > most ? `<li>and ${items.length - most} more</li>` : ''
  return `<ul>${items
    .slice(0, most)
    .map((item) => `<li>${item}</li>`)
    .join('')}${more}</ul>`
}

export interface Column {
  readonly title: string
  readonly number?: boolean
}

/** A table of cells that are HTML already. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const kind = (at: number) => (columns[at]?.number === true ? ' class=n' : '')
  const head = columns.map(({ title }, at) => `<th scope=col${kind(at)}>${title}</th>`).join('')
  const body = rows
    .map((row) => {
      const [first = '', ...rest] = row
      return `<tr><th scope=row>${first}</th>${rest.map((cell, at) => `<td${kind(at + 1)}>${cell}</td>`).join('')}</tr>`
    })
    .join('\n')
  return `<div class=scroll><table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

/** A section that is folded; its first line is HTML already. */
export function folded(summary: string, body: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>\n${body}\n</details>`
}
