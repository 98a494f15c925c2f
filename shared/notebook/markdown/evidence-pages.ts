import { markdownCode } from '../../exports/markup.ts'
import { evidenceItem } from '../hand-out/hand-out.ts'
import type { Evidence, Hypothesis, Page } from '../model.ts'
import { type Line, parsePage } from './page.ts'

/**
 * A page for each hypothesis that something was pinned to, beside the page of the hypothesis, which has no place for it. What such a page
 * holds already stays: it may be what others pinned, or wrote below a piece.
 *
 * @param before pages of the folder by path
 */
export function evidencePages(hypotheses: readonly Hypothesis[], before: ReadonlyMap<string, string>): Page[] {
  const taken = new Set<string>()
  return hypotheses.flatMap(({ id, title, evidence }) => {
    if (evidence.length === 0) return []
    const others = hypotheses.filter((each) => each.id !== id).map((each) => headOf(each.id))
    const path = pathFor(id, others, before, taken)
    taken.add(path)
    const known = before.get(path) ?? `${headOf(id)}${title.replace(/\s+/g, ' ')}\n\n`
    const text = evidence.reduce(withPiece, known)
    return text === known ? [] : [{ path, text }]
  })
}

function headOf(id: string): string {
  return `# Evidence pinned to ${id.replace(/[\r\n]/g, ' ')} `
}

/** The hypothesis' own page, or one that is free: different ids may give the same name. */
function pathFor(
  id: string,
  others: readonly string[],
  before: ReadonlyMap<string, string>,
  taken: ReadonlySet<string>,
): string {
  const name = `evidence/${id.replace(/[^\w-]/g, '_')}`
  for (let more = 1; ; more++) {
    const path = more === 1 ? `${name}.md` : `${name}-${more}.md`
    const text = before.get(path)?.replace(/^\ufeff/, '') ?? ''
    const isOthers = !text.startsWith(headOf(id)) && others.some((head) => text.startsWith(head))
    if (!taken.has(path) && !isOthers) return path
  }
}

/** Whether a page is that of a hypothesis and has a piece of this title. */
export function isPinnedOn(page: string, id: string, title: string): boolean {
  if (!page.replace(/^\ufeff/, '').startsWith(headOf(id))) return false
  const item = `- ${markdownCode(title)}`
  return parsePage(page).lines.some(({ text }) => text.trimEnd() === item)
}

/** A page with one piece, once; of a piece that it has, a note that it lacks is put beside what was noted before. */
function withPiece(text: string, evidence: Evidence): string {
  const { lines, ending } = parsePage(text)
  const item = evidenceItem(evidence).split(/\r?\n/)
  const origin = originLine(lines, item)
  if (origin === null) {
    const gap = text.endsWith('\n') ? '' : ending
    return `${text}${gap}${item.join(ending)}${ending}`
  }
  const note = evidence.note.trim() === '' ? null : (item.at(-2) as string)
  if (note === null || origin.piece.has(note.trimEnd())) return text
  return `${text.slice(0, origin.at)}${note}${ending}${text.slice(origin.at)}`
}

/** Where the line begins that says where a piece is from and when it was pinned, by which it is known, and all lines of the piece. */
function originLine(
  lines: readonly Line[],
  item: readonly string[],
): { readonly at: number; readonly piece: ReadonlySet<string> } | null {
  const [title, from] = [item[0], item.at(-1)].map((line) => line?.trimEnd())
  for (const [first, { text }] of lines.entries()) {
    if (text.trimEnd() !== title) continue
    const below = lines.slice(first + 1)
    const end = below.findIndex((line) => !/^\s+\S/.test(line.text))
    const own = end === -1 ? below : below.slice(0, end)
    const last = own.find((line) => line.text.trimEnd() === from)
    if (last !== undefined)
      return { at: last.start, piece: new Set([text, ...own.map((line) => line.text)].map((line) => line.trimEnd())) }
  }
  return null
}
