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
  if (segmentation === null || segmentation.cutLeft || trajectory.messages === null) return []
  const turns = writtenTurns(segmentation)
  const messages = trajectory.messages
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => roleKind(message.role) === 'assistant')
  const cut = facts.endReason.startsWith('cut') || trajectory.isTruncated === true
  if (turns.length > messages.length || (turns.length < messages.length && !cut)) return []
  return turns.flatMap((turn, i) => {
    const paired = messages[i]
    return paired === undefined ? [] : [{ turn, ...paired }]
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
