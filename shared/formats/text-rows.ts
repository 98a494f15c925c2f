import { Hash64 } from '../model/hash.ts'
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

/** What decoding left of a prompt and its completion: the one a user's, the other an assistant's, whatever turns they once held. */
export function textMessages(prompt: string | null, completion: string | null): Message[] | null {
  if (prompt === null && completion === null) return null
  return [
    ...(prompt === null ? [] : [{ role: 'user', content: prompt }]),
    ...(completion === null ? [] : [{ role: 'assistant', content: completion }]),
  ]
}

/** Rollouts of one prompt in one step, where a dump has no key for its groups: `12/1f3a…`, the step and a hash of the prompt. */
export function groupOfPrompt(step: number | null, prompt: string | null): string | null {
  return prompt === null ? null : `${step ?? ''}/${new Hash64().text(prompt).digest()}`
}
