import type { Segmentation, Span, Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { byteSpans, tokenTexts } from '../../tokens/text.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import { contentSpans } from '../oracles/edges.ts'
import { type SubmittedAnswer, submittedAnswer } from './submitted-answer.ts'

/**
 * Whose words hold the expected answer: the model's, only the environment's after the prompt, or nobody's. `in-part`: the
 * environment's hold all of it, and the model's some word of it, as a paraphrase does, or the model says nothing after it: where its
 * code or its query is run, the result is the answer that it gives.
 */
export const ANSWER_PLACES = ['model', 'in-part', 'environment', 'nowhere'] as const
export type AnswerPlace = (typeof ANSWER_PLACES)[number]

/** Texts that stand in many others, whatever was asked: words of a choice, and numbers of two digits. */
const COMMON = /^(true|false|none|null|unknown|yes|no|[-+]?\d{1,2}(\.\d+|,\d{1,2})?)$/

/** Where the expected answer stands, for the facts of a rollout. */
export interface AnswerFacts {
  /** Null where the dump has no answer, or one too short or too common to be told from other words, and where the model says it and hands in other ones. */
  readonly answerPlace: AnswerPlace | null
  /** Tokens of the last reply that hold it, where the model's do not; half-open, in stored ids. */
  readonly answerAt?: readonly [number, number]
}

export function answerFacts({ answer }: Trajectory, tokens: PreparedTokens): AnswerFacts {
  const { segmentation, tokenizer, thresholds } = tokens
  const wanted = answer?.trim().toLowerCase() ?? ''
  const shortest = thresholds['answer-characters']
  const known = wanted.length >= shortest && !COMMON.test(wanted)
  const turns = !known || segmentation === null || tokenizer === null ? [] : afterPrompt(segmentation)
  if (turns.length === 0 || tokenizer === null) return { answerPlace: null }
  // The last turn first: that is where most answers stand.
  const own = turns.toReversed().flatMap(ownContent)
  const small: string[] = []
  const modelHolds = (text: string) =>
    own.some((span, index) => (small[index] ??= tokens.text(span).toLowerCase()).includes(text))
  const submitted = submittedAnswer(turns, tokens.text)
  if (submitted?.text.toLowerCase().includes(wanted) ?? modelHolds(wanted)) return { answerPlace: 'model' }
  // It says the answer and hands in another text, which may be the answer in other words.
  if (submitted !== null && modelHolds(wanted)) return { answerPlace: null }
  const reply = turns.flatMap(environmentSpans).findLast((span) => tokens.text(span).toLowerCase().includes(wanted))
  if (reply === undefined) return { answerPlace: 'nowhere' }
  const words = wanted.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= shortest)
  return {
    // Without a word that can be looked up, nothing tells a paraphrase from another text.
    answerPlace:
      words.length === 0 || !isSpokenOf(reply, turns, submitted) || words.some(modelHolds) ? 'in-part' : 'environment',
    answerAt: tokensOf(wanted, reply, tokens, tokenizer),
  }
}

/** Whether the model says something after a reply that is no call, or hands in an answer by one: what it does with a result, others say. */
function isSpokenOf(reply: Span, turns: readonly Turn[], submitted: SubmittedAnswer | null): boolean {
  if (submitted !== null && submitted.at >= reply.end) return true
  return turns.some(
    (turn) =>
      !turn.spans.some(({ part, start }) => part === 'tool_call' && start >= reply.end) &&
      ownContent(turn).some(({ start, end }) => start >= reply.end && end > start),
  )
}

/** Tokens that spell a text which a span holds; all of the span where its small letters are spelt in another length. */
function tokensOf(wanted: string, span: Span, { ids, text }: PreparedTokens, { table }: Tokenizer): [number, number] {
  const { start, end } = span
  const spelt = text(span)
  const small = spelt.toLowerCase()
  const at = small.length === spelt.length ? small.lastIndexOf(wanted) : -1
  if (at < 0) return [start, end]
  // A character a byte: then the bytes of the ids tell as much as the place of each in the text, and are sooner counted.
  const places = /^[\0-\x7f]*$/.test(spelt) ? byteSpans(table, ids.subarray(start, end)) : null
  const textOffsets = places ?? tokenTexts(table, ids.subarray(start, end)).textOffsets
  let first = 0
  let last = 0
  for (let i = 0; i < end - start; i++) {
    if ((textOffsets[i] as number) <= at) first = i
    if ((textOffsets[i] as number) < at + wanted.length) last = i
  }
  return [start + first, start + last + 1]
}

/** What the model wrote in a turn, the last first. */
function ownContent(turn: Turn): Span[] {
  return turn.kind === 'assistant' ? contentSpans(turn).reverse() : []
}

function environmentSpans({ kind, contentStart, contentEnd, spans }: Turn): Span[] {
  if (kind !== 'assistant') return [{ start: contentStart, end: contentEnd }]
  return spans.filter(({ part }) => part === 'tool').map(({ start, end }) => ({ start, end }))
}

function afterPrompt({ turns }: Segmentation) {
  const first = turns.findIndex(({ kind }) => kind === 'assistant')
  return first < 0 ? [] : turns.slice(first)
}
