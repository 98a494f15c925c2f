import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, ToolCall } from '../model/trajectory.ts'
import { type Fields, isObject, kindOf } from './fields.ts'
import { listIn } from './json-text.ts'

/**
 * Chat messages in any of the layouts that dumps hold: `content` as a text or as a list of parts, tool calls nested as
 * OpenAI writes them, flat, or as JSON in a text; and all of them as JSON in one text, as columns of texts have them. Null, with an issue, where it is no list of messages: a list with a hole would mislead.
 */
export function readMessages(fields: Fields, key: string): Message[] | null {
  const value = fields.take(key)
  if (value === null) return null
  const messages = messagesOf(value)
  if (messages === null) fields.issue('bad-type', key, `${key} is ${kindOf(value)}, but not one of chat messages only`)
  return messages
}

export function messagesOf(value: JsonValue): Message[] | null {
  const list = typeof value === 'string' ? messagesIn(value) : value
  if (!Array.isArray(list)) return null
  const messages: Message[] = []
  for (const entry of list) {
    const message = isObject(entry) ? messageOf(entry) : null
    if (message === null) return null
    messages.push(message)
  }
  return messages
}

/** A text that a person or a model wrote may be JSON as well: every entry must be a message in full, and there must be one. */
function messagesIn(text: string): JsonValue[] | null {
  const list = /^\s*\[\s*\{/.test(text) ? listIn(text) : null
  const isWhole = (entry: JsonValue) =>
    isObject(entry) && typeof entry.role === 'string' && SAID.some((key) => Object.hasOwn(entry, key))
  return list?.every(isWhole) ? list : null
}

/** What a message says, or that it calls. */
const SAID = ['content', 'tool_calls'] as const

export function messageOf(entry: JsonObject): Message | null {
  const { role } = entry
  if (typeof role !== 'string') return null
  const reasoning = firstText(entry, ['reasoning_content', 'reasoning', 'thinking'])
  const toolCalls = toolCallsOf(entry.tool_calls ?? null)
  const toolCallId = firstText(entry, ['tool_call_id'])
  const name = firstText(entry, ['name'])
  const finishReason = firstText(entry, ['finish_reason'])
  return {
    role,
    content: contentText(entry.content ?? null),
    ...(reasoning === null ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(toolCallId === null ? {} : { toolCallId }),
    ...(entry.flattened === true ? { flattened: true } : {}),
    ...(finishReason === null ? {} : { finishReason }),
    ...(name === null ? {} : { name }),
  }
}

/** The text of a message's content; parts that are no text (images) have none. */
export function contentText(content: JsonValue): string | null {
  if (content === null || typeof content === 'string') return content
  if (!Array.isArray(content)) return isObject(content) ? partText(content) : String(content)
  return content.map(partText).join('')
}

function partText(part: JsonValue): string {
  if (typeof part === 'string') return part
  if (!isObject(part)) return ''
  return firstText(part, ['text', 'content', 'refusal']) ?? ''
}

function toolCallsOf(value: JsonValue): ToolCall[] {
  const list = typeof value === 'string' ? parsed(value) : value
  if (!Array.isArray(list)) return []
  const calls: ToolCall[] = []
  for (const entry of list) {
    const call = typeof entry === 'string' ? parsed(entry) : entry
    if (!isObject(call)) continue
    const inner = isObject(call.function) ? call.function : call
    calls.push({
      id: firstText(call, ['id']),
      // Inspect has the name where others have an object.
      name: firstText(inner, ['name', 'function']) ?? '',
      arguments: argumentsText(inner.arguments ?? null),
    })
  }
  return calls
}

export function argumentsText(value: JsonValue): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
}

/** JSON inside a text, null where it is none. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return null
  }
}

export function firstText(object: JsonObject, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = object[key]
    if (typeof value === 'string') return value
  }
  return null
}
