import type { Message, Trajectory } from '../model/trajectory.ts'
import { decodeSpan } from '../tokens/text.ts'
import type { PreparedTokens } from './create-facts.ts'
import { writtenTurns } from './edges.ts'
import { encoded } from './encoded.ts'
import type { EndReason } from './facts.ts'
import { normalised } from './normalised-text.ts'

/**
 * Tokens that the messages hold after the end of the ids. Counted only where the row does end early: its last turn is cut, the
 * dump says truncated, or the messages have more assistant turns than the ids. Messages are looked up from the last one back
 * until one is found in the ids; the first that is missing may be there in part. 0 where nothing is known to be lost, or not how much.
 */
export function countLostTokens(trajectory: Trajectory, tokens: ComparedTokens, end: EndReason): number {
  return lostAtEnd(trajectory, tokens, end)?.tokens ?? 0
}

/** What of a prepared trajectory is compared with its messages. */
export type ComparedTokens = Pick<PreparedTokens, 'ids' | 'padding' | 'segmentation' | 'tokenizer' | 'text'>

/** The same, with the text: the messages that are missing, the first of them from where the ids break off. Null where nothing is known to be lost. */
export function lostAtEnd(
  trajectory: Trajectory,
  tokens: ComparedTokens,
  end: EndReason,
): { readonly tokens: number; readonly text: string } | null {
  const { segmentation, tokenizer, ids, padding } = tokens
  const messages = trajectory.messages?.filter(({ content }) => content !== null && content.trim() !== '') ?? []
  if (segmentation === null || tokenizer === null || messages.length === 0) return null
  const written = (kinds: RegExp) => messages.filter(({ role }) => kinds.test(role)).length
  const endsEarly = end === 'cut-prose' || end === 'cut-call' || end === 'cut-reply' || trajectory.isTruncated === true
  if (!endsEarly && written(/^assistant$/i) <= writtenTurns(segmentation).length) return null
  const visible = normalised(tokens.text({ start: padding.left, end: ids.length - padding.right }))
  const missing: Message[] = []
  for (const message of messages.toReversed()) {
    if (visible.includes(normalised(message.content as string))) break
    missing.unshift(message)
  }
  // Nothing of the conversation is in the ids as the messages spell it: the two cannot be compared.
  if (missing.length === 0 || missing.length === messages.length) return null
  const spelt = missing.map(({ content }) => encoded(tokenizer, content as string))
  const whole = spelt.reduce<number | null>((sum, ids) => (sum === null || ids === null ? null : sum + ids.length), 0)
  const seen = visibleStart(missing[0], tokens)
  if (whole === null || whole <= seen) return null
  const unseen = decodeSpan(tokenizer.table, Int32Array.from(spelt[0] ?? []).subarray(seen))
  return { tokens: whole - seen, text: [unseen, ...missing.slice(1).map(({ content }) => content)].join('\n') }
}

/** Tokens of the last, open turn, where its text is how the first missing message begins. */
function visibleStart(message: Message | undefined, { segmentation, text }: ComparedTokens): number {
  const last = segmentation?.turns.at(-1)
  if (message === undefined || last === undefined || last.endToken >= 0 || last.contentEnd <= last.contentStart)
    return 0
  // The last word may be cut in the middle and a character with it.
  const seen = normalised(text({ start: last.contentStart, end: last.contentEnd }).replace(/\uFFFD+$/u, ''))
  const stripped = seen.replace(/^tool response /, '')
  const whole = normalised(message.content as string)
  return whole.startsWith(stripped) ? last.contentEnd - last.contentStart : 0
}
