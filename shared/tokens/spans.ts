import { SPLICE_TAGS, type Span, type SubSpan } from '../model/tokens.ts'
import type { FrameLookup } from './frame-lookup.ts'
import { callBehindProse, isJsonCall } from './json-call.ts'
import { type FoundTag, findTag, type TagName } from './tags.ts'
import { decodeSpan } from './text.ts'
import type { TokenTable } from './tokenizer.ts'

export interface AssistantContent {
  readonly contentStart: number
  readonly contentEnd: number
  /** The turn has its end token. */
  readonly closed: boolean
  /** A reply of a tool follows. */
  readonly answered: boolean
  /** That, or nothing follows and the row called before: words at the end of the turn may be a call. */
  readonly mayCall: boolean
  /** Tokens of the content in which a tag may begin, ascending. */
  readonly candidates: readonly number[]
  /** Of each token of the sequence 1 where the dump says that the model wrote it; null where it says nothing. */
  readonly written: Uint8Array | null
}

export const SPLICES: ReadonlySet<string> = new Set(SPLICE_TAGS)
/** Words that models also write themselves, in XML or HTML: a reply only where it answers a call. */
const COMMON_WORDS: ReadonlySet<string> = new Set(['result', 'output'])
/** White space is no higher. */
const SPACE = 0x20
/** What stands before a reply that answers a call: the call's closing tag, or the end of a code block. */
export const AFTER_CALL =
  /(?:<\/(?:search|query|code|python|py|tool|tool_call|call|execute|sql|action|browse)>|```)\s*$/

/**
 * Thoughts, tool calls and spliced tool replies inside an assistant turn, ordered and disjoint. Inside a call nothing but its
 * closing tag counts; a reply inside a thought cuts the thought in two. A reply's tag that is never closed is a reply only
 * where the turn itself was cut, or where the dump says that others wrote from there on until the model goes on.
 */
export function assistantSpans(lookup: FrameLookup, ids: Int32Array, content: AssistantContent): SubSpan[] {
  const { frame, table } = lookup
  const { contentStart, contentEnd, closed, written } = content
  const tags: FoundTag[] = []
  let limit = contentEnd
  for (const at of content.candidates) {
    if (ids[at] === frame.pythonTag) {
      limit = at
      break
    }
    const tag = findTag(table, lookup.tags, ids, at, contentEnd)
    if (tag !== null) tags.push(tag)
  }
  const spans = tags.length === 0 ? [] : new SpanReader(lookup, ids, tags, contentStart, limit, closed, written).read()
  if (limit < contentEnd) spans.push({ part: 'tool_call', start: limit, end: contentEnd, closed })
  else if (frame.style === 'llama') {
    const call = untaggedCall(table, ids, content, spans)
    // The end of its block closes one as well.
    if (call !== null) spans.push({ part: 'tool_call', ...call, closed: closed || call.end < contentEnd })
  }
  return spans
}

/** The tokens of a call without tags, which begins with the turn, or behind other words where it may; null where there is none. */
function untaggedCall(
  table: TokenTable,
  ids: Int32Array,
  content: AssistantContent,
  spans: readonly SubSpan[],
): Span | null {
  const { contentStart, contentEnd: end, mayCall, answered } = content
  if (spans.length === 0 && isJsonCall(table, ids, content)) return { start: contentStart, end }
  if (!mayCall || spans.some(({ part }) => part === 'tool_call')) return null
  return callBehindProse(table, ids, { start: spans.at(-1)?.end ?? contentStart, end }, answered)
}

/** A reply between two tags, or from one on. */
interface FoundReply extends Span {
  readonly closed: boolean
  /** The next tag to read. */
  readonly next: number
}

/** Reads the spans of one turn off its tags, from left to right. */
class SpanReader {
  private readonly spans: SubSpan[] = []
  /** Names of which no closing tag is left, so that a row full of opening tags is still read in one pass. */
  private readonly neverClosed = new Set<TagName>()

  constructor(
    private readonly lookup: FrameLookup,
    private readonly ids: Int32Array,
    private readonly tags: readonly FoundTag[],
    private readonly contentStart: number,
    private readonly contentEnd: number,
    private readonly turnClosed: boolean,
    private readonly written: Uint8Array | null,
  ) {}

  read(): SubSpan[] {
    const { tags } = this
    const firstThink = tags.findIndex(({ name }) => name === 'think')
    let next = 0
    // The opening tag was the template's and is not in the ids: the thought begins with the turn.
    if (firstThink >= 0 && !tags[firstThink]?.open) next = this.readThought(this.contentStart, 0, firstThink)
    while (next < tags.length) {
      const tag = tags[next] as FoundTag
      if (!tag.open) next++
      else if (tag.name === 'think') next = this.readThought(tag.start, next + 1, this.closing('think', next + 1))
      else if (tag.name === 'tool_call') {
        const close = this.closing('tool_call', next + 1)
        this.add('tool_call', tag.start, this.endOf(close), close >= 0)
        next = this.after(close)
      } else next = this.readReply(next, tags.length)
    }
    return this.spans
  }

  /** A thought from token `start`; `close` is its closing tag, -1 for none. Gives the next tag to read. */
  private readThought(start: number, from: number, close: number): number {
    const last = close < 0 ? this.tags.length : close
    let resumed = start
    let next = from
    while (next < last) {
      const reply = this.replyAt(next, last)
      if (reply === null) {
        next++
        continue
      }
      this.add('think', resumed, reply.start, close >= 0)
      this.add('tool', reply.start, reply.end, reply.closed)
      resumed = reply.end
      next = reply.next
    }
    this.add('think', resumed, this.endOf(close), close >= 0)
    return this.after(close)
  }

  private readReply(index: number, last: number): number {
    const reply = this.replyAt(index, last)
    if (reply === null) return index + 1
    this.add('tool', reply.start, reply.end, reply.closed)
    return reply.next
  }

  /** The reply that opens at this tag and closes before tag `last`; null where it is none. */
  private replyAt(index: number, last: number): FoundReply | null {
    const tag = this.tags[index] as FoundTag
    if (!tag.open || !SPLICES.has(tag.name)) return null
    if (COMMON_WORDS.has(tag.name) && !this.answersCall(tag)) return null
    const close = this.closing(tag.name, index + 1)
    const cut = this.cutReply(index, close, last)
    if (cut !== null) return cut
    if (close >= last) return null
    if (close < 0 && (this.turnClosed || last < this.tags.length)) return null
    return { start: tag.start, end: this.endOf(close), closed: close >= 0, next: this.after(close) }
  }

  /**
   * A reply that a limit cut, and its closing tag with it (Search-R1): the model did not write what begins with the tag, and goes on where that ends. Where
   * a closing tag is left, another reply opens before it.
   */
  private cutReply(index: number, close: number, last: number): FoundReply | null {
    const { tags, contentEnd } = this
    const written = this.written
    const { name, start: opening } = tags[index] as FoundTag
    if (written === null || (close >= 0 && !tags.slice(index + 1, close).some((tag) => tag.name === name))) return null
    const start = this.startOfOthers(tags[index] as FoundTag)
    const end = start === null ? -1 : written.indexOf(1, opening)
    if (start === null || end < 0 || end >= contentEnd) return null
    let next = index + 1
    while (next < tags.length && (tags[next] as FoundTag).start < end) next++
    // Inside a thought it ends there.
    return next > last ? null : { start, end, closed: false, next }
  }

  /** Where what the model did not write begins, which is this tag and the blanks before it; null where the model wrote it, or others wrote more. */
  private startOfOthers({ start: opening, byte }: FoundTag): number | null {
    const { ids, contentStart } = this
    const written = this.written
    const { table } = this.lookup
    const head = (table.offsets[ids[opening] as number] as number) + byte
    let at = opening
    if (written?.[at] !== 0 || !isBlank(table, table.offsets[ids[opening] as number] as number, head)) return null
    while (at > contentStart && written[at - 1] === 0) {
      at--
      const id = ids[at] as number
      if (id < 0 || id >= table.size) return null
      if (!isBlank(table, table.offsets[id] as number, table.offsets[id + 1] as number)) return null
    }
    return at > contentStart ? at : null
  }

  /** Two tags may meet inside one token: it belongs to the span that it ends. */
  private add(part: SubSpan['part'], start: number, end: number, closed: boolean): void {
    const from = Math.max(start, this.spans.at(-1)?.end ?? this.contentStart)
    if (end > from) this.spans.push({ part, start: from, end, closed })
  }

  private endOf(close: number): number {
    return close < 0 ? this.contentEnd : (this.tags[close] as FoundTag).end
  }

  private after(close: number): number {
    return close < 0 ? this.tags.length : close + 1
  }

  private closing(name: TagName, from: number): number {
    if (this.neverClosed.has(name)) return -1
    for (let i = from; i < this.tags.length; i++) {
      const tag = this.tags[i] as FoundTag
      if (!tag.open && tag.name === name) return i
    }
    this.neverClosed.add(name)
    return -1
  }

  private answersCall(tag: FoundTag): boolean {
    const { table } = this.lookup
    const before = decodeSpan(table, this.ids, Math.max(this.contentStart, tag.start - 8), tag.start)
    const first = this.ids[tag.start] as number
    const from = table.offsets[first] as number
    const head = new TextDecoder().decode(table.bytes.subarray(from, from + tag.byte))
    return AFTER_CALL.test(before + head)
  }
}

function isBlank({ bytes }: TokenTable, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((bytes[at] as number) > SPACE) return false
  return true
}
