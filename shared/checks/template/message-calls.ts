import { enclosed } from '../../model/enclosed.ts'
import type { Message } from '../../model/trajectory.ts'

/** A call that a message holds. */
export interface MessageCall {
  /** Null where it is not known. */
  readonly name: string | null
  /** Texts among its arguments, however deep; the call as it is written where it cannot be read. */
  readonly values: readonly string[]
  /** As `canonicalCall` has it; null where it cannot be read. */
  readonly canonical: string | null
}

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

export const PYTHON_TAG = /^<\|python_tag\|>/

/** The calls as the model wrote them, where the message keeps its text: with the tags, or as Llama writes them, the call alone. */
export function rawCalls(content: string): string[] {
  const bare = content.trim().replace(PYTHON_TAG, '').trim()
  if (bare.startsWith('{') && bare.endsWith('}')) return [bare]
  return Array.from(enclosed(content, OPEN, CLOSE), ({ start, end }) =>
    content.slice(start + OPEN.length, end - CLOSE.length).trim(),
  )
}

/** The calls of a message: those that its text holds, else those that somebody parsed. */
export function callsOfMessage({ content, toolCalls }: Message): MessageCall[] {
  const raw = rawCalls(content ?? '')
  if (raw.length > 0) return raw.map(readCall)
  return (toolCalls ?? []).map((call) => {
    const value = { name: call.name, arguments: parsed(call.arguments) }
    return { name: call.name, values: textsIn(value.arguments), canonical: canonicalCall(value) }
  })
}

/** What a message says beside its thought and its calls. */
export function proseOfMessage({ content }: Message): string {
  const text = content ?? ''
  const close = text.lastIndexOf('</think>')
  const said = close < 0 ? text : text.slice(close + '</think>'.length)
  if (rawCalls(said).length === 0) return said.trim()
  let prose = ''
  let at = 0
  for (const { start, end } of enclosed(said, OPEN, CLOSE)) {
    prose += said.slice(at, start)
    at = end
  }
  // A call alone has no tags.
  return at === 0 ? '' : (prose + said.slice(at)).trim()
}

function readCall(text: string): MessageCall {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) return { name: null, values: [text], canonical: null }
  const { name, arguments: args, parameters } = value as Record<string, unknown>
  return {
    name: typeof name === 'string' ? name : null,
    values: textsIn(typeof args === 'string' ? parsed(args) : (args ?? parameters)),
    canonical: canonicalCall(value),
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** JSON with sorted keys; arguments that are JSON inside a text count as what they hold. */
export function canonicalCall(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalCall).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, entry]): [string, string] => [
      key,
      canonicalCall((key === 'arguments' || key === 'parameters') && typeof entry === 'string' ? parsed(entry) : entry),
    ])
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => `${JSON.stringify(key)}:${entry}`)
      .join(',')}}`
  }
  return JSON.stringify(value)
}

/** Whether two calls mean the same. */
export function isSameCall(a: string, b: string): boolean {
  try {
    return canonicalCall(JSON.parse(a)) === canonicalCall(JSON.parse(b))
  } catch {
    return false
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
