import type { Report, RolloutFilter } from '../../shared/model/report.ts'
import type { LimitName } from '../../shared/model/streams.ts'
import { count, counted } from './numbers.ts'

type LengthRange = NonNullable<RolloutFilter['lengths']>[number]

const LENGTH_WORDS: Readonly<Record<LengthRange['of'], string>> = {
  sequence: 'whole rollout',
  prompt: 'prompt',
  completion: 'completion',
  'assistant-turn': 'an assistant turn',
  'tool-reply': 'a tool reply',
}

const LIMIT_OF: Readonly<Record<LengthRange['of'], LimitName>> = {
  sequence: 'max_seq_len',
  prompt: 'max_prompt_length',
  completion: 'max_completion_length',
  'assistant-turn': 'max_completion_length',
  'tool-reply': 'max_tool_response_length',
}

const END_WORDS: Readonly<Record<NonNullable<RolloutFilter['end']>, string>> = {
  stop: 'a proper end',
  'cut-prose': 'an end in prose',
  'cut-call': 'an end in a tool call',
  'cut-reply': 'an end in or before a tool reply',
  'prompt-only': 'a prompt alone',
  unknown: 'an end that is not known',
}

/** What a filter keeps: `within 10 tokens of a limit`, `lost text`, `prompt of 1,000–1,199 tokens`. */
export function filterWords(where: RolloutFilter, limits: Report['limits'] | null): string {
  const parts: string[] = []
  if (where.lengths !== undefined) parts.push(lengthsWords(where.lengths, limits))
  if (where.left !== undefined) parts.push(leftWords(where.left))
  if (where.end !== undefined) parts.push(END_WORDS[where.end])
  if (where.assistantTurns !== undefined) parts.push(`${counted(where.assistantTurns, 'assistant turn')} or more`)
  if (where.lostText) parts.push('lost text')
  if (where.documentsHidden) parts.push('supporting documents hidden')
  return parts.join(' and ')
}

function leftWords(left: NonNullable<RolloutFilter['left']>): string {
  return [...new Set(left.map(({ atMost }) => nearWords(atMost)))].join(' or ')
}

function nearWords(distance: number): string {
  return distance === 0 ? 'at a limit or beyond' : `within ${counted(distance, 'token')} of a limit`
}

function lengthsWords(lengths: readonly LengthRange[], limits: Report['limits'] | null): string {
  // How far below a limit counts as near it can be set: what is the same for all of them is that distance.
  const distances = lengths.map(({ of, atLeast, below }) => {
    const limit = limits?.[LIMIT_OF[of]]?.value
    return below === undefined && limit !== undefined && atLeast <= limit ? limit - atLeast : null
  })
  const [near] = distances
  if (near !== undefined && near !== null && distances.every((distance) => distance === near)) {
    return nearWords(near)
  }
  return lengths.map((range) => `${LENGTH_WORDS[range.of]} of ${rangeWords(range)}`).join(' or ')
}

/** `1,000–1,199 tokens`, `4,086 tokens or more`. */
export function rangeWords({ atLeast, below }: LengthRange): string {
  if (below === undefined) return `${counted(atLeast, 'token')} or more`
  return below - atLeast <= 1 ? counted(atLeast, 'token') : `${count(atLeast)}–${counted(below - 1, 'token')}`
}
