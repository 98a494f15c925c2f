import type { Segmentation } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { PreparedTokens } from './create-facts.ts'

/** Whose words hold the expected answer: the model's, only the environment's after the prompt, or nobody's. */
export type AnswerPlace = 'model' | 'environment' | 'nowhere'

/** Null where the dump has no answer, or one too short to be told from other words. Turns are read from the last one back. */
export function answerPlace({ answer }: Trajectory, tokens: PreparedTokens): AnswerPlace | null {
  const { segmentation, tokenizer, thresholds } = tokens
  const wanted = answer?.trim().toLowerCase() ?? ''
  if (wanted.length < thresholds['answer-characters'] || segmentation === null || tokenizer === null) return null
  const turns = afterPrompt(segmentation)
  if (turns.length === 0) return null
  const holds = (start: number, end: number) => tokens.text({ start, end }).toLowerCase().includes(wanted)
  let seen = false
  for (const { kind, contentStart, contentEnd, spans } of turns.toReversed()) {
    const spliced = spans.filter(({ part }) => part === 'tool')
    if (kind !== 'assistant') {
      seen ||= holds(contentStart, contentEnd)
      continue
    }
    let from = contentStart
    for (const { start, end } of [...spliced, { start: contentEnd, end: contentEnd }]) {
      if (holds(from, start)) return 'model'
      from = end
    }
    seen ||= spliced.some(({ start, end }) => holds(start, end))
  }
  return seen ? 'environment' : 'nowhere'
}

function afterPrompt({ turns }: Segmentation) {
  const first = turns.findIndex(({ kind }) => kind === 'assistant')
  return first < 0 ? [] : turns.slice(first)
}
