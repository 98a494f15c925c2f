import { visibleText } from '../shared/exports/visible-text.ts'
import type { OutputStream } from './io.ts'

export type Style = 'strong' | 'soft' | 'good' | 'bad' | 'warn' | 'trained' | 'padding' | 'special' | 'lost'

/** A stretch of text in one style. The text may be hostile: it is made harmless when the line is drawn. */
export interface Segment {
  readonly text: string
  readonly style?: Style
}

export type Line = readonly (string | Segment)[]

/** SGR parameters. The state of a token never rests on them alone. */
const SGR: Record<Style, string> = {
  strong: '1',
  soft: '2',
  good: '32',
  bad: '31;1',
  warn: '33',
  trained: '30;46',
  padding: '2;9',
  special: '1;35',
  lost: '33;1',
}

/** Lines longer than this are hard to read, however wide the window is. */
const MOST_COLUMNS = 100

export interface Terminal {
  readonly columns: number
  /** Prints a line, wrapped at spaces to the terminal's width. Rows after the first begin with `hang`: spaces, or a text of ours. */
  line(line?: Line | string, hang?: number | string): void
}

/** Draws on a stream: colour only on a terminal and without NO_COLOR, never more than 100 columns. */
export function createTerminal(stream: OutputStream, env: Readonly<Record<string, string | undefined>>): Terminal {
  const columns = Math.min(MOST_COLUMNS, Math.max(40, stream.columns ?? MOST_COLUMNS))
  const colour = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return {
    columns,
    line(line = [], hang = 0) {
      const segments = (typeof line === 'string' ? [line] : line).map((item) =>
        typeof item === 'string' ? { text: visibleText(item) } : { ...item, text: visibleText(item.text) },
      )
      for (const row of wrap(segments, columns, typeof hang === 'number' ? ' '.repeat(hang) : hang)) {
        stream.write(`${draw(row, colour)}\n`)
      }
    },
  }
}

function draw(segments: readonly Segment[], colour: boolean): string {
  return withoutEndBlanks(segments)
    .map(({ text, style }) => (colour && style !== undefined ? `\u001b[${SGR[style]}m${text}\u001b[0m` : text))
    .join('')
}

/** Blanks at the end of a row would begin another one in a narrow window, also those inside of a style. */
function withoutEndBlanks(segments: readonly Segment[]): Segment[] {
  const kept = [...segments]
  for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
    const text = last.text.trimEnd()
    if (text !== '') return [...kept, { ...last, text }]
  }
  return []
}

/** Behind a space, and never between a number and its per cent. */
const BREAKS = /(?<= )(?!%)/

/** Breaks segments into rows of at most `columns`, at spaces where there are any; rows after the first begin with `hang`. */
function wrap(segments: readonly Segment[], columns: number, hang: string): Segment[][] {
  const indent = displayWidth(hang)
  const rows: Segment[][] = [[]]
  let used = 0
  const newRow = () => {
    rows.push([{ text: hang }])
    used = indent
  }
  for (const { text, style } of segments) {
    for (const word of text.split(BREAKS)) {
      const width = displayWidth(word.trimEnd())
      // Blanks that a full row is followed by begin no other.
      const overflows = width > 0 && used + width > columns
      if (overflows && used > indent) newRow()
      for (const piece of overflows ? chop(word, columns - used, columns - indent) : [word]) {
        if (width > 0 && used + displayWidth(piece.trimEnd()) > columns) newRow()
        rows.at(-1)!.push(style === undefined ? { text: piece } : { text: piece, style })
        used += displayWidth(piece)
      }
    }
  }
  return rows
}

/** A word that fits no row, cut to the width that is left and then to whole rows. */
function chop(word: string, first: number, rest: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let width = 0
  for (const character of word) {
    const step = displayWidth(character)
    if (width + step > Math.max(1, pieces.length === 0 ? first : rest)) {
      pieces.push(piece)
      piece = ''
      width = 0
    }
    piece += character
    width += step
  }
  if (piece !== '') pieces.push(piece)
  return pieces
}

/** Columns that a text takes: wide East Asian characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) {
    if (NO_WIDTH.test(character)) continue
    width += WIDE.test(character) ? 2 : 1
  }
  return width
}

/** Combining marks (variation selectors are among them) and joiners. */
const NO_WIDTH = /^(?:\p{Mn}|\p{Me}|\u200c|\u200d)$/u

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/** With fewer columns than these under its heading a text is a tower of single words. */
const LEAST_LAST_COLUMN = 24

/** A table with columns as wide as their widest cell; the last column wraps under itself. */
export function printTable(terminal: Terminal, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(visibleText(row[column] ?? '')))),
  )
  const fixed = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  // Where little room is left, the last column goes on below the others.
  const hasRoom = terminal.columns - fixed >= LEAST_LAST_COLUMN
  const indent = hasRoom ? fixed : Math.min(fixed, Math.floor(terminal.columns / 2))
  const pad = (cells: readonly string[], style?: Style) =>
    cells.map((cell, column): Segment => {
      const gap = column === cells.length - 1 ? 0 : widths[column]! - displayWidth(visibleText(cell)) + 2
      return { text: cell + ' '.repeat(gap), ...(style === undefined ? {} : { style }) }
    })
  terminal.line(pad(head, 'strong'), indent)
  for (const row of rows) terminal.line(pad(row), indent)
}
