import { bagOf } from '../../containers/kernel/numbers.ts'
import { eightDigits, Hash64 } from '../../model/hash.ts'
import type { Segmentation, Span } from '../../model/tokens.ts'
import type { Tokenizer, TokenTable } from '../../tokens/tokenizer.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { repliesLookedAt, repliesOf, replyTexts } from './cut-replies.ts'
import { isGridAt } from './grid.ts'
import { kindsOf, type ReplyText, replyTextsByKind } from './reply-kinds.ts'
import { type LookedAt, lookAt } from './reply-tokens.ts'
import { isLetter, isProse, type TextSize, textSize } from './text-size.ts'

/** Replies below this many tokens are names, numbers and short messages, which end in a word as a rule. */
export const LEAST_TOKENS = 32
/** The last (or first) tokens of a reply, by which replies that one format ends alike are told from those that a limit ends anywhere. */
const EDGE_TOKENS = 4
/** Tokens beside an open end that tell whether it is one of prose. */
const BESIDE_TOKENS = 64

/** Whether a text begins (`left`) or ends (`right`) in the middle of a sentence; of neither nothing tells (`none`), or its format does where it ends (`dense`). */
export const OPEN_ENDS = ['left', 'right', 'none', 'dense'] as const
export type OpenEnd = (typeof OPEN_ENDS)[number]

/**
 * The longest text of the tool replies, in tokens and in characters, of all and by kind, and those texts that are as long, with how they end or begin; of
 * those that are longest of their kind alone (`kindsOf`) only what does so in mid-sentence. None of them proves anything by itself, many of one length
 * do (`reply-pile.ts`). Those that are known to be cut are among them. Null where no reply is long.
 *
 * @param names of the tool of each call, in order
 */
export function longReplies(
  ids: Int32Array,
  segmentation: Segmentation | null,
  tokenizer: Tokenizer | null,
  names: readonly string[],
): Pick<TrajectoryFacts, 'longestReply' | 'longestOfKinds' | 'longReplies'> | null {
  if (segmentation === null || tokenizer === null) return null
  const { table } = tokenizer
  const found = longTexts(table, ids, segmentation, names)
  if (found.length === 0) return null
  const longest: Longest = { tokens: 0, characters: 0 }
  const byKind = new Map<string, Longest>()
  for (const text of found) {
    add(longest, text)
    for (const kind of kindsOf(text)) {
      const known = byKind.get(kind)
      if (known === undefined) byKind.set(kind, { tokens: text.tokens, characters: text.characters })
      else add(known, text)
    }
  }
  const isOfKind = (text: LongText) => kindsOf(text).some((kind) => isAsLong(text, byKind.get(kind)))
  const longestOfKinds: NonNullable<TrajectoryFacts['longestOfKinds']>[number][] = []
  const longReplies: NonNullable<TrajectoryFacts['longReplies']>[number][] = []
  for (const reply of found) {
    const { start, end, tokens, characters, tool, turn } = reply
    const ofKind = isOfKind(reply)
    if (ofKind) longestOfKinds.push({ start, end, tokens, characters, tool, turn })
    const isLongest = isAsLong(reply, longest)
    if (!isLongest && !(ofKind && mayBeOpen(reply))) continue
    const open = openEnd(table, ids, reply)
    if (!isLongest && open !== 'left' && open !== 'right') continue
    const edge = open === 'left' ? hashOf(ids, start, start + EDGE_TOKENS) : hashOf(ids, end - EDGE_TOKENS, end)
    longReplies.push({ start, end, tokens, characters, open, text: textOf(ids, start, end), edge, tool, turn })
  }
  return { longestReply: longest, longestOfKinds, longReplies }
}

interface Longest {
  tokens: number
  characters: number
}

type LongText = ReplyText & TextSize

function add(longest: Longest, { tokens, characters }: Longest): void {
  if (tokens > longest.tokens) longest.tokens = tokens
  if (characters > longest.characters) longest.characters = characters
}

function isAsLong({ tokens, characters }: Longest, longest: Longest | undefined): boolean {
  return tokens === longest?.tokens || characters === longest?.characters
}

/** The texts of replies that are no names, numbers or short messages, with their sizes. */
function longTexts(
  table: TokenTable,
  ids: Int32Array,
  segmentation: Segmentation,
  names: readonly string[],
): LongText[] {
  if (!repliesOf(segmentation).some(({ start, end }) => end - start >= LEAST_TOKENS)) return []
  const lookedAt = repliesLookedAt(table, ids, segmentation)
  const around = (from: number, to: number) => lookAt(table, ids, { start: from, end: to }).characters
  const found: LongText[] = []
  for (const text of replyTextsByKind(segmentation, names, (reply) => replyTexts(table, ids, reply))) {
    const { start, end, reply, index, beside } = text
    if (end - start < LEAST_TOKENS) continue
    // All but the few tokens of the tags, where there is one text between them: the reply was looked at already.
    const characters =
      beside > 0
        ? around(start, end)
        : (lookedAt[index] as LookedAt).characters - around(reply.start, start) - around(end, reply.end)
    found.push({
      ...text,
      ...textSize(table, ids, text, start > reply.start, end < reply.end, characters),
    })
  }
  return found
}

function hashOf(ids: Int32Array, from: number, to: number): string {
  return new Hash64().words(ids, from, to).digest().slice(0, 8)
}

/** The same for the same tokens in any order, as of documents that one search brings first and another last (8 hex digits). */
function textOf(ids: Int32Array, start: number, end: number): string {
  return eightDigits(bagOf(ids, start, end))
}

/**
 * By ASCII letters and punctuation: of other scripts the end of a sentence is not told by its last character. Where rows of a grid are whole, a
 * letter is a field of a board, and in a hash or a record it may be any: what is no prose is open to neither side, and the other replies must tell.
 */
function openEnd(table: TokenTable, ids: Int32Array, reply: Span & TextSize): OpenEnd {
  const { start, end, characters } = reply
  const isGrid = (side: 'left' | 'right') => isGridAt(side, table, ids, reply, characters)
  if (endsOpen(reply) && !isGrid('right')) {
    return isProse(table, ids, { start: Math.max(start, end - BESIDE_TOKENS), end }) ? 'right' : 'none'
  }
  if (beginsOpen(reply) && !isGrid('left')) {
    return isProse(table, ids, { start, end: Math.min(end, start + BESIDE_TOKENS) }) ? 'left' : 'none'
  }
  if (mayBeOpen(reply)) return 'dense'
  return endsSentence(reply) && isProse(table, ids, reply) ? 'none' : 'dense'
}

function mayBeOpen(size: TextSize): boolean {
  return endsOpen(size) || beginsOpen(size)
}

function endsOpen({ last }: TextSize): boolean {
  return isLetter(last) || last === COMMA
}

function beginsOpen({ first }: TextSize): boolean {
  return (isLetter(first) && first >= SMALL_A) || CLOSING.includes(first)
}

function endsSentence({ last }: TextSize): boolean {
  return last >= NOT_ASCII || SENTENCE_ENDS.includes(last)
}

const [COMMA, SMALL_A, NOT_ASCII] = [0x2c, 0x61, 0x80]
/** `.`, `!`, `?`, quotes and `)`; a table, a board or JSON ends otherwise, and its length is given by its format. */
const SENTENCE_ENDS: readonly number[] = [0x2e, 0x21, 0x3f, 0x22, 0x27, 0x29]
/** What no text begins with: a blank, a comma, a full stop, a closing parenthesis. */
const CLOSING: readonly number[] = [0x20, COMMA, 0x2e, 0x29]
