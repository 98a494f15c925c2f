import { partitionPoint } from '../../../shared/model/partition-point.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { TagName } from '../../../shared/session/rollout/tags.ts'
import { cells } from '../../text/visible.ts'
import { TokenFlag, tokenText } from './token-text.ts'

export const RowKind = { tokens: 0, turn: 1, lost: 2, fold: 3 } as const

/**
 * Where every line of the token view begins, in columns. Lines are found by counting fixed-width columns, so that no
 * line has to be drawn to know where it is: a rollout of any length opens at once and scrolls exactly.
 */
export interface TokenLayout {
  /** Number of lines. */
  readonly count: number
  /** One `RowKind` per line. */
  readonly kinds: Uint8Array
  /** First token of the line; for headings and gaps, the token that follows. Never falls from line to line. */
  readonly tokens: Int32Array
  /** UTF-16 offset inside the first token's drawn text, where a token runs over lines. */
  readonly offsets: Int32Array
  /** Index of the turn (headings), of the gap (lost text) or of the fold, else -1. */
  readonly refs: Int32Array
}

/** Before it is known how long a line is. */
export const NO_LINES: TokenLayout = {
  count: 0,
  kinds: new Uint8Array(0),
  tokens: new Int32Array(0),
  offsets: new Int32Array(0),
  refs: new Int32Array(0),
}

/** A part of a token on one line: `[from, to)` of its drawn text. */
export interface LinePart {
  readonly token: number
  readonly text: string
  /** False where the token began on an earlier line. */
  readonly first: boolean
}

type Laid = Pick<TrajectoryDetail, 'ids' | 'text' | 'textOffsets' | 'flags' | 'segmentation' | 'lost'>

/** Tokens that one line stands for: what stands between two tags, or padding. */
export interface Fold {
  readonly name: TagName | 'padding'
  readonly start: number
  readonly end: number
}

class Lines {
  readonly kinds: number[] = []
  readonly tokens: number[] = []
  readonly offsets: number[] = []
  readonly refs: number[] = []

  push(kind: number, token: number, offset: number, ref: number): void {
    this.kinds.push(kind)
    this.tokens.push(token)
    this.offsets.push(offset)
    this.refs.push(ref)
  }

  done(): TokenLayout {
    return {
      count: this.kinds.length,
      kinds: Uint8Array.from(this.kinds),
      tokens: Int32Array.from(this.tokens),
      offsets: Int32Array.from(this.offsets),
      refs: Int32Array.from(this.refs),
    }
  }
}

/** Writes the lines that are no tokens, in their places between them. */
class Interludes {
  /** The next token that something stands before; all tokens until then need not be asked about. */
  due = 0
  private readonly gaps: readonly number[]
  private turn = 0
  private gap = 0
  private fold = 0

  constructor(
    private readonly detail: Laid,
    private readonly folds: readonly Fold[],
    private readonly lines: Lines,
  ) {
    this.gaps = [...detail.lost.keys()].sort((a, b) => (detail.lost[a]?.at ?? 0) - (detail.lost[b]?.at ?? 0))
  }

  /** Those before a token. Returns the token to go on with, which is a later one after a fold, and whether a line was written. */
  before(token: number): { readonly next: number; readonly wrote: boolean } {
    const turns = this.detail.segmentation?.turns ?? []
    const written = this.lines.kinds.length
    this.lostBefore(token)
    while (this.turn < turns.length && (turns[this.turn]?.start ?? 0) < token) this.turn++
    if (turns[this.turn]?.start === token) this.lines.push(RowKind.turn, token, 0, this.turn++)
    const fold = this.folds[this.fold]
    let next = token
    if (fold !== undefined && fold.start === token) {
      this.lines.push(RowKind.fold, token, 0, this.fold++)
      next = fold.end
    }
    this.due = Math.min(
      turns[this.turn]?.start ?? Number.POSITIVE_INFINITY,
      this.detail.lost[this.gaps[this.gap] ?? -1]?.at ?? Number.POSITIVE_INFINITY,
      this.folds[this.fold]?.start ?? Number.POSITIVE_INFINITY,
    )
    return { next, wrote: this.lines.kinds.length > written }
  }

  lostBefore(token: number): void {
    for (; this.gap < this.gaps.length; this.gap++) {
      const gap = this.gaps[this.gap] as number
      if ((this.detail.lost[gap]?.at ?? 0) > token) break
      this.lines.push(RowKind.lost, token, 0, gap)
    }
  }
}

/** A word longer than this is broken where it meets the edge, as text without spaces is. */
const LONGEST_WORD = 24

const SIMPLE = /^[\x20-\x7e]*$/

/** Breaks a rollout into lines of at most `columns`; a newline, a turn, a gap and a fold each end a line. `folds` in order, none in another. */
export function layOut(detail: Laid, columns: number, folds: readonly Fold[] = []): TokenLayout {
  const length = detail.ids?.length ?? 0
  const lines = new Lines()
  const interludes = new Interludes(detail, folds, lines)
  let used = 0
  let open = false
  // The last token of the open line that begins a word, and the columns before it: where the line is broken when a
  // word runs over several tokens.
  let word = -1
  let beforeWord = 0
  const begin = (token: number, offset: number) => {
    lines.push(RowKind.tokens, token, offset, -1)
    used = 0
    word = -1
    open = true
  }
  const beginForOverflow = (token: number, text: string) => {
    if (word === -1 || used - beforeWord > LONGEST_WORD || startsWord(text)) return begin(token, 0)
    const carried = used - beforeWord
    begin(word, 0)
    used = carried
  }
  for (let token = 0; token < length; token++) {
    if (token >= interludes.due) {
      const { next, wrote } = interludes.before(token)
      if (wrote) open = false
      if (next > token) {
        token = next - 1
        continue
      }
    }
    const plain = plainWidth(detail, token)
    if (plain > 0 && open && used + plain <= columns) {
      if (detail.text.charCodeAt(detail.textOffsets[token] as number) === SPACE) {
        word = token
        beforeWord = used
      }
      used += plain
      continue
    }
    const text = tokenText(detail, token)
    const simple = SIMPLE.test(text)
    const width = simple ? text.length : widthOf(text)
    // A token that does not fit begins a new line; one wider than a whole line runs over several.
    if (!open) begin(token, 0)
    else if (used + Math.min(width, columns) > columns) beginForOverflow(token, text)
    else if (startsWord(text)) {
      word = token
      beforeWord = used
    }
    if (simple && used + width <= columns) {
      used += width
      continue
    }
    let offset = 0
    for (const character of text) {
      if (!open) begin(token, offset)
      const wide = cells(character)
      if (used > 0 && used + wide > columns) begin(token, offset)
      used += wide
      offset += character.length
      if (character === '\n') open = false
    }
  }
  interludes.lostBefore(length)
  return lines.done()
}

/** Puts `perLine` tokens on each line; turns, gaps and folds have lines of their own. */
export function layOutGrid(detail: Laid, perLine: number, folds: readonly Fold[] = []): TokenLayout {
  const length = detail.ids?.length ?? 0
  const lines = new Lines()
  const interludes = new Interludes(detail, folds, lines)
  let onLine = perLine
  for (let token = 0; token < length; token++) {
    if (token >= interludes.due) {
      const { next, wrote } = interludes.before(token)
      if (wrote) onLine = perLine
      if (next > token) {
        token = next - 1
        continue
      }
    }
    if (onLine === perLine) {
      lines.push(RowKind.tokens, token, 0, -1)
      onLine = 0
    }
    onLine++
  }
  interludes.lostBefore(length)
  return lines.done()
}

const SPACE = 0x20

function startsWord(text: string): boolean {
  return text.charCodeAt(0) === SPACE
}

/** The columns of a token that is printable ASCII, as nearly all are, without a text being made for it; 0 for every other. */
function plainWidth({ text, textOffsets, flags }: Laid, token: number): number {
  if (((flags[token] ?? 0) & TokenFlag.unknown) !== 0) return 0
  const from = textOffsets[token] as number
  const to = textOffsets[token + 1] as number
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code < SPACE || code > 0x7e) return 0
  }
  return to - from
}

/** The columns a token needs on its first line. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    width += cells(character)
    if (character === '\n') break
  }
  return width
}

/** The tokens, or parts of them, on one line of tokens. */
export function partsOfLine(detail: Laid, layout: TokenLayout, line: number): LinePart[] {
  const length = detail.ids?.length ?? 0
  const token = layout.tokens[line] as number
  const offset = layout.offsets[line] as number
  const next = line + 1
  const endToken = next < layout.count ? (layout.tokens[next] as number) : length
  const endOffset = next < layout.count && layout.kinds[next] === RowKind.tokens ? (layout.offsets[next] as number) : 0
  const parts: LinePart[] = []
  for (let index = token; index < endToken || (index === endToken && endOffset > 0); index++) {
    const text = tokenText(detail, index)
    const from = index === token ? offset : 0
    const to = index === endToken ? endOffset : text.length
    if (to > from) parts.push({ token: index, text: text.slice(from, to), first: from === 0 })
  }
  return parts
}

/** The line on which a token begins. */
export function lineOf(layout: TokenLayout, token: number): number {
  const behind = partitionPoint(layout.count, (line) => {
    const begins = layout.tokens[line] as number
    return begins < token || (begins === token && (layout.offsets[line] as number) === 0)
  })
  // The token's own heading and gap come before it with the same number: the last of these lines holds the token.
  return Math.max(0, behind - 1)
}
