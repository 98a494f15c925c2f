import type { Message } from '../model/trajectory.ts'
import type { Fields } from './fields.ts'
import { messagesOf, readMessages } from './messages.ts'

/** Prompt and completion as one conversation; a completion model's plain texts are a user's and an assistant's, unless they are messages as JSON. */
export function readConversation(fields: Fields): Message[] | null {
  const prompt = readSide(fields, 'prompt', 'user')
  const completion = readSide(fields, 'completion', 'assistant')
  return prompt === null && completion === null ? null : [...(prompt ?? []), ...(completion ?? [])]
}

function readSide(fields: Fields, key: string, role: string): Message[] | null {
  const value = fields.take(key)
  return typeof value === 'string' ? (messagesOf(value) ?? [{ role, content: value }]) : readMessages(fields, key)
}
