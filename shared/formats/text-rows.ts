import { Hash64 } from '../model/hash.ts'
import type { Message } from '../model/trajectory.ts'

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
