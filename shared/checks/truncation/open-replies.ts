import { kernelWith } from '../../containers/kernel/kernel.ts'
import { Hash64 } from '../../model/hash.ts'
import type { Segmentation } from '../../model/tokens.ts'
import type { Tokenizer, TokenTable } from '../../tokens/tokenizer.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { repliesOf, replyTexts } from './cut-replies.ts'

/** Replies below this many tokens are names, numbers and short messages, which end in a word as a rule. */
const LEAST_TOKENS = 32
/** The last tokens of a reply, by which replies that one format ends alike are told from those that a limit ends anywhere. */
const TAIL_TOKENS = 4

/**
 * The longer tool replies that end in the middle of a sentence, and how long the longest is. One that ends so proves nothing, many of one
 * length do (`reply-pile.ts`). Those that are known to be cut are among them. Null where no reply is long.
 */
export function openReplies(
  ids: Int32Array,
  segmentation: Segmentation | null,
  tokenizer: Tokenizer | null,
): Pick<TrajectoryFacts, 'longestReply' | 'openReplies'> | null {
  if (segmentation === null || tokenizer === null) return null
  const { table } = tokenizer
  const mixer = kernelWith(ids)
  const found: NonNullable<TrajectoryFacts['openReplies']>[number][] = []
  let longestReply = 0
  for (const reply of repliesOf(segmentation)) {
    if (reply.end - reply.start < LEAST_TOKENS) continue
    for (const { start, end } of replyTexts(table, ids, reply)) {
      longestReply = Math.max(longestReply, end - start)
      if (end - start < LEAST_TOKENS || !endsOpen(table, ids[end - 1] as number)) continue
      const hash = (from: number) => new Hash64().numbers(ids, from, end, mixer).digest().slice(0, 8)
      found.push({ start, tokens: end - start, text: hash(start), tail: hash(end - TAIL_TOKENS) })
    }
  }
  if (longestReply < LEAST_TOKENS) return null
  return found.length === 0 ? { longestReply } : { longestReply, openReplies: found }
}

/** Whether the text of an id ends in an ASCII letter or a comma. Of other scripts the end of a sentence is not told by it. */
function endsOpen({ bytes, offsets, size }: TokenTable, id: number): boolean {
  if (!(id >= 0 && id < size)) return false
  const [from, to] = [offsets[id] as number, offsets[id + 1] as number]
  const last = to > from ? (bytes[to - 1] as number) : 0
  return last === 0x2c || (last >= 0x41 && last <= 0x5a) || (last >= 0x61 && last <= 0x7a)
}
