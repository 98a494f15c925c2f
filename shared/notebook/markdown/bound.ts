import { BREAK, HEADING, isBlank, type ParsedPage } from './page.ts'

/** A piece of a page to be replaced. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A value that a page holds, where it stands, and how another one is written there. */
export interface Bound {
  readonly value: string
  write(value: string): Splice
}

/** The page with pieces replaced. Of pieces that overlap the first counts; what is inserted at one place stays in its order. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const inOrder = splices.map((splice, order) => ({ ...splice, order }))
  inOrder.sort((a, b) => a.start - b.start || a.end - b.end || a.order - b.order)
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: piece } of inOrder) {
    if (start < at) continue
    parts.push(text.slice(at, start), piece)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/**
 * Text between two places, without blank lines around it. `level`: that of the section it stands in; a heading of that level or
 * a higher one that a person writes into it is written as text, so that it stays in its section.
 */
export function block(page: ParsedPage, from: number, to: number, level: number): Bound {
  const { start, end } = trimmed(page.text, from, to)
  return {
    value: normal(page.text.slice(start, end)),
    write(value) {
      const text = withEnding(sheltered(value, level), page.ending)
      if (start < end || text === '') return { start, end, text }
      return { start: from, end: from, text: `${gap(page, from)}${text}${page.ending}${closingGap(page, from)}` }
    },
  }
}

/** A value on one line; what is written there keeps to it. */
export function inline(page: ParsedPage, from: number, to: number): Bound {
  const raw = page.text.slice(from, to)
  const start = from + (raw.length - raw.trimStart().length)
  const end = Math.max(start, from + raw.trimEnd().length)
  return {
    value: page.text.slice(start, end),
    write: (value) => {
      const text = oneLine(value)
      const apart = start === end && text !== '' && /[^\s]/.test(page.text[start - 1] ?? ' ') ? ' ' : ''
      return { start, end, text: apart + text }
    },
  }
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Puts a text of its own paragraphs at a place, with a blank line on either side. */
export function inserted(page: ParsedPage, at: number, text: string): Splice {
  const behind = page.text.slice(at)
  const apart = behind === '' || /^\r?\n/.test(behind) ? '' : page.ending
  return { start: at, end: at, text: `${blankBefore(page, at)}${withEnding(text, page.ending)}${page.ending}${apart}` }
}

/** Lines as a model holds them. */
export function normal(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

export function withEnding(text: string, ending: string): string {
  return normal(text).replaceAll('\n', ending)
}

function trimmed(text: string, from: number, to: number): { start: number; end: number } {
  const raw = text.slice(from, to)
  if (isBlank(raw)) return { start: from, end: from }
  // Blanks in front of the first line may be the code's own.
  const lead = /^(?:[ \t]*\r?\n)*/.exec(raw)?.[0].length ?? 0
  return { start: from + lead, end: from + raw.trimEnd().length }
}

/** Lines that would end the section are written as text, and a fence that is left open is closed. */
function sheltered(value: string, level: number): string {
  let fence: string | null = null
  const lines = normal(value)
    .trimEnd()
    .split('\n')
    .map((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line)
      if (fence !== null) {
        if (mark?.[1]?.startsWith(fence) && (mark[2] ?? '').trim() === '') fence = null
        return line
      }
      if (mark?.[1] !== undefined && !(mark[1].startsWith('`') && mark[2]?.includes('`'))) {
        fence = mark[1]
        return line
      }
      const heading = HEADING.exec(line)
      const ends = heading === null ? BREAK.test(line) : (heading[1] as string).length <= level
      return ends ? line.replace(/^ */, '$&\\') : line
    })
  return fence === null ? lines.join('\n') : [...lines, fence].join('\n')
}

/** What has to stand between a heading and the first text under it. */
function gap(page: ParsedPage, at: number): string {
  return page.text.slice(0, at).endsWith('\n') || at === 0 ? page.ending : page.ending + page.ending
}

function closingGap(page: ParsedPage, at: number): string {
  const behind = page.text.slice(at)
  return behind === '' || /^\r?\n/.test(behind) ? '' : page.ending
}

function blankBefore(page: ParsedPage, at: number): string {
  const before = page.text.slice(0, at)
  if (before === '' || /\n\r?\n$/.test(before)) return ''
  return before.endsWith('\n') ? page.ending : page.ending + page.ending
}
