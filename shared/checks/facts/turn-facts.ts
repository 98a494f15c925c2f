import { roleKind } from '../../model/roles.ts'
import type { Segmentation, Turn, TurnKind } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { sampledSpan, writtenTurns } from '../oracles/edges.ts'

/** How many turns a rollout has, and how long those of the model and the replies of tools are, in tokens. */
export function turnFacts(segmentation: Segmentation) {
  const { turns } = segmentation
  const assistantLengths: number[] = []
  for (const turn of writtenTurns(segmentation)) assistantLengths.push(sampledLength(turn))
  const toolReplyLengths: number[] = []
  let toolTurns = 0
  for (const turn of turns) {
    if (turn.kind === 'tool') toolTurns++
    addReplyLengths(turn, toolReplyLengths)
  }
  return {
    turns: turns.length,
    assistantTurns: assistantLengths.length,
    toolTurns,
    assistantLengths,
    toolReplyLengths,
  }
}

/** What the model wrote in a turn, end token included, spliced replies not. */
function sampledLength(turn: Turn): number {
  const { start, end } = sampledSpan(turn)
  let length = end - start
  for (const span of turn.spans) if (span.part === 'tool') length -= span.end - span.start
  return length
}

/** Replies that share a turn, or are spliced into an assistant turn, count one by one. */
function addReplyLengths(turn: Turn, into: number[]): void {
  const { length } = into
  for (const { part, start, end } of turn.spans) if (part === 'tool') into.push(end - start)
  if (into.length === length && turn.kind === 'tool') into.push(turn.contentEnd - turn.contentStart)
}

/** The same of a rollout that has messages alone: lengths in tokens are not known. */
export function messageFacts({ messages }: Trajectory) {
  const assistantLengths: number[] = []
  const toolReplyLengths: number[] = []
  // A reply that may hold several turns leaves their number open, which is 0 here as it is without a tokenizer.
  if (messages?.some(({ role, flattened }) => flattened && role === 'assistant')) {
    return { turns: 0, assistantTurns: 0, toolTurns: 0, assistantLengths, toolReplyLengths }
  }
  const kinds = messages?.map(({ role }) => roleKind(role)) ?? []
  const count = (kind: TurnKind) => kinds.filter((each) => each === kind).length
  return {
    turns: kinds.length,
    assistantTurns: count('assistant'),
    toolTurns: count('tool'),
    assistantLengths,
    toolReplyLengths,
  }
}
