import { Hash64 } from '../model/hash.ts'
import { SPLICE_TAGS } from '../model/tokens.ts'
import type { Message } from '../model/trajectory.ts'
import type { Format } from './format.ts'

/** Of every format that holds texts and no ids: there is no mask to align, and nothing that a token could be scored with. */
export const TEXT_ONLY = {
  numericKeys: [],
  policy: null,
  maskAlignment: null,
  unsampledLogprob: null,
  maskImplied: false,
  groupsByOrder: false,
} as const satisfies Partial<Format>

/**
 * What decoding left of a prompt and its completion: the one a user's, the other an assistant's, whatever turns they once held. Only a
 * completion that is one turn for certain is a message like any other.
 */
export function textMessages(prompt: string | null, completion: string | null): Message[] | null {
  if (prompt === null && completion === null) return null
  const isOneTurn = prompt !== null && completion !== null && holdsOneTurn(prompt, completion)
  return [
    ...(prompt === null ? [] : [{ role: 'user', content: prompt, flattened: true } as const]),
    ...(completion === null
      ? []
      : [{ role: 'assistant', content: completion, ...(isOneTurn ? {} : ({ flattened: true } as const)) }]),
  ]
}

/** Behind the header a template may open a thought, or close an empty one. */
const THOUGHT = '(?:<think>\\s*(?:</think>\\s*)?)?$'
/** By what templates open a reply, as it stands at the end of a prompt, and what stands in a completion where they do so again. */
const REPLY_HEADERS: readonly (readonly [atEnd: RegExp, again: RegExp])[] = [
  [/<\|im_start\|>assistant\n/, /<\|im_start\|>/],
  [/<\|start_header_id\|>assistant<\|end_header_id\|>\n\n/, /<\|start_header_id\|>/],
  [/<start_of_turn>model\n/, /<start_of_turn>/],
  // Of ChatML and Gemma without special tokens a line is left, of Llama 3 a word behind the turn before.
  [/(?:^|\n)assistant\n/, /(?:^|\n)assistant\s*(?:\n|$)/],
  [/(?:^|\n)model\n/, /(?:^|\n)model\s*(?:\n|$)/],
  [/assistant\n\n/, /assistant\s*(?:\n\n|$)/],
].map(([atEnd, again]) => [new RegExp(`${(atEnd as RegExp).source}${THOUGHT}`), again as RegExp])

/** The tags that templates and environments put around what a tool answered. */
export const REPLY_TAG = new RegExp(`<(?:tool_response|${SPLICE_TAGS.join('|')})>`)

/** The template leaves words that open a reply, which stand in the completion no second time, and nothing in it is marked as a tool's. */
function holdsOneTurn(prompt: string, completion: string): boolean {
  const header = REPLY_HEADERS.find(([atEnd]) => atEnd.test(prompt))
  return header !== undefined && !header[1].test(completion) && !REPLY_TAG.test(completion)
}

/** A role on a line of its own, or, as Llama 3 leaves it, directly behind the turn before: behind a blank the word belongs to a sentence. */
const ROLE_LINE =
  /(?:^|\n)(?:user|assistant|tool|model)\n|(?<=^|[\n\p{L}\p{N}.!?…。！？)\]}>"'”’])(?:user|assistant|ipython|tool)\n\n/u
const CONTROL_TOKEN = /<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>/

/** A reply that was decoded whole holds lines and tags that look like other turns, or like what a tool answered. */
export function holdsFlattenedTurns(messages: readonly Message[] | null): boolean {
  return (messages ?? []).some(
    ({ role, content, flattened }) =>
      flattened === true &&
      role === 'assistant' &&
      content !== null &&
      [REPLY_TAG, CONTROL_TOKEN, ROLE_LINE].some((pattern) => pattern.test(content)),
  )
}

/** Rollouts of one prompt in one step, where a dump has no key for its groups: `12/1f3a…`, the step and a hash of the prompt. */
export function groupOfPrompt(step: number | null, prompt: string | null): string | null {
  return prompt === null ? null : `${step ?? ''}/${new Hash64().text(prompt).digest()}`
}
