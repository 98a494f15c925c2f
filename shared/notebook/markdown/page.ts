import { partitionPoint } from '../../model/partition-point.ts'
import { lineEnding } from './text.ts'

/** A line of a page: from `start` to `end`, its ending to `next`. */
export interface Line {
  readonly start: number
  readonly end: number
  readonly next: number
  readonly text: string
  /** Inside a fenced block, its fences included. */
  readonly fenced: boolean
  /** Whether it opens or closes such a block. */
  readonly fence: 'opens' | 'closes' | null
}

/** A heading (`## Title`) and what stands under it. */
export interface Section {
  readonly level: number
  readonly title: string
  /** Of the title's text. */
  readonly titleStart: number
  readonly titleEnd: number
  /** Of the heading's line. */
  readonly start: number
  /** After the heading's line. */
  readonly body: number
  /** Where the next heading of any level begins, or a break (`---`) that ends the section. */
  readonly ownEnd: number
  /** Where the next heading of this level or a higher one begins, or such a break. */
  readonly end: number
}

/** `**Name**: value`, also as an item of a list. */
export interface Label {
  /** In lower case. */
  readonly name: string
  readonly start: number
  /** Of the value on the same line. */
  readonly value: number
  readonly lineEnd: number
  readonly next: number
  readonly isItem: boolean
}

/** A row of a table, header and delimiter rows included. */
export interface Row {
  readonly start: number
  readonly end: number
  readonly next: number
  readonly cells: readonly Cell[]
}

/** Where a cell stands without the blanks around it. */
export interface Cell {
  readonly start: number
  readonly end: number
  /** As it is read: a bar, which is escaped there, is a bar. */
  readonly text: string
}

/** A Markdown page with the places of what it is made of. Nothing in it is changed or moved; whatever it is not, is text. */
export interface ParsedPage {
  readonly text: string
  readonly ending: '\n' | '\r\n'
  readonly lines: readonly Line[]
  readonly sections: readonly Section[]
  readonly labels: readonly Label[]
  /** Tables of at least a header and a delimiter row. */
  readonly tables: readonly (readonly Row[])[]
}

export const BREAK = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
export const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/
const LABEL = /^[ \t]*([-*+][ \t]+|\d{1,4}[.)][ \t]+)?\*\*([^*\n]{1,80})\*\*([ \t]*:)?[ \t]*/
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** A page with more headings, labels or rows than this is no notes of a person's, and is kept as text alone. */
const MOST_MARKS = 5000

/** Finds headings, labels and tables. Never throws. */
export function parsePage(text: string): ParsedPage {
  const lines = linesOf(text)
  const sections = sectionsOf(text, lines)
  const labels = lines.flatMap((line) => labelOf(line) ?? [])
  const tables = tablesOf(lines)
  const rows = tables.reduce((sum, { length }) => sum + length, 0)
  const isNotes = Math.max(sections.length, labels.length, rows) <= MOST_MARKS
  const marks = isNotes ? { sections, labels, tables } : { sections: [], labels: [], tables: [] }
  return { text, ending: lineEnding(text), lines, ...marks }
}

/** The number of the first line that begins at a place or behind it. */
export function lineFrom(page: ParsedPage, place: number): number {
  return partitionPoint(page.lines.length, (i) => (page.lines[i] as Line).start < place)
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let fence: { readonly mark: string; readonly length: number } | null = null
  // A byte order mark is no part of the first line.
  for (let start = text.startsWith('\ufeff') ? 1 : 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const next = newline === -1 ? text.length : newline + 1
    let end = newline === -1 ? text.length : newline
    if (newline !== -1 && end > start && text[end - 1] === '\r') end--
    const line = text.slice(start, end)
    const [, marks = '', behind = ''] = FENCE.exec(line) ?? []
    let fenced = fence !== null
    let turns: Line['fence'] = null
    if (fence === null) {
      // A backtick behind the fence makes it code within a line.
      if (marks !== '' && !(marks[0] === '`' && behind.includes('`'))) {
        fence = { mark: marks[0] as string, length: marks.length }
        fenced = true
        turns = 'opens'
      }
    } else if (marks[0] === fence.mark && marks.length >= fence.length && behind.trim() === '') {
      fence = null
      turns = 'closes'
    }
    lines.push({ start, end, next, text: line, fenced, fence: turns })
    start = next
  }
  return lines
}

function sectionsOf(text: string, lines: readonly Line[]): Section[] {
  const marks = lines.flatMap((line, at) => markOf(line, lines[at - 1]) ?? [])
  const sections: Section[] = []
  // From the back, with the place where a section of each level would end (index = level).
  const ends: number[] = Array.from({ length: 8 }, () => text.length)
  let ownEnd = text.length
  let nextLevel = 0
  for (const mark of marks.toReversed()) {
    if (mark.level === null) {
      // Between a section and its own parts, which are of deeper levels, a break divides nothing.
      for (let level = Math.max(2, nextLevel); level < ends.length; level++) ends[level] = mark.line.start
      ownEnd = mark.line.start
      continue
    }
    const { level, line, titleStart, titleEnd } = mark
    const title = text.slice(titleStart, titleEnd)
    const end = ends[level] as number
    sections.push({ level, title, titleStart, titleEnd, start: line.start, body: line.next, ownEnd, end })
    for (let deeper = level; deeper < ends.length; deeper++) ends[deeper] = line.start
    ownEnd = line.start
    nextLevel = level
  }
  return sections.reverse()
}

type Mark =
  | { readonly level: null; readonly line: Line }
  | { readonly level: number; readonly line: Line; readonly titleStart: number; readonly titleEnd: number }

function markOf(line: Line, before: Line | undefined): Mark | null {
  if (line.fenced) return null
  const heading = HEADING.exec(line.text)
  if (heading !== null) {
    const title = withoutClosing(line.text.slice(heading[0].length))
    const titleStart = line.start + heading[0].length
    return { level: (heading[1] as string).length, line, titleStart, titleEnd: titleStart + title.length }
  }
  // Dashes right under a text make it a heading of the other kind, which is read as text.
  const isBreak = BREAK.test(line.text) && (!line.text.includes('-') || before === undefined || isBlank(before.text))
  return isBreak ? { level: null, line } : null
}

/** `Title ##` without what closes it. */
function withoutClosing(raw: string): string {
  const text = raw.trimEnd()
  let end = text.length
  while (end > 0 && text[end - 1] === '#') end--
  return end === 0 || /\s/.test(text[end - 1] ?? '') ? text.slice(0, end).trimEnd() : text
}

function labelOf(line: Line): Label | null {
  if (line.fenced) return null
  const found = LABEL.exec(line.text)
  if (found === null) return null
  const [whole, item, name = '', colon] = found
  if (colon === undefined && !name.trimEnd().endsWith(':')) return null
  return {
    name: name.replace(/:\s*$/, '').trim().toLowerCase(),
    start: line.start,
    value: line.start + whole.length,
    lineEnd: line.end,
    next: line.next,
    isItem: item !== undefined,
  }
}

function tablesOf(lines: readonly Line[]): Row[][] {
  const tables: Row[][] = []
  let rows: Row[] = []
  const close = () => {
    if (rows.length >= 2 && rows[1]?.cells.every(({ text }) => /^:?-+:?$/.test(text))) tables.push(rows)
    rows = []
  }
  for (const line of lines) {
    if (line.fenced || !/^ {0,3}\|/.test(line.text)) close()
    else rows.push({ start: line.start, end: line.end, next: line.next, cells: cellsOf(line) })
  }
  close()
  return tables
}

function cellsOf(line: Line): Cell[] {
  const bars: number[] = []
  for (let at = 0; at < line.text.length; at++) {
    if (line.text[at] === '\\') at++
    else if (line.text[at] === '|') bars.push(at)
  }
  return bars.flatMap((bar, at): Cell[] => {
    const end = bars[at + 1] ?? line.text.length
    const raw = line.text.slice(bar + 1, end)
    if (bars[at + 1] === undefined && raw.trim() === '') return []
    const written = raw.trim()
    // An empty cell is written behind its first blank.
    const lead = written === '' ? Math.min(1, raw.length) : raw.length - raw.trimStart().length
    const start = line.start + bar + 1 + lead
    return [{ start, end: start + written.length, text: written.replaceAll('\\|', '|') }]
  })
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The first section whose title fits, at any level. */
export function sectionNamed(page: ParsedPage, title: RegExp): Section | undefined {
  return page.sections.find((section) => title.test(section.title.trim()))
}

/** Headings right under a section, the next deeper level that it has. */
export function partsOf(page: ParsedPage, section: Section): Section[] {
  const inside = page.sections.filter(({ start }) => start >= section.body && start < section.end)
  const level = Math.min(...inside.map((part) => part.level))
  return inside.filter((part) => part.level === level)
}
