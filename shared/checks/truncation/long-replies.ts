import { bagOf } from '../../containers/kernel/numbers.ts'
import { eightDigits, Hash64 } from '../../model/hash.ts'
import type { Segmentation, Span } from '../../model/tokens.ts'
import type { Tokenizer, TokenTable } from '../../tokens/tokenizer.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { type Reply, repliesLookedAt, repliesOf, replyTexts } from './cut-replies.ts'
import { isGridAt } from './grid.ts'
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
 * The longest text of the tool replies, in tokens and in characters, and those texts that are as long, with how they end or begin. None of them
 * proves anything by itself, many of one length do (`reply-pile.ts`). Those that are known to be cut are among them. Null where no reply is long.
 */
export function longReplies(
  ids: Int32Array,
  segmentation: Segmentation | null,
  tokenizer: Tokenizer | null,
): Pick<TrajectoryFacts, 'longestReply' | 'longReplies'> | null {
  if (segmentation === null || tokenizer === null) return null
  const { table } = tokenizer
  const found = longTexts(table, ids, segmentation)
  if (found.length === 0) return null
  const longest = { tokens: 0, characters: 0 }
  for (const { tokens, characters } of found) {
    longest.tokens = Math.max(longest.tokens, tokens)
    longest.characters = Math.max(longest.characters, characters)
  }
  const hash = (from: number, to: number) => new Hash64().words(ids, from, to).digest().slice(0, 8)
  const asLong = found.filter(
    ({ tokens, characters }) => tokens === longest.tokens || characters === longest.characters,
  )
  const longReplies = asLong.map((reply) => {
    const { start, end, tokens, characters } = reply
    const open = openEnd(table, ids, reply)
    const edge = open === 'left' ? hash(start, start + EDGE_TOKENS) : hash(end - EDGE_TOKENS, end)
    return { start, end, tokens, characters, open, text: textOf(ids, start, end), edge }
  })
  return { longestReply: longest, longReplies }
}

/**
 * The texts of replies that are no names, numbers or short messages, with their sizes: those that are longest, and some of the others. No text has more
 * tokens than its reply, tags and all, nor more characters: a reply that has fewer of both than some text is not looked at.
 */
function longTexts(table: TokenTable, ids: Int32Array, segmentation: Segmentation): (Span & TextSize)[] {
  const found: (Span & TextSize)[] = []
  const lookedAt = repliesLookedAt(table, ids, segmentation)
  const replies = repliesOf(segmentation)
  let [tokens, characters] = [0, 0]
  const measure = (index: number) => {
    for (const text of textsOf(table, ids, replies[index] as Reply, lookedAt[index] as LookedAt)) {
      found.push(text)
      tokens = Math.max(tokens, text.tokens)
      characters = Math.max(characters, text.characters)
    }
  }
  // The longest reply first, behind which few are left.
  const first = longestOf(replies)
  if (first >= 0) measure(first)
  for (let index = 0; index < replies.length; index++) {
    const { start, end } = replies[index] as Reply
    const isLong = end - start >= tokens || (lookedAt[index] as LookedAt).characters >= characters
    if (index !== first && isLong) measure(index)
  }
  return found.sort((a, b) => a.start - b.start)
}

/** Which of the replies has the most tokens; -1 where none has many. */
function longestOf(replies: readonly Reply[]): number {
  let longest = -1
  let most = LEAST_TOKENS - 1
  for (let index = 0; index < replies.length; index++) {
    const { start, end } = replies[index] as Reply
    if (end - start <= most) continue
    most = end - start
    longest = index
  }
  return longest
}

/** The texts of one reply that have many tokens. */
function textsOf(table: TokenTable, ids: Int32Array, reply: Reply, lookedAt: LookedAt): (Span & TextSize)[] {
  if (reply.end - reply.start < LEAST_TOKENS) return []
  const found: (Span & TextSize)[] = []
  const texts = replyTexts(table, ids, reply)
  const around = (from: number, to: number) => lookAt(table, ids, { start: from, end: to }).characters
  for (const { start, end } of texts) {
    if (end - start < LEAST_TOKENS) continue
    // All but the few tokens of the tags, where there is one text between them: the reply was looked at already.
    const characters =
      texts.length > 1 ? around(start, end) : lookedAt.characters - around(reply.start, start) - around(end, reply.end)
    found.push({
      start,
      end,
      ...textSize(table, ids, { start, end }, start > reply.start, end < reply.end, characters),
    })
  }
  return found
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
  const { start, end, first, last, characters } = reply
  const isGrid = (side: 'left' | 'right') => isGridAt(side, table, ids, reply, characters)
  const endsOpen = isLetter(last) || last === COMMA
  if (endsOpen && !isGrid('right')) {
    return isProse(table, ids, { start: Math.max(start, end - BESIDE_TOKENS), end }) ? 'right' : 'none'
  }
  const beginsOpen = (isLetter(first) && first >= SMALL_A) || CLOSING.includes(first)
  if (beginsOpen && !isGrid('left')) {
    return isProse(table, ids, { start, end: Math.min(end, start + BESIDE_TOKENS) }) ? 'left' : 'none'
  }
  if (endsOpen || beginsOpen) return 'dense'
  return endsSentence(reply) && isProse(table, ids, reply) ? 'none' : 'dense'
}

function endsSentence({ last }: TextSize): boolean {
  return last >= NOT_ASCII || SENTENCE_ENDS.includes(last)
}

const [COMMA, SMALL_A, NOT_ASCII] = [0x2c, 0x61, 0x80]
/** `.`, `!`, `?`, quotes and `)`; a table, a board or JSON ends otherwise, and its length is given by its format. */
const SENTENCE_ENDS: readonly number[] = [0x2e, 0x21, 0x3f, 0x22, 0x27, 0x29]
/** What no text begins with: a blank, a comma, a full stop, a closing parenthesis. */
const CLOSING: readonly number[] = [0x20, COMMA, 0x2e, 0x29]
