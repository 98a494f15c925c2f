import { roleKind } from '../../model/roles.ts'
import { Provenance, type Span, type Turn } from '../../model/tokens.ts'
import type { Message } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from '../edges.ts'
import { countOf } from '../spans.ts'

/** A turn of the model in the ids, and the message that holds the same turn. */
export interface PairedTurn {
  readonly turn: Turn
  readonly message: Message
  /** Index of the message in the record. */
  readonly index: number
}

/**
 * The model's turns beside its messages, in order. Empty where their numbers do not agree: a cut row may have fewer turns than
 * messages, any other difference leaves open which belongs to which.
 */
export function pairedTurns({ trajectory, segmentation, facts }: TrajectoryView): PairedTurn[] {
  const { messages } = trajectory
  if (segmentation === null || segmentation.cutLeft || messages === null) return []
  const turns = writtenTurns(segmentation)
  const spoken: number[] = []
  for (let at = 0; at < messages.length; at++) {
    if (roleKind((messages[at] as Message).role) === 'assistant') spoken.push(at)
  }
  const cut = facts.endReason.startsWith('cut') || trajectory.isTruncated === true
  if (turns.length > spoken.length || (turns.length < spoken.length && !cut)) return []
  return turns.map((turn, i) => {
    const index = spoken[i] as number
    return { turn, message: messages[index] as Message, index }
  })
}

/**
 * Whether the loss takes these tokens for the model's although nothing proves that it wrote them. Where the dump says that they
 * were sampled, they are right as they stand and it is the messages that were changed.
 */
export function isTrainedUnproven({ mask, provenance }: TrajectoryView, { start, end }: Span): boolean {
  if (mask === null || countOf(mask, 1, start, end) === 0) return false
  return provenance === null || countOf(provenance, Provenance.sampled, start, end) * 2 < end - start
}
