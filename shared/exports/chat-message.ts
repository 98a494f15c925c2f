import type { Message, ToolCall } from '../model/trajectory.ts'

/** A message in the shape of the chat APIs; `callArguments` says how the arguments of a call are written, as their own text by default. */
export function chatMessage(
  message: Message,
  callArguments: (call: ToolCall) => unknown = ({ arguments: text }) => text,
): Record<string, unknown> {
  return {
    role: message.role,
    content: message.content,
    reasoning_content: message.reasoning ?? undefined,
    tool_calls: message.toolCalls?.map((call) => ({
      id: call.id ?? undefined,
      type: 'function',
      function: { name: call.name, arguments: callArguments(call) },
    })),
    tool_call_id: message.toolCallId ?? undefined,
    name: message.name ?? undefined,
  }
}

/** More digits than a double keeps. */
const LONG_NUMBER = /\d{16}/

/**
 * Arguments as the object that chat templates render (Transformers, "Tool use"): a template turns text into a quoted string. Text that
 * is no JSON object, or whose numbers would change, stays as it is.
 */
export function argumentsObject({ arguments: text }: ToolCall): unknown {
  if (LONG_NUMBER.test(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}
