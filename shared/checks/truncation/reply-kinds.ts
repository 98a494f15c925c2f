import type { Segmentation, Span, Turn } from '../../model/tokens.ts'
import { type Reply, repliesOf } from './cut-replies.ts'

/** A text that a tool replied with, and what it is among the others. */
export interface ReplyText extends Span {
  /** The reply that holds it, tags and all, and its place among the replies of the rollout. */
  readonly reply: Reply
  readonly index: number
  /** How many texts the reply has. */
  readonly beside: number
  /** The tool that was called; empty where nothing tells. */
  readonly tool: string
  /** Behind how many turns of the model it stands, one spliced into such a turn behind how many parts of those. */
  readonly turn: number
}

/**
 * All texts of a rollout's tool replies. As in the sums by tool, the i-th text behind a turn answers its i-th call.
 *
 * @param names of the tool of each call, in order (`calledTools`)
 * @param textsOf the texts of one reply
 */
export function replyTextsByKind(
  segmentation: Segmentation,
  names: readonly string[],
  textsOf: (reply: Reply) => readonly Span[],
): ReplyText[] {
  const found: ReplyText[] = []
  const replies = repliesOf(segmentation)
  let [index, call, step, answered] = [0, 0, 0, 0]
  let asked: readonly string[] = []
  for (const turn of segmentation.turns) {
    const isWritten = turn.kind === 'assistant'
    if (isWritten) {
      asked = names.slice(call, (call += callsIn(turn)))
      step++
      answered = 0
    }
    for (let own = 0; index < replies.length && (replies[index] as Reply).turn === turn; index++, own++) {
      const reply = replies[index] as Reply
      // Between two that are spliced into one turn the model wrote on.
      if (isWritten && own > 0) step++
      const texts = textsOf(reply)
      for (const { start, end } of texts) {
        const tool = asked[answered++] ?? ''
        found.push({ start, end, reply, index, beside: texts.length - 1, tool, turn: step })
      }
    }
  }
  return found
}

function callsIn({ spans }: Turn): number {
  let calls = 0
  for (const { part } of spans) if (part === 'tool_call') calls++
  return calls
}

/** Turns that are told apart; what is behind more of them is of no kind of its own. */
const MOST_TURNS = 8
const TURN_KINDS: readonly string[] = Array.from({ length: MOST_TURNS + 1 }, (_, turn) => `turn ${turn}`)

/**
 * Kinds of replies that a limit may be meant for, or be met by, alone: those of a tool, by its name, in which there is no blank, and those of a turn,
 * written `turn 2`.
 */
export function kindsOf({ tool, turn }: Pick<ReplyText, 'tool' | 'turn'>): readonly string[] {
  const ofTurn = TURN_KINDS[turn]
  if (ofTurn === undefined) return tool === '' ? [] : [tool]
  return tool === '' ? [ofTurn] : [tool, ofTurn]
}

/** As a sentence names a kind. */
export function nameOfKind(kind: string): string {
  return kind.startsWith('turn ') ? `behind ${kind} of the model` : `that ${kind} returned`
}
