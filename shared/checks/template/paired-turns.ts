import { roleKind } from '../../model/roles.ts'
import { Provenance, type Segmentation, type Span, type Turn } from '../../model/tokens.ts'
import type { Message } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'

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
  const spoken: number[] = []
  for (let at = 0; at < messages.length; at++) {
    if (roleKind((messages[at] as Message).role) === 'assistant') spoken.push(at)
  }
  const turns = turnsFor(segmentation, spoken.length)
  const cut = facts.endReason.startsWith('cut') || trajectory.isTruncated === true
  if (turns.length > spoken.length || (turns.length < spoken.length && !cut)) return []
  return turns.map((turn, i) => {
    const index = spoken[i] as number
    return { turn, message: messages[index] as Message, index }
  })
}

/** Those that hold something; with those that were closed with nothing in them, where there are as many of these as messages. */
function turnsFor(segmentation: Segmentation, messages: number): readonly Turn[] {
  const written = writtenTurns(segmentation)
  if (written.length >= messages) return written
  const all = segmentation.turns.filter(
    ({ kind, contentStart, contentEnd, endToken }) =>
      kind === 'assistant' && (contentEnd > contentStart || endToken >= 0),
  )
  return all.length === messages ? all : written
}

/**
 * Whether the loss takes these tokens for the model's although nothing proves that it wrote them. Where the dump says that they
 * were sampled, they are right as they stand and it is the messages that were changed.
 */
export function isTrainedUnproven({ mask, provenance }: TrajectoryView, { start, end }: Span): boolean {
  if (mask === null || countOf(mask, 1, start, end) === 0) return false
  return provenance === null || countOf(provenance, Provenance.sampled, start, end) * 2 < end - start
}
