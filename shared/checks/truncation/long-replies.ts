import { kernelWith } from '../../containers/kernel/kernel.ts'
import { Hash64 } from '../../model/hash.ts'
import type { Segmentation, Span } from '../../model/tokens.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { repliesOf, replyTexts } from './cut-replies.ts'
import { isLetter, type TextSize, textSize } from './text-size.ts'

/** Replies below this many tokens are names, numbers and short messages, which end in a word as a rule. */
export const LEAST_TOKENS = 32
/** The last (or first) tokens of a reply, by which replies that one format ends alike are told from those that a limit ends anywhere. */
const EDGE_TOKENS = 4

/** Whether a text begins (`left`) or ends (`right`) in the middle of a sentence; neither of prose is `none`, of other text `dense`. */
export const OPEN_ENDS = ['left', 'right', 'none', 'dense'] as const
export type OpenEnd = (typeof OPEN_ENDS)[number]

/**
 * The longer tool replies that end, or begin, in the middle of a sentence, beside the longest one, and how long that is. None of them
 * proves anything by itself, many of one length do (`reply-pile.ts`). Those that are known to be cut are among them. Null where no reply is long.
 */
export function longReplies(
  ids: Int32Array,
  segmentation: Segmentation | null,
  tokenizer: Tokenizer | null,
): Pick<TrajectoryFacts, 'longestReply' | 'longReplies'> | null {
  if (segmentation === null || tokenizer === null) return null
  const { table } = tokenizer
  const found: (Span & TextSize)[] = []
  const longest = { tokens: 0, characters: 0 }
  for (const reply of repliesOf(segmentation)) {
    if (reply.end - reply.start < LEAST_TOKENS) continue
    for (const { start, end } of replyTexts(table, ids, reply)) {
      if (end - start < LEAST_TOKENS) continue
      const size = textSize(table, ids, { start, end }, end < reply.end)
      longest.tokens = Math.max(longest.tokens, size.tokens)
      longest.characters = Math.max(longest.characters, size.characters)
      found.push({ start, end, ...size })
    }
  }
  if (found.length === 0) return null
  const mixer = kernelWith(ids)
  const hash = (from: number, to: number) => new Hash64().numbers(ids, from, to, mixer).digest().slice(0, 8)
  const longReplies = found.flatMap((reply) => {
    const { start, end, tokens, characters } = reply
    const open = openEnd(reply)
    const isLongest = tokens === longest.tokens || characters === longest.characters
    if (!isLongest && (open === 'none' || open === 'dense')) return []
    const edge = open === 'left' ? hash(start, start + EDGE_TOKENS) : hash(end - EDGE_TOKENS, end)
    return [{ start, end, tokens, characters, open, text: bagOf(ids, start, end), edge }]
  })
  return longReplies.length === 0 ? { longestReply: longest } : { longestReply: longest, longReplies }
}

/** The same for the same tokens in any order, as of documents that one search brings first and another last (8 hex digits). */
function bagOf(ids: Int32Array, start: number, end: number): string {
  let sum = 0
  for (let i = start; i < end; i++) {
    const mixed = Math.imul((ids[i] as number) + 1, 0x9e3779b1)
    sum = (sum + Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)) | 0
  }
  return (sum >>> 0).toString(16).padStart(8, '0')
}

/** By ASCII letters and punctuation: of other scripts the end of a sentence is not told by its last character. */
function openEnd({ first, last, isProse }: TextSize): OpenEnd {
  if (isLetter(last) || last === COMMA) return 'right'
  if ((isLetter(first) && first >= SMALL_A) || CLOSING.includes(first)) return 'left'
  return isProse && (last >= NOT_ASCII || SENTENCE_ENDS.includes(last)) ? 'none' : 'dense'
}

const [COMMA, SMALL_A, NOT_ASCII] = [0x2c, 0x61, 0x80]
/** `.`, `!`, `?`, quotes and `)`; a table, a board or JSON ends otherwise, and its length is given by its format. */
const SENTENCE_ENDS: readonly number[] = [0x2e, 0x21, 0x3f, 0x22, 0x27, 0x29]
/** What no text begins with: a blank, a comma, a full stop, a closing parenthesis. */
const CLOSING: readonly number[] = [0x20, COMMA, 0x2e, 0x29]
