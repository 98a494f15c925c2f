import { roleKind } from '../../model/roles.ts'
import { Provenance, type Segmentation, type Turn, type TurnKind } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { sampledSpan, writtenTurns } from '../oracles/edges.ts'
import { LONGEST_PREFILL, storedPromptEnd } from '../oracles/prompt-end.ts'

/** What tells who wrote a token: null where the dump has none. */
interface Writers {
  readonly mask: Uint8Array | null
  readonly provenance: Uint8Array | null
}

/** How many turns a rollout has, and how long those of the model and the replies of tools are, in tokens. */
export function turnFacts(segmentation: Segmentation, trajectory: Trajectory, writers: Writers) {
  const { turns } = segmentation
  const prompt = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  const assistantLengths: number[] = []
  for (const turn of writtenTurns(segmentation))
    assistantLengths.push(sampledLength(turn) - prefillLength(turn, prompt, writers))
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

/**
 * Tokens with which the prompt begins a turn for the model, such as DeepSeek R1's `<think>`, behind what is told from it by its ids. Where nothing tells who
 * wrote a token, they are what the stored length of the prompt holds of the turn and the loss leaves out.
 */
function prefillLength(
  { contentStart, contentEnd }: Turn,
  prompt: number | null,
  { mask, provenance }: Writers,
): number {
  const last = Math.min(contentEnd - 1, contentStart + LONGEST_PREFILL)
  let at = contentStart
  if (provenance !== null) {
    while (at < last && provenance[at] === Provenance.notSampled) at++
    return provenance[at] === Provenance.sampled ? at - contentStart : 0
  }
  if (prompt === null || prompt <= contentStart || prompt > last) return 0
  return mask?.subarray(contentStart, prompt).includes(1) === false ? prompt - contentStart : 0
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
