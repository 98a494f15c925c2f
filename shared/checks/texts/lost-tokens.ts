import { roleKind } from '../../model/roles.ts'
import type { Segmentation, Turn } from '../../model/tokens.ts'
import type { Message, Trajectory } from '../../model/trajectory.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import type { EndReason } from '../facts/facts.ts'
import { isCutReason } from '../limits/limits.ts'
import { OfLast } from '../of-last.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { encoded } from './encoded.ts'
import { normalised } from './normalised-text.ts'
import { isWrittenOut } from './passages.ts'

/**
 * Tokens that the messages hold after the end of the ids. Counted only where the row does end early: its last turn is cut, the
 * dump says truncated, or the messages have more assistant turns than the ids. Messages are looked up from the last one back
 * until one is found in the ids; the first that is missing may be there in part. 0 where nothing is known to be lost, or not how much.
 */
export function countLostTokens(trajectory: Trajectory, tokens: ComparedTokens, end: EndReason): number {
  return lostMessages(trajectory, tokens, end)?.tokens ?? 0
}

/** What of a prepared trajectory is compared with its messages. */
export type ComparedTokens = Pick<PreparedTokens, 'ids' | 'padding' | 'segmentation' | 'tokenizer' | 'text'>

/** The same, with the text: the messages that are missing, the first of them from where the ids break off. Null where nothing is known to be lost. */
export function lostAtEnd(
  trajectory: Trajectory,
  tokens: ComparedTokens,
  end: EndReason,
): { readonly tokens: number; readonly text: string } | null {
  const lost = lostMessages(trajectory, tokens, end)
  if (lost === null || tokens.tokenizer === null) return null
  const unseen = decodeSpan(tokens.tokenizer.table, Int32Array.from(lost.spelt).subarray(lost.seen))
  return { tokens: lost.tokens, text: [unseen, ...lost.messages.slice(1).map(({ content }) => content)].join('\n') }
}

/** Of each missing message, the tokens of its text, and how many of them the row still holds; null where nothing is known to be lost. */
export function lostLengths(
  trajectory: Trajectory,
  tokens: ComparedTokens,
  end: EndReason,
): readonly { readonly isAssistant: boolean; readonly whole: number; readonly seen: number }[] | null {
  const lost = lostMessages(trajectory, tokens, end)
  if (lost === null) return null
  return lost.messages.map(({ role }, i) => ({
    isAssistant: roleKind(role) === 'assistant',
    whole: lost.lengths[i] as number,
    seen: i === 0 ? lost.seen : 0,
  }))
}

/** The last messages, of which the ids hold nothing but the beginning of the first. */
interface LostMessages {
  readonly messages: readonly Message[]
  /** All that is missing. */
  readonly tokens: number
  /** The ids of the first, and how many of them the row still holds. */
  readonly spelt: readonly number[]
  readonly seen: number
  /** Tokens of the text of each message. */
  readonly lengths: readonly number[]
}

const known = new OfLast<Segmentation, LostMessages | null>()

/** Facts and two checks ask the same. */
function lostMessages(trajectory: Trajectory, tokens: ComparedTokens, end: EndReason): LostMessages | null {
  const { segmentation, tokenizer } = tokens
  if (segmentation === null || tokenizer === null) return null
  let lost = known.get(segmentation)
  if (lost === undefined) {
    lost = endsEarly(trajectory, segmentation, end) ? findLost(trajectory, tokens, tokenizer) : null
    known.set(segmentation, lost)
  }
  return lost
}

function endsEarly({ messages, isTruncated }: Trajectory, segmentation: Segmentation, end: EndReason): boolean {
  if (isCutReason(end) || isTruncated === true) return true
  let said = 0
  for (const message of messages ?? []) if (roleKind(message.role) === 'assistant' && isSaid(message)) said++
  return said > writtenTurns(segmentation).length
}

function isSaid({ content }: Message): boolean {
  return content !== null && content.trim() !== ''
}

function findLost(trajectory: Trajectory, tokens: ComparedTokens, tokenizer: Tokenizer): LostMessages | null {
  const { ids, padding } = tokens
  const said = trajectory.messages?.filter(isSaid) ?? []
  if (said.length === 0) return null
  const visible = tokens.text({ start: padding.left, end: ids.length - padding.right })
  let words: string | null = null
  let first = said.length
  for (; first > 0; first--) {
    const content = said[first - 1]?.content as string
    // Most of what is there is there as it was said.
    if (isWrittenOut(visible, content)) break
    words ??= normalised(visible)
    if (words.includes(normalised(content))) break
  }
  // Nothing of the conversation is in the ids as the messages spell it: the two cannot be compared.
  if (first === said.length || first === 0) return null
  const messages = said.slice(first)
  const spelt = messages.map(({ content }) => encoded(tokenizer, content as string))
  const whole = spelt.reduce<number | null>((sum, ids) => (sum === null || ids === null ? null : sum + ids.length), 0)
  const seen = visibleStart(messages[0], tokens)
  if (whole === null || whole <= seen) return null
  const lengths = spelt.map((ids) => ids?.length ?? 0)
  return { messages, tokens: whole - seen, spelt: spelt[0] ?? [], seen, lengths }
}

/** What a template opens a reply with, each of several in one turn. */
const REPLY_OPENING = /<tool_response>\s*/g

/** Tokens of the last, open turn, where its text is how the first missing message begins; what the template writes before a reply is none of it. */
function visibleStart(message: Message | undefined, { segmentation, text }: ComparedTokens): number {
  const last = segmentation?.turns.at(-1)
  if (message === undefined || last === undefined || last.endToken >= 0 || last.contentEnd <= last.contentStart)
    return 0
  const whole = normalised(message.content as string)
  const seenFrom = (start: number) => {
    // The last word may be cut in the middle and a character with it.
    const seen = normalised(text({ start, end: last.contentEnd }).replace(/(?<!\uFFFD)\uFFFD+$/u, ''))
    return whole.startsWith(seen) ? last.contentEnd - start : 0
  }
  const opening = [...text({ start: last.contentStart, end: last.contentEnd }).matchAll(REPLY_OPENING)].at(-1)
  const behind = opening === undefined ? 0 : seenFrom(tokenAt(last, opening.index + opening[0].length, text))
  return behind || seenFrom(last.contentStart)
}

/** The first token of a turn before which its text is so long. */
function tokenAt({ contentStart, contentEnd }: Turn, length: number, text: ComparedTokens['text']): number {
  let [low, high] = [contentStart, contentEnd]
  while (low < high) {
    const middle = (low + high) >> 1
    if (text({ start: contentStart, end: middle }).length < length) low = middle + 1
    else high = middle
  }
  return low
}
