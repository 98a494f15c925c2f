import type { Thresholds } from '../../model/thresholds/registry.ts'
import { FactColumns } from '../fact-columns.ts'
import type { TrajectoryFacts } from '../facts.ts'

/** Replies that end in mid-sentence at one length, at which a limit cut them. */
export interface ReplyPile {
  /** Tokens between the tags. */
  readonly tokens: number
  /** How many replies there are, of how many rollouts, and of how many texts. */
  readonly replies: number
  readonly rollouts: number
  readonly texts: number
}

type OpenReply = NonNullable<TrajectoryFacts['openReplies']>[number]

/**
 * The greatest length of a tool reply, where different texts of several rollouts end in mid-sentence at exactly that many tokens and at
 * different words, and few rollouts have their longest one just below it. Null where there is none: replies of one format may be equally long, but they
 * end alike, and those that a tool keeps short are of many lengths.
 */
export function replyPile(facts: readonly TrajectoryFacts[], thresholds: Thresholds): ReplyPile | null {
  const columns = new FactColumns(facts)
  const longest = columns.numbers('longestReply')
  let tokens = 0
  for (let i = 0; i < longest.length; i++) if ((longest[i] as number) > tokens) tokens = longest[i] as number
  if (tokens === 0) return null
  const margin = thresholds['near-limit-tokens']
  const [texts, tails] = [new Set<string>(), new Set<string>()]
  let [rollouts, replies, nearby, measured] = [0, 0, 0, 0]
  const has = columns.present('openReplies')
  for (let i = 0; i < longest.length; i++) {
    const length = longest[i] as number
    if (Number.isNaN(length)) continue
    measured++
    const there = length === tokens && has[i] === 1 ? atPile(facts[i] as TrajectoryFacts, tokens) : []
    if (there.length > 0) rollouts++
    else if (length >= tokens - margin) nearby++
    replies += there.length
    for (const reply of there) {
      texts.add(reply.text)
      tails.add(reply.tail)
    }
  }
  const least = thresholds['pile-up-rollouts']
  const enough = rollouts >= least && texts.size >= least && rollouts >= thresholds['pile-up-share'] * measured
  return enough && tails.size * 2 >= texts.size && rollouts >= nearby * 2
    ? { tokens, replies, rollouts, texts: texts.size }
    : null
}

/** A rollout's replies that end at the pile. */
export function atPile(row: TrajectoryFacts, tokens: number): readonly OpenReply[] {
  return openOf(row).filter((reply) => reply.tokens === tokens)
}

function openOf({ openReplies }: TrajectoryFacts): readonly OpenReply[] {
  return openReplies ?? []
}
