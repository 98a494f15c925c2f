import { bytesBeside, fillWith, firstAtLeast } from '../containers/kernel/numbers.ts'
import { roleKind } from '../model/roles.ts'
import { PART, type Segmentation, type SubSpan, type Turn, type TurnKind } from '../model/tokens.ts'
import type { DeclaredPadding } from '../model/trajectory.ts'
import { type FrameLookup, frameLookup, isSharedEnd, Mark, turnStarts } from './frame-lookup.ts'
import { harmonySpans, resumedAt } from './harmony.ts'
import { type Header, readBareHeader, readHeader } from './header.ts'
import { firstOf } from './id-set.ts'
import { findPadding, type IsCut } from './padding.ts'
import { assistantSpans } from './spans.ts'
import { findTag } from './tags.ts'
import { decodeSpan } from './text.ts'
import type { Tokenizer } from './tokenizer.ts'

/**
 * The turns of one sequence, from its ids alone. `padding` is what the dump declares, null = look for a run of the pad id; `isCut` says of an end token
 * that the model is said not to have written it, so that it may be the first of such a run. `written` is what the dump says of who wrote each token: only
 * of a reply inside a turn of the model's that was cut, its closing tag with it, does it tell the end.
 * Every token gets one part. Never throws, whatever the ids; ids that the tokenizer does not have are content.
 *
 * Without a frame, or without any turn start in the sequence, nothing is framed: no turns, and tokens that are neither BOS,
 * end nor padding are `other`.
 */
export function segment(
  ids: Int32Array,
  tokenizer: Pick<Tokenizer, 'table' | 'frame'>,
  padding: DeclaredPadding | null,
  isCut?: IsCut,
  written: Uint8Array | null = null,
): Segmentation {
  const lookup = frameLookup(tokenizer)
  if (lookup === null) return unframed(ids, padding)
  return new Segmenter(ids, lookup, findPadding(ids, lookup, padding, isCut), written).run()
}

function unframed(ids: Int32Array, padding: { readonly left: number; readonly right: number } | null): Segmentation {
  const left = Math.min(Math.max(padding?.left ?? 0, 0), ids.length)
  const right = Math.min(Math.max(padding?.right ?? 0, 0), ids.length - left)
  const parts = new Uint8Array(ids.length).fill(PART.other)
  parts.fill(PART.padding, 0, left).fill(PART.padding, ids.length - right)
  return {
    parts,
    turns: [],
    padding: { left, right },
    bos: [],
    letters: [],
    hasSeparator: false,
    cutLeft: false,
    cutRight: false,
    endsWithGenerationPrompt: false,
  }
}

/** A header of the model's with nothing behind it: one that another header follows is of the same turn, which has it twice. */
export function isBareHeader(turn: Turn | undefined): boolean {
  return (
    turn?.kind === 'assistant' &&
    turn.header === 'present' &&
    turn.endToken < 0 &&
    turn.contentStart === turn.contentEnd
  )
}

/** What GLM's templates write behind its header, with thoughts and without: 4.5 and 4.6 an empty thought, 4.7 one of its tags. */
const PREFILL_OF_GLM = /^(?:\n<think><\/think>|<think>|<\/think>)$/

/** Tokens that stop the search for the end of a turn's content. */
const STOP = Mark.turnStart | Mark.turnEnd

class Segmenter {
  private readonly parts: Uint8Array
  private readonly turns: Turn[] = []
  private readonly bos: number[] = []
  private readonly letters: number[] = []
  /** First and last real token (exclusive). */
  private readonly from: number
  private readonly to: number
  private readonly framed: boolean
  private ordinal = 0
  private headerComplete = true

  constructor(
    private readonly ids: Int32Array,
    private readonly lookup: FrameLookup,
    private readonly padding: Segmentation['padding'],
    private readonly written: Uint8Array | null,
  ) {
    this.parts = bytesBeside(ids, ids.length, PART.padding)
    this.from = padding.left
    this.to = ids.length - padding.right
    this.framed = turnStarts(lookup.frame).some((id) => {
      const start = ids.indexOf(id, this.from)
      return start >= 0 && start < this.to
    })
  }

  run(): Segmentation {
    const { ids, lookup, from, to } = this
    let at = from
    while (at < to) {
      const mark = this.markAt(at)
      if (mark & Mark.turnStart) at = this.readTurn(at, readHeader(lookup, ids, at, to), 'present')
      else if (this.isBehindSharedEnd(at)) at = this.readTurn(at, readHeader(lookup, ids, at - 1, to), 'present')
      else if (mark & Mark.bos) this.bos.push(at++)
      else if (mark & Mark.turnEnd) this.parts[at++] = PART.end
      else at = this.readLoose(at)
    }
    for (const index of this.bos) this.parts[index] = PART.bos
    return this.result()
  }

  private markAt(at: number): number {
    return this.lookup.marks[this.ids[at] as number] ?? 0
  }

  /** Tokens that no start token announces: a turn whose header is lost or cut, where they are text; else `other`. */
  private readLoose(start: number): number {
    let end = start
    let isText = false
    for (; end < this.to; end++) {
      const mark = this.markAt(end)
      if (mark & (STOP | Mark.bos)) break
      if (!(mark & Mark.blank)) isText = true
    }
    if (!isText || !this.framed) {
      fillWith(this.parts, PART.other, start, end)
      return end
    }
    const cut = start === this.from
    const spelt = readBareHeader(this.lookup, this.ids, start, this.to)
    const before = this.turns.at(-1)?.kind
    const answers = !cut && (before === 'user' || before === 'tool' || before === 'system')
    const role = spelt?.role || (answers ? 'assistant' : '')
    return this.readTurn(start, { role, end: spelt?.end ?? start, complete: true }, cut ? 'cut' : 'missing')
  }

  /** Reads the turn that begins at `start`, fills its parts, and gives the index after it. */
  private readTurn(start: number, header: Header, found: Turn['header']): number {
    const { ids, lookup, parts } = this
    const named = roleKind(header.role)
    const spans: SubSpan[] = []
    let contentStart = header.end
    if (named === 'assistant') {
      contentStart = this.afterPrefill(header.end)
      if (contentStart > header.end) spans.push({ part: 'prefill', start: header.end, end: contentStart, closed: true })
    }
    const candidates: number[] = []
    const contentEnd = this.contentEnd(contentStart, named === 'assistant' ? candidates : null)
    const closed = contentEnd < this.to && this.isEnd(contentEnd, named, contentStart)
    const separatorStart = closed ? contentEnd + 1 : contentEnd
    const end = closed && this.isSeparator(separatorStart) ? separatorStart + 1 : separatorStart
    // Before the first answer it is the end of the prompt that is lost, with the header in it.
    const holdsAnswer = closed && this.ordinal > 0 && this.isUnclosed(named) && !this.opens(end, 'assistant')
    const kind = holdsAnswer
      ? 'other'
      : named === 'user' && this.opensToolResponse(contentStart, contentEnd)
        ? 'tool'
        : named
    if (kind === 'assistant') {
      if (!isBareHeader(this.turns.at(-1))) this.ordinal++
      const isLlama = lookup.frame.style === 'llama'
      const answered = isLlama && this.opens(end, 'tool')
      const mayCall = answered || (isLlama && end === this.to && this.calls())
      const content = { contentStart, contentEnd, closed, answered, mayCall, candidates, written: this.written }
      const found =
        lookup.frame.messages === undefined ? assistantSpans(lookup, ids, content) : harmonySpans(lookup, ids, content)
      for (const span of found) spans.push(span)
    }
    this.headerComplete = header.complete

    fillWith(parts, PART.header, start, header.end)
    fillWith(parts, PART[kind], header.end, contentEnd)
    fillWith(parts, PART.end, contentEnd, separatorStart)
    fillWith(parts, PART.separator, separatorStart, end)
    for (const span of spans) fillWith(parts, PART[span.part], span.start, span.end)
    this.turns.push({
      index: this.turns.length,
      role: header.role,
      kind,
      ordinal: this.ordinal,
      header: found,
      start,
      headerEnd: header.end,
      contentStart,
      contentEnd,
      endToken: closed ? contentEnd : -1,
      separatorStart,
      end,
      spans,
    })
    return end
  }

  /** Index of the token that ends the content: an end token, the next start, or the end of the sequence. */
  private contentEnd(start: number, candidates: number[] | null): number {
    const { ids, to } = this
    const { frame, marks, lowestStop, stopsAndTags, letters } = this.lookup
    /** Of the message, where a turn may hold several. */
    let from = start
    for (let at = start; at < to; at++) {
      // Tags are looked for in what the model wrote; the rest, most of a row, need not be looked up.
      at = candidates === null ? firstAtLeast(ids, lowestStop, at, to) : firstOf(stopsAndTags, ids, at, to)
      if (at === to) return to
      const id = ids[at] as number
      const mark = marks[id] as number
      if (mark & STOP) {
        const closing = this.closingOf(at)
        if (closing >= 0) {
          at = closing
          continue
        }
        const next =
          candidates === null || frame.messages === undefined ? -1 : resumedAt(this.lookup, ids, from, at, to)
        if (next < 0) return at
        at = next - 1
        from = next
        continue
      }
      if (mark & Mark.bos) this.bos.push(at)
      if (mark & Mark.textEnd && this.endsTurn(at)) return at
      if (mark & Mark.tag) candidates?.push(at)
      if (candidates !== null && letters?.candidates.has(id)) this.letters.push(at)
    }
    return to
  }

  /** Where what an opener opens is closed again within the turn, so that it is no turn; -1 where it is not. */
  private closingOf(at: number): number {
    const closing = this.lookup.frame.brackets?.get(this.ids[at] as number)
    if (closing === undefined) return -1
    for (let i = at + 1; i < this.to && !(this.markAt(i) & STOP); i++) if (this.ids[i] === closing) return i
    return -1
  }

  /** A text end closes a turn where nothing, or the next turn, follows. */
  private endsTurn(at: number): boolean {
    const next = this.isSeparator(at + 1) ? at + 2 : at + 1
    return next >= this.to || (this.markAt(next) & Mark.turnStart) !== 0
  }

  /** The template ends no turns of this kind. One that an end token closes holds words of the model, and ids do not tell from where on. */
  private isUnclosed(kind: TurnKind): boolean {
    return this.lookup.frame.unclosed?.some((role) => role === kind) === true
  }

  private opens(at: number, kind: TurnKind): boolean {
    if (at >= this.to || !(this.markAt(at) & Mark.turnStart)) return false
    return roleKind(readHeader(this.lookup, this.ids, at, this.to).role) === kind
  }

  private calls(): boolean {
    return this.turns.some(({ spans }) => spans.some(({ part }) => part === 'tool_call'))
  }

  /** What stops the content ends the turn, or opens the next one; or both, where the model wrote it. */
  private isEnd(at: number, kind: TurnKind, contentStart: number): boolean {
    if (!(this.markAt(at) & Mark.turnStart)) return true
    const { lookup, ids } = this
    if (!isSharedEnd(lookup, ids[at] as number)) return false
    return kind === 'assistant' || (this.ordinal > 0 && this.holdsAnswer(contentStart, at))
  }

  /** In a turn of another stands what GLM writes in no such turn: a thought, or words behind the tag that closes a reply. */
  private holdsAnswer(start: number, end: number): boolean {
    const { think, toolResponse } = this.lookup.frame
    const content = this.ids.subarray(start, end)
    const [open] = think?.open ?? []
    if (open !== undefined && content.includes(open)) return true
    const [close, ...spelt] = toolResponse?.close ?? []
    const replied = close === undefined || spelt.length > 0 ? -1 : content.lastIndexOf(close)
    if (replied < 0) return false
    for (let at = start + replied + 1; at < end; at++) if (!(this.markAt(at) & Mark.blank)) return true
    return false
  }

  /** The turn before ends with the token that opens this one, whose header has what comes behind it. */
  private isBehindSharedEnd(at: number): boolean {
    return this.turns.at(-1)?.endToken === at - 1 && isSharedEnd(this.lookup, this.ids[at - 1] as number)
  }

  private isSeparator(at: number): boolean {
    const { frame } = this.lookup
    return frame.separator && at < this.to && frame.newlines.has(this.ids[at] as number)
  }

  /** The empty think block that a template writes after the header: tag, blank line, tag, blank line. */
  private afterPrefill(start: number): number {
    const { think, newlines } = this.lookup.frame
    if (think === null || think.open.length !== 1 || think.close.length !== 1 || start + 4 > this.to) return start
    const [open, blank, close, after] = this.ids.subarray(start, start + 4)
    const empty = open === think.open[0] && close === think.close[0]
    return empty && newlines.get(blank as number) === 2 && (newlines.get(after as number) ?? 0) >= 2 ? start + 4 : start
  }

  private opensToolResponse(start: number, end: number): boolean {
    let at = start
    while (at < end && this.markAt(at) & Mark.blank && !(this.markAt(at) & Mark.tag)) at++
    if (at >= end || !(this.markAt(at) & Mark.tag)) return false
    const tag = findTag(this.lookup.table, this.lookup.tags, this.ids, at, end)
    return tag?.name === 'tool_response' && tag.open
  }

  /** Only the header and what a template prefills: there is nothing yet that the model wrote. */
  private isGenerationPrompt(turn: Turn): boolean {
    if (turn.kind !== 'assistant' || turn.header !== 'present' || turn.endToken >= 0 || !this.headerComplete)
      return false
    if (turn.contentStart === turn.contentEnd) return true
    // An open thought is a template's as well; by ids alone it is not told from one that the model began.
    const content = this.ids.subarray(turn.contentStart, Math.min(turn.contentEnd, turn.contentStart + 8))
    if (content.length < turn.contentEnd - turn.contentStart) return false
    const text = decodeSpan(this.lookup.table, content)
    return text === '<think>\n' || (this.lookup.frame.sharedEnds !== undefined && PREFILL_OF_GLM.test(text))
  }

  private result(): Segmentation {
    const { padding, from, to, framed, parts } = this
    const last = this.turns.at(-1)
    const open = last !== undefined && last.endToken < 0
    const endsWithGenerationPrompt = open && this.isGenerationPrompt(last)
    return {
      parts,
      turns: this.turns,
      padding,
      bos: this.bos,
      letters: this.letters,
      hasSeparator: this.lookup.frame.separator,
      cutLeft: framed && to > from && !(this.markAt(from) & (Mark.bos | Mark.turnStart)),
      cutRight: open && !endsWithGenerationPrompt,
      endsWithGenerationPrompt,
    }
  }
}
