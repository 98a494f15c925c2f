import type { Segmentation, Span, Turn } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { PreparedTokens } from './create-facts.ts'

/**
 * Whose words hold the expected answer: the model's, only the environment's after the prompt, or nobody's. `in-part`: the
 * environment's hold all of it, and the model's some word of it, as a paraphrase does.
 */
export const ANSWER_PLACES = ['model', 'in-part', 'environment', 'nowhere'] as const
export type AnswerPlace = (typeof ANSWER_PLACES)[number]

/** Texts that stand in many others, whatever was asked: words of a choice, and numbers of two digits. */
const COMMON = /^(true|false|none|null|unknown|yes|no|[-+]?\d{1,2}(\.\d+|,\d{1,2})?)$/

/** Null where the dump has no answer, or one too short or too common to be told from other words. */
export function answerPlace({ answer }: Trajectory, tokens: PreparedTokens): AnswerPlace | null {
  const { segmentation, tokenizer, thresholds } = tokens
  const wanted = answer?.trim().toLowerCase() ?? ''
  const shortest = thresholds['answer-characters']
  if (wanted.length < shortest || COMMON.test(wanted) || segmentation === null || tokenizer === null) return null
  const turns = afterPrompt(segmentation)
  if (turns.length === 0) return null
  const holds = (text: string, span: Span) => tokens.text(span).toLowerCase().includes(text)
  // The last turn first: that is where most answers stand.
  const own = turns.toReversed().flatMap(ownSpans)
  const modelHolds = (text: string) => own.some((span) => holds(text, span))
  if (modelHolds(wanted)) return 'model'
  if (!turns.flatMap(environmentSpans).some((span) => holds(wanted, span))) return 'nowhere'
  const words = wanted.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= shortest)
  // Without a word that can be looked up, nothing tells a paraphrase from another text.
  return words.length === 0 || words.some(modelHolds) ? 'in-part' : 'environment'
}

/** What the model wrote in a turn, replies spliced into it left out; the last first. */
function ownSpans({ kind, contentStart, contentEnd, spans }: Turn): Span[] {
  if (kind !== 'assistant') return []
  const own: Span[] = []
  let from = contentStart
  for (const { start, end } of spans.filter(({ part }) => part === 'tool')) {
    own.unshift({ start: from, end: start })
    from = end
  }
  return [{ start: from, end: contentEnd }, ...own]
}

function environmentSpans({ kind, contentStart, contentEnd, spans }: Turn): Span[] {
  if (kind !== 'assistant') return [{ start: contentStart, end: contentEnd }]
  return spans.filter(({ part }) => part === 'tool').map(({ start, end }) => ({ start, end }))
}

function afterPrompt({ turns }: Segmentation) {
  const first = turns.findIndex(({ kind }) => kind === 'assistant')
  return first < 0 ? [] : turns.slice(first)
}
