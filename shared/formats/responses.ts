import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, ToolCall } from '../model/trajectory.ts'
import { isObject } from './fields.ts'
import { argumentsText, contentText, firstText } from './messages.ts'

/** Messages of a Responses conversation, and how many of them there were once each item had been taken in. */
export interface Conversation {
  readonly messages: Message[]
  /** `lengths[i]` messages stood after item i, the one it belongs to included. */
  readonly lengths: number[]
}

interface Pending {
  content: string | null
  reasoning: string | null
  toolCalls: ToolCall[]
}

/**
 * OpenAI Responses items as chat messages: the reasoning, text and function calls that stand together are one assistant
 * message, as the model wrote them. `endsCall(item)` says that the model had finished after an item.
 */
export function conversationOf(items: readonly JsonValue[], endsCall: (item: JsonObject) => boolean): Conversation {
  const messages: Message[] = []
  const lengths: number[] = []
  let pending: Pending | null = null
  const flush = () => {
    if (pending === null) return
    const { content, reasoning, toolCalls } = pending
    messages.push({
      role: 'assistant',
      content,
      ...(reasoning === null ? {} : { reasoning }),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    })
    pending = null
  }
  const assistant = (): Pending => {
    pending ??= { content: null, reasoning: null, toolCalls: [] }
    return pending
  }
  for (const item of items) {
    if (isObject(item)) {
      const type = item.type ?? 'message'
      if (type === 'reasoning') {
        if (wroteSomething(pending)) flush()
        const message = assistant()
        message.reasoning = (message.reasoning ?? '') + reasoningText(item)
      } else if (type === 'function_call') {
        assistant().toolCalls.push({
          id: firstText(item, ['call_id', 'id']),
          name: firstText(item, ['name']) ?? '',
          arguments: argumentsText(item.arguments ?? null),
        })
      } else if (type === 'message' && item.role === 'assistant') {
        if (wroteSomething(pending)) flush()
        assistant().content = contentText(item.content ?? null)
      } else if (type === 'function_call_output') {
        flush()
        const toolCallId = firstText(item, ['call_id'])
        messages.push({
          role: 'tool',
          content: contentText(item.output ?? null),
          ...(toolCallId === null ? {} : { toolCallId }),
        })
      } else if (type === 'message' && typeof item.role === 'string') {
        flush()
        messages.push({ role: item.role, content: contentText(item.content ?? null) })
      }
      if (endsCall(item)) flush()
    }
    lengths.push(messages.length + (pending === null ? 0 : 1))
  }
  flush()
  return { messages, lengths }
}

function wroteSomething(pending: Pending | null): boolean {
  return pending !== null && (pending.content !== null || pending.toolCalls.length > 0)
}

function reasoningText(item: JsonObject): string {
  const content = contentText(item.content ?? null)
  return content === null || content === '' ? (contentText(item.summary ?? null) ?? '') : content
}
