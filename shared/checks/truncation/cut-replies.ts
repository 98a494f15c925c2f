import { firstOfNumber } from '../../containers/kernel/numbers.ts'
import { roleKind } from '../../model/roles.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Segmentation, Span, Turn } from '../../model/tokens.ts'
import type { Message, Trajectory } from '../../model/trajectory.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { Tokenizer, TokenTable } from '../../tokens/tokenizer.ts'
import { OfLast } from '../of-last.ts'
import { isLengthStop } from '../oracles/end-reason.ts'
import { normalised } from '../texts/normalised-text.ts'
import { type CutSide, findCut, findMarker } from './cut-text.ts'
import { type LookedAt, lookAt } from './reply-tokens.ts'

/** One tool reply that the model saw a part of. */
export interface CutReply {
  readonly turn: Turn
  /** The reply's tokens, the tags around it not counted. */
  readonly span: Span
  readonly side: CutSide
  /** How it is known: the framework's own mark, a tag that is never closed, or the longer text in the messages. */
  readonly shownBy: 'marker' | 'open tag' | 'messages'
  /** Characters that are left, without the mark. */
  readonly characters: number
  /** The missing text, letters and digits alone; null where the messages do not hold it. */
  readonly lost: string | null
}

/** What of a prepared trajectory is looked at. */
interface Prepared {
  readonly ids: Int32Array
  readonly segmentation: Segmentation | null
  readonly tokenizer: Tokenizer | null
  readonly thresholds: Thresholds
}

const known = new OfLast<Trajectory, readonly CutReply[]>()

/** The tool replies of a trajectory that were cut, in their order; facts and C08 ask the same. A reply in which the row ends is not one. */
export function cutReplies(trajectory: Trajectory, prepared: Prepared): readonly CutReply[] {
  let found = known.get(trajectory)
  if (found === undefined) {
    found = findCutReplies(trajectory, prepared)
    known.set(trajectory, found)
  }
  return found
}

/** A tool reply in the ids: a turn of its own, or spliced into an assistant turn. */
export interface Reply extends Span {
  readonly turn: Turn
  /** Spliced, without its closing tag. */
  readonly isOpen: boolean
}

const replies = new OfLast<Segmentation, readonly Reply[]>()

export function repliesOf(segmentation: Segmentation): readonly Reply[] {
  let found = replies.get(segmentation)
  if (found === undefined) {
    found = findReplies(segmentation)
    replies.set(segmentation, found)
  }
  return found
}

function findReplies(segmentation: Segmentation): Reply[] {
  const replies: Reply[] = []
  for (const turn of segmentation.turns) {
    if (turn.kind === 'tool') replies.push({ turn, start: turn.contentStart, end: turn.contentEnd, isOpen: false })
    else if (turn.kind !== 'assistant') continue
    else
      for (const { part, start, end, closed } of turn.spans)
        if (part === 'tool') replies.push({ turn, start, end, isOpen: !closed })
  }
  const last = replies.at(-1)
  const open = segmentation.turns.at(-1)
  // Where the row itself ends inside a reply, the limit was not that of replies.
  if (last !== undefined && last.turn === open && open.endToken < 0 && last.end === open.contentEnd) replies.pop()
  return replies
}

/** The last turn of a row that is said to be cut, where what seems to end it may be the first of a padding with the same token; null elsewhere. */
function turnOfCutRow(
  { isTruncated, finishReason, mask }: Trajectory,
  ids: Int32Array,
  { turns, padding }: Segmentation,
): Turn | null {
  const last = turns.at(-1)
  const end = ids.length - padding.right
  if (last === undefined || padding.right === 0 || last.endToken !== end - 1 || ids[end] !== ids[end - 1]) return null
  return (isTruncated === true || isLengthStop(finishReason)) && mask?.[end - 1] !== 1 ? last : null
}

const looked = new OfLast<Segmentation, readonly LookedAt[]>()

/** What the tokens of each reply tell, its tags included. */
export function repliesLookedAt(table: TokenTable, ids: Int32Array, segmentation: Segmentation): readonly LookedAt[] {
  let found = looked.get(segmentation)
  if (found === undefined) {
    const all: LookedAt[] = []
    for (const reply of repliesOf(segmentation)) all.push(lookAt(table, ids, reply))
    found = all
    looked.set(segmentation, found)
  }
  return found
}

function findCutReplies(trajectory: Trajectory, { ids, segmentation, tokenizer, thresholds }: Prepared): CutReply[] {
  if (segmentation === null || tokenizer === null) return []
  const replies = repliesOf(segmentation)
  if (replies.length === 0) return []
  const { table } = tokenizer
  const lookedAt = repliesLookedAt(table, ids, segmentation)
  const messages = messagesByReply(trajectory.messages, replies)
  const last = turnOfCutRow(trajectory, ids, segmentation)
  const found: CutReply[] = []
  for (const [index, reply] of replies.entries()) {
    const texts = messages[index] ?? []
    const open = reply.isOpen || (isNeverClosed(table, ids, reply) && !isClosedBehind(table, ids, segmentation, reply))
    const marked = lookedAt[index]?.mayHoldMarker ?? false
    // Several messages that share one turn: each against its own text where the tags part as many, else all of them as one.
    const spans = texts.length > 1 ? replyTexts(table, ids, reply) : []
    const parted = spans.length === texts.length && spans.length > 1
    const parts: Part[] = parted
      ? spans.map((span, at) => ({ ...span, whole: texts[at] as string, open: open && at === spans.length - 1 }))
      : [{ start: reply.start, end: reply.end, whole: texts.length === 0 ? null : texts.join('\n'), open }]
    for (const part of parts) {
      const { start, end, whole } = part
      const shorter = whole !== null && sizeOf(table, ids, part) + thresholds['cut-shorter-characters'] < whole.length
      if (!part.open && !shorter && !marked) continue
      // A newline of the tag may share its token with the text: the tags are taken off the text itself.
      const closing = parted && !isNewline(table, ids[end]) ? NEWLINE : CLOSING
      const bare = decodeSpan(table, ids, start, end).replace(OPENING, '').replace(closing, '')
      const text = unquoted(whole === null || AROUND.test(whole) ? bare : bare.replace(AROUND, '$<text>'))
      const marker = findMarker(text)
      const cut = whole === null ? null : findCut(text, whole, thresholds)
      if (marker === null && ((cut === null && !part.open) || reply.turn === last)) continue
      // Where turns were left out before it, the reply is another message's: whole, and the beginning of this one by chance.
      if (marker === null && !part.open && said(whole, trajectory.messages).has(normalised(text))) continue
      // A reply that closes its own turn, or opens another, is not cut: T15.
      if (whole !== null && closesItself(table, ids, reply.turn, text, whole)) continue
      // Nor is one that spells the tag by which it is told from the next.
      if (whole !== null && parted && spellsNext('</tool_response>', text, whole)) continue
      found.push({
        turn: reply.turn,
        span: parted ? { start, end } : withoutTags(table, ids, reply),
        side: cut?.side ?? sideOf(marker),
        shownBy: marker !== null ? 'marker' : cut !== null ? 'messages' : 'open tag',
        characters: text.length - (marker?.text.length ?? 0),
        lost: cut?.lost ?? null,
      })
    }
  }
  return found
}

/** What is held against a message: a reply, or its share of one that several messages have in common. */
interface Part extends Span {
  readonly whole: string | null
  readonly open: boolean
}

/** The other texts that tools replied with, white space and punctuation aside. */
function said(whole: string | null, messages: readonly Message[] | null): Set<string> {
  const others = (messages ?? []).filter(
    ({ role, content }) => roleKind(role) === 'tool' && content !== null && content !== whole,
  )
  return new Set(others.map(({ content }) => normalised(withoutTagText(content ?? ''))))
}

/** The message spells the turn's end token, or that which opens the next turn in its place, where the reply ends in the ids. */
function closesItself(table: TokenTable, ids: Int32Array, turn: Turn, text: string, whole: string): boolean {
  const at = turn.endToken < 0 ? turn.end : turn.endToken
  return at < ids.length && spellsNext(decodeSpan(table, ids, at, at + 1), text, whole)
}

function spellsNext(literal: string, text: string, whole: string): boolean {
  const at = literal === '' ? -1 : whole.indexOf(literal)
  return at >= 0 && normalised(whole.slice(0, at)) === normalised(text)
}

/** Llama's template writes a reply as a JSON string, of which no limit counted the quotes and escapes. */
function unquoted(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}

function sideOf(marker: { readonly before: number; readonly after: number } | null): CutSide {
  if (marker === null || marker.after === 0) return 'right'
  return marker.before === 0 ? 'left' : 'middle'
}

/** How many bytes a reply has. */
function sizeOf({ offsets, size }: TokenTable, ids: Int32Array, { start, end }: Span): number {
  let bytes = 0
  for (let i = start; i < end; i++) {
    const id = ids[i] as number
    if (id >= 0 && id < size) bytes += (offsets[id + 1] as number) - (offsets[id] as number)
  }
  return bytes
}

/** Tokens of a tag, at most, however it is spelt. */
const TAG_TOKENS = 12
const OPENING = /^\s*<tool_response>\n?/
const CLOSING = /\n?<\/tool_response>\s*$/
/** The tag's newline, where the tag itself is not among the tokens. */
const NEWLINE = /\n$/

/** What Mistral's templates write around a reply: the text as it is, in an object that names the call. */
const AROUND = /^\s*\{"content": (?<text>[\s\S]*), "call_id": "[^"\n]{0,64}"\}\s*$/

function isNeverClosed(table: TokenTable, ids: Int32Array, { turn, start, end }: Reply): boolean {
  return turn.kind === 'tool' && isOpened(table, ids, start, end) && !isClosed(table, ids, start, end)
}

/**
 * A document that spells an end and the header of a turn leaves the rest of the reply, its tag included, to what it forges: T15. That is a turn that it gave a
 * role, or one behind it that has no header, since nothing but the document ended the one before.
 */
function isClosedBehind(table: TokenTable, ids: Int32Array, { turns }: Segmentation, { turn }: Reply): boolean {
  if (turn.endToken < 0) return false
  for (const { kind, header, contentStart, contentEnd } of turns.slice(turn.index + 1, turn.index + 1 + FORGED)) {
    if (kind === 'tool') return false
    if (kind === 'assistant' && header === 'present') continue
    const [beforeTag, ...rest] = decodeSpan(table, ids, contentStart, contentEnd).split('</tool_response>')
    if (beforeTag?.includes('<tool_response>')) return false
    if (rest.length > 0) return true
  }
  return false
}

/** Turns behind a reply that a document in it may have begun. */
export const FORGED = 4

/** Whether a reply between tags ends before the tag that closes it, which stands behind a turn that a document in it began; null of one that no tag opens. */
export function isTorn(table: TokenTable, ids: Int32Array, segmentation: Segmentation, reply: Reply): boolean | null {
  const { turn, start, end } = reply
  if (turn.kind !== 'tool' || !isOpened(table, ids, start, end)) return null
  return !isClosed(table, ids, start, end) && isClosedBehind(table, ids, segmentation, reply)
}

/** How the tags were spelt the last time: an environment spells all of its replies alike, which decides without a text. */
interface TagSpelling {
  opening: Int32Array
  closing: Int32Array
}

const spellings = new WeakMap<TokenTable, TagSpelling>()

function spellingOf(table: TokenTable): TagSpelling {
  let spelling = spellings.get(table)
  if (spelling === undefined) {
    spelling = { opening: new Int32Array(0), closing: new Int32Array(0) }
    spellings.set(table, spelling)
  }
  return spelling
}

function isOpened(table: TokenTable, ids: Int32Array, start: number, end: number): boolean {
  const spelling = spellingOf(table)
  if (isSpeltAt(ids, start, end, spelling.opening)) return true
  const last = Math.min(end, start + TAG_TOKENS)
  if (!OPENING.test(decodeSpan(table, ids, start, last))) return false
  let to = start + 1
  while (to < last && !OPENING.test(decodeSpan(table, ids, start, to))) to++
  spelling.opening = ids.slice(start, to)
  return true
}

function isClosed(table: TokenTable, ids: Int32Array, start: number, end: number): boolean {
  const spelling = spellingOf(table)
  if (isSpeltAt(ids, Math.max(start, end - spelling.closing.length), end, spelling.closing)) return true
  const closes = (from: number) => decodeSpan(table, ids, from, end).includes('</tool_response>')
  const first = Math.max(start, end - TAG_TOKENS)
  // What an environment adds after the tag may be long.
  if (!closes(first)) return closes(start)
  let from = end - 1
  while (from > first && !closes(from)) from--
  spelling.closing = ids.slice(from, end)
  return true
}

/** Whether these very ids stand at `start`, before `end`; never where nothing was spelt yet. */
function isSpeltAt(ids: Int32Array, start: number, end: number, spelling: Int32Array): boolean {
  const { length } = spelling
  if (length === 0 || end - start < length) return false
  for (let i = 0; i < length; i++) if (ids[start + i] !== spelling[i]) return false
  return true
}

/**
 * The texts of a reply, of which templates write several into one turn: without the tags as the environment spells them and the newlines
 * beside them. Needs no decoding once a spelling is known. Of a text that Llama's template writes as a JSON string the quotes are a part:
 * they share tokens with it.
 */
export function replyTexts(table: TokenTable, ids: Int32Array, { start, end }: Span): Span[] {
  if (!isOpened(table, ids, start, end)) return [{ start, end }]
  isClosed(table, ids, start, end)
  const { opening, closing } = spellingOf(table)
  const texts: Span[] = []
  for (let from = start + opening.length; from < end; ) {
    const to = nextTag(ids, from, end, closing)
    const isAfterNewline = isNewline(table, ids[from])
    const isBeforeNewline = to < end && isNewline(table, ids[to - 1])
    texts.push({ start: isAfterNewline ? from + 1 : from, end: isBeforeNewline ? to - 1 : to })
    from = nextTag(ids, to + 1, end, opening) + opening.length
  }
  return texts
}

/** The first place from `from` on, before `end`, at which a tag begins; `end` where none does. */
function nextTag(ids: Int32Array, from: number, end: number, tag: Int32Array): number {
  const [first] = tag
  if (first === undefined || from >= end) return end
  for (let at = firstOfNumber(ids, first, from, end); at < end; at = firstOfNumber(ids, first, at + 1, end)) {
    if (beginsAt(ids, at, end, tag)) return at
  }
  return end
}

/** Whether a tag begins at `at`. Its last token may be another one, which has what follows the tag in it. */
function beginsAt(ids: Int32Array, at: number, end: number, tag: Int32Array): boolean {
  const length = Math.max(1, tag.length - 1)
  if (end - at < length) return false
  for (let i = 0; i < length; i++) if (ids[at + i] !== tag[i]) return false
  return true
}

function isNewline({ bytes, offsets, size }: TokenTable, id: number | undefined): boolean {
  if (id === undefined || id < 0 || id >= size) return false
  const from = offsets[id] as number
  return (offsets[id + 1] as number) - from === 1 && bytes[from] === 0x0a
}

/** The tokens between a reply's tags; all of them where there are no tags. A token that a tag shares with the text counts as text. */
function withoutTags(table: TokenTable, ids: Int32Array, { start, end }: Span): Span {
  let from = start
  let to = end
  for (let at = start + 1; at <= Math.min(end, start + TAG_TOKENS); at++) {
    if (/^\s*<tool_response>\n?$/.test(decodeSpan(table, ids, start, at))) from = at
  }
  for (let at = end - 1; at >= Math.max(from, end - TAG_TOKENS); at--) {
    if (/^\n?<\/tool_response>\s*$/.test(decodeSpan(table, ids, at, end))) to = at
  }
  return { start: from, end: to }
}

/** Most messages have no tags, and looking for one at the end of a long text takes longer than looking for it anywhere. */
function withoutTagText(content: string): string {
  return content.includes('tool_response>') ? content.replace(OPENING, '').replace(CLOSING, '') : content
}

/** The messages of each reply, where the runs of replies between assistant turns are as many in both; else none. A turn may hold several. */
function messagesByReply(messages: readonly Message[] | null, replies: readonly Reply[]): (readonly string[])[] {
  if (messages === null) return []
  const said: string[][] = []
  let open = false
  for (const { role, content } of messages) {
    const isReply = roleKind(role) === 'tool' || (content !== null && OPENING.test(content))
    if (isReply && !open) said.push([])
    if (isReply) said.at(-1)?.push(withoutTagText(content ?? ''))
    open = isReply
  }
  const runs: Reply[][] = []
  for (const reply of replies) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (
      run !== undefined &&
      last !== undefined &&
      last.turn.kind === 'tool' &&
      last.turn.index === reply.turn.index - 1
    )
      run.push(reply)
    else runs.push([reply])
  }
  const messagesOf: (readonly string[])[] = []
  for (let index = 0; index < runs.length; index++) {
    const { length } = runs[index] as Reply[]
    const texts = said[index]
    if (texts?.length === length) for (const text of texts) messagesOf.push([text])
    else for (let reply = 0; reply < length; reply++) messagesOf.push(texts && length === 1 ? texts : [])
  }
  return messagesOf
}
