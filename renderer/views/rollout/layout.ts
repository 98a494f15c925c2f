import { partitionPoint } from '../../../shared/model/partition-point.ts'
import { TokenFlag } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { TagName } from '../../../shared/session/rollout/tags.ts'
import { cells } from '../../text/visible.ts'
import { tokenText } from './token-text.ts'
import { ENDS_LINE, firstWidth, hasSilent, nextOdd, nextSilent, tokenWidth } from './token-width.ts'

export const RowKind = { tokens: 0, turn: 1, lost: 2, fold: 3 } as const

/**
 * Where every line of the token view begins, in columns. Lines are found by counting fixed-width columns, so that no
 * line has to be drawn to know where it is: a rollout of any length opens at once and scrolls exactly.
 */
export interface TokenLayout {
  /** Number of lines. */
  readonly count: number
  /** How many there will be, as far as that can be told from those that are laid out; `count` where they all are. */
  readonly estimate: number
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
  estimate: 0,
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

/** Lines until there is room for more: most rollouts have fewer. */
const FIRST_ROOM = 1024

class Lines {
  count = 0
  private kinds = new Uint8Array(FIRST_ROOM)
  private tokens = new Int32Array(FIRST_ROOM)
  private offsets = new Int32Array(FIRST_ROOM)
  private refs = new Int32Array(FIRST_ROOM)

  push(kind: number, token: number, offset: number, ref: number): void {
    if (this.count === this.kinds.length) this.grow()
    this.kinds[this.count] = kind
    this.tokens[this.count] = token
    this.offsets[this.count] = offset
    this.refs[this.count++] = ref
  }

  /** `share` of the tokens stand on them. */
  done(share = 1): TokenLayout {
    return {
      count: this.count,
      estimate: Math.round(this.count / share),
      kinds: this.kinds.slice(0, this.count),
      tokens: this.tokens.slice(0, this.count),
      offsets: this.offsets.slice(0, this.count),
      refs: this.refs.slice(0, this.count),
    }
  }

  private grow(): void {
    const room = this.kinds.length * 4
    const widened = (from: Int32Array) => {
      const to = new Int32Array(room)
      to.set(from)
      return to
    }
    const kinds = new Uint8Array(room)
    kinds.set(this.kinds)
    this.kinds = kinds
    this.tokens = widened(this.tokens)
    this.offsets = widened(this.offsets)
    this.refs = widened(this.refs)
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
    const written = this.lines.count
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
    return { next, wrote: this.lines.count > written }
  }

  lostBefore(token: number): void {
    for (; this.gap < this.gaps.length; this.gap++) {
      const gap = this.gaps[this.gap] as number
      if ((this.detail.lost[gap]?.at ?? 0) > token) break
      this.lines.push(RowKind.lost, token, 0, gap)
    }
  }
}

/** As many lines as a window shows. */
export interface LinesEnough {
  /** The lines to this token. */
  readonly token: number
  /** And so many behind it; of the last one where it ends is not known. */
  readonly behind: number
}

/** A word longer than this is broken where it meets the edge, as text without spaces is. */
const LONGEST_WORD = 24

/**
 * Breaks a rollout into lines of at most `columns`; a newline, a turn, a gap and a fold each end a line. `folds` in order, none in another.
 * Where every character takes one column the place in the text is the column, and the end of a line is found without a look at
 * each token. It goes on from where it stopped: what is waited for is the first window of a long rollout.
 */
export class LineBreaker {
  private readonly length: number
  private readonly lines = new Lines()
  private readonly interludes: Interludes
  /** The next token to put on a line. */
  private token = 0
  /** Where the next character stands, and the next token, that no place in the text tells the columns of. */
  private odd = -1
  private silent: number
  private used = 0
  private isOpen = false
  private first = -1

  constructor(
    private readonly detail: Laid,
    private readonly columns: number,
    folds: readonly Fold[],
  ) {
    this.length = detail.ids?.length ?? 0
    this.interludes = new Interludes(detail, folds, this.lines)
    this.silent = hasSilent(detail) ? -1 : this.length
  }

  /** True once every token has its line. */
  get isDone(): boolean {
    return this.token >= this.length
  }

  /** The lines of all tokens. */
  whole(): TokenLayout {
    this.breakOff(this.length, Number.POSITIVE_INFINITY)
    this.interludes.lostBefore(this.length)
    return this.lines.done()
  }

  /** The first lines, at least as many as are enough. */
  part({ token, behind }: LinesEnough): TokenLayout {
    this.breakOff(token + 1, Number.POSITIVE_INFINITY)
    this.breakOff(this.length, this.lines.count + behind)
    return this.isDone ? this.whole() : this.lines.done(this.token / this.length)
  }

  /** Goes on through so many tokens, and somewhat further where the last of them is in a long line. */
  goOn(tokens: number): void {
    this.breakOff(this.token + tokens, Number.POSITIVE_INFINITY)
  }

  /** Until the token `end`, or until there are so many lines. */
  private breakOff(end: number, most: number): void {
    const { length, lines, interludes } = this
    const detail = this.detail
    const { text, textOffsets } = detail
    const until = Math.min(end, length)
    while (this.token < until && lines.count < most) {
      if (this.token >= interludes.due) {
        const { next, wrote } = interludes.before(this.token)
        if (wrote) this.isOpen = false
        if (next > this.token) {
          this.token = next
          continue
        }
      }
      const token = this.token
      const start = textOffsets[token] as number
      if (this.odd < start) this.odd = nextOdd(text, start)
      if (this.silent < token) this.silent = nextSilent(detail, token)
      if (start < this.odd && token < this.silent && (textOffsets[token + 1] as number) > start) {
        if (!this.isOpen) this.begin(token, 0)
        const to = Math.min(interludes.due, length, this.silent)
        const end = lastWithin(textOffsets, token, to, Math.min(this.odd, start + this.columns - this.used))
        this.used += (textOffsets[end] as number) - start
        if (end > token) {
          this.token = end
          continue
        }
      }
      this.put(token)
      this.token++
    }
  }

  /** One token by the columns of its own text. */
  private put(token: number): void {
    const detail = this.detail
    const columns = this.columns
    const width = tokenWidth(detail, token)
    const needed = width === ENDS_LINE ? firstWidth(tokenText(detail, token)) : width
    // A token that does not fit begins a new line; one wider than a whole line runs over several.
    if (!this.isOpen) this.begin(token, 0)
    else if (this.used + Math.min(needed, columns) > columns) {
      const word = wordBefore(detail, this.first, token)
      this.begin(word, 0)
      for (let carried = word; carried < token; carried++) this.used += tokenWidth(detail, carried)
    }
    if (width !== ENDS_LINE && this.used + width <= columns) {
      this.used += width
      return
    }
    let offset = 0
    for (const character of tokenText(detail, token)) {
      if (!this.isOpen) this.begin(token, offset)
      const wide = cells(character)
      if (this.used > 0 && this.used + wide > columns) this.begin(token, offset)
      this.used += wide
      offset += character.length
      if (character === '\n') this.isOpen = false
    }
  }

  private begin(token: number, offset: number): void {
    this.lines.push(RowKind.tokens, token, offset, -1)
    this.used = 0
    this.first = token
    this.isOpen = true
  }
}

/** All lines of a rollout. */
export function layOut(detail: Laid, columns: number, folds: readonly Fold[] = []): TokenLayout {
  return new LineBreaker(detail, columns, folds).whole()
}

/** The token that the word begins with which `token` goes on with, where that is behind the first one of the line and may be carried to the next; else the token itself. */
function wordBefore(detail: Laid, first: number, token: number): number {
  let carried = 0
  for (let word = token; word > first && carried <= LONGEST_WORD; carried += tokenWidth(detail, --word)) {
    if (startsWord(detail, word)) return word
  }
  return token
}

/** The last token between `token` and `to` that begins at `limit` in the text or before it; each of them has text. A function of its own: what is called for each line is compiled after a few of them. */
function lastWithin(textOffsets: Uint32Array, token: number, to: number, limit: number): number {
  let low = token
  let high = Math.min(to, token + Math.max(0, limit - (textOffsets[token] as number)))
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((textOffsets[middle] as number) <= limit) low = middle
    else high = middle - 1
  }
  return low
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

function startsWord({ text, textOffsets, flags }: Laid, token: number): boolean {
  const from = textOffsets[token] as number
  if (from === textOffsets[token + 1] || ((flags[token] ?? 0) & TokenFlag.unknown) !== 0) return false
  return text.charCodeAt(from) === SPACE
}

/** Where a line of tokens begins and ends: tokens, and UTF-16 offsets in what is drawn for them. */
export interface LineSpan {
  readonly from: number
  readonly fromOffset: number
  readonly to: number
  /** 0 where no part of token `to` is on the line. */
  readonly toOffset: number
}

export function spanOfLine(length: number, layout: TokenLayout, line: number): LineSpan {
  const next = line + 1
  const goesOn = next < layout.count && layout.kinds[next] === RowKind.tokens
  return {
    from: layout.tokens[line] as number,
    fromOffset: layout.offsets[line] as number,
    to: next < layout.count ? (layout.tokens[next] as number) : length,
    toOffset: goesOn ? (layout.offsets[next] as number) : 0,
  }
}

/** The tokens, or parts of them, on one line of tokens. */
export function partsOfLine(detail: Laid, layout: TokenLayout, line: number): LinePart[] {
  return partsBetween(detail, spanOfLine(detail.ids?.length ?? 0, layout, line))
}

export function partsBetween(detail: Laid, { from, fromOffset, to, toOffset }: LineSpan): LinePart[] {
  const parts: LinePart[] = []
  for (let index = from; index < to || (index === to && toOffset > 0); index++) {
    const text = tokenText(detail, index)
    const begin = index === from ? fromOffset : 0
    const end = index === to ? toOffset : text.length
    if (end > begin) parts.push({ token: index, text: text.slice(begin, end), first: begin === 0 })
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
