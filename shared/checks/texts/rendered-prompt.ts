import { roleKind } from '../../model/roles.ts'
import type { Message } from '../../model/trajectory.ts'
import { LONGEST_PREFILL } from '../oracles/prompt-end.ts'
import { openingOf } from './prompt-opening.ts'

/** What a template wrote into a prompt that was decoded whole. */
export interface RenderedPrompt {
  readonly system: string | null
  readonly question: string
  /** What stands behind the header of the model's turn; null where the prompt has no such header. */
  readonly prefill: string | null
}

/** Turns as ChatML and Llama 3 write them, and the header of the model's, with their special tokens. */
const WITH_SPECIAL_TOKENS = [
  [/<\|im_start\|>(\w+)\n([\s\S]*?)<\|im_end\|>/g, /<\|im_start\|>assistant\n([^|]*)$/],
  [
    /<\|start_header_id\|>(\w+)<\|end_header_id\|>\n\n([\s\S]*?)<\|eot_id\|>/g,
    /<\|start_header_id\|>assistant<\|end_header_id\|>\n\n([^|]*)$/,
  ],
] as const

/**
 * Turns that were decoded without their special tokens: of a header the name of its role is left. ChatML has it on a line of its own; Llama 3 puts
 * it behind the last word of the turn before, and a blank line behind it.
 */
const WITHOUT_SPECIAL_TOKENS = [
  {
    prompt: /^(?:system\n([\s\S]*?)\n)?user\n([\s\S]*)\nassistant\n([\s\S]*)$/,
    question: /(?:^|\n)user\n/g,
    answer: /\nassistant\n/g,
  },
  {
    prompt: /^(?:system\n\n([\s\S]*?))?user\n\n([\s\S]*)assistant\n\n([\s\S]*)$/,
    question: /user\n\n/g,
    answer: /assistant\n\n/g,
  },
] as const

/** Null where a prompt asks several questions: which of them is the rollout's, its text does not tell. */
export function renderedIn(content: string): RenderedPrompt | null {
  for (const [pattern, header] of WITH_SPECIAL_TOKENS) {
    const turns = [...content.matchAll(pattern)].map(([, role = '', text = '']) => ({ kind: roleKind(role), text }))
    const [question, ...more] = turns.filter(({ kind }) => kind === 'user')
    if (question === undefined || more.length > 0) continue
    const system = turns.find(({ kind }) => kind === 'system')?.text ?? null
    return { system, question: question.text, prefill: header.exec(content)?.[1] ?? null }
  }
  return withoutSpecialTokens(content)
}

/** What reads as a header may stand in the question: then the prompt is left whole. */
function withoutSpecialTokens(content: string): RenderedPrompt | null {
  if (!/^(?:system|user)\n/.test(content)) return null
  for (const headers of WITHOUT_SPECIAL_TOKENS) {
    const isOnce = (header: RegExp) => content.match(header)?.length === 1
    if (!isOnce(headers.question) || !isOnce(headers.answer)) continue
    const found = headers.prompt.exec(content)
    if (found === null) continue
    const [, system = null, question = '', prefill = ''] = found
    return { system, question, prefill }
  }
  return null
}

/** As `promptOpening` tells it of ids. */
export function flatOpening({ prefill }: RenderedPrompt, messages: readonly Message[] | null): string | null {
  const answer = messages?.find(({ role }) => roleKind(role) === 'assistant')?.content ?? null
  if (prefill === null || answer === null) return null
  return openingOf(prefill, answer.slice(0, CHARACTERS))
}

/** More than a prefill of so many tokens has. */
const CHARACTERS = 16 * LONGEST_PREFILL
