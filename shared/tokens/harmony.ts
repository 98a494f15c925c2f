import { roleKind } from '../model/roles.ts'
import type { SubSpan } from '../model/tokens.ts'
import { type FrameLookup, Mark } from './frame-lookup.ts'
import type { Header } from './header.ts'
import { decodeSpan } from './text.ts'
import type { MessageTokens } from './tokenizer.ts'

/** No role is longer: `functions.get_current_weather to=assistant`. */
const MOST_ROLE_TOKENS = 48

/**
 * The header of a message in OpenAI's harmony format. The model's ends with its role: what follows, channel, recipient and `<|message|>`, the model writes
 * itself behind the generation prompt. Those of others go through `<|message|>`; names that are no role are tools, which answer under their own.
 */
export function readHarmonyHeader(lookup: FrameLookup, ids: Int32Array, start: number, limit: number): Header {
  const { table, marks } = lookup
  const { channel, message } = lookup.frame.messages as MessageTokens
  const last = Math.min(limit, start + 1 + MOST_ROLE_TOKENS)
  let at = start + 1
  let role = ''
  for (; at < last; at++) {
    const id = ids[at] as number
    if (id === channel || id === message || (marks[id] ?? 0) & (Mark.turnStart | Mark.turnEnd)) break
    role += decodeSpan(table, ids, at, at + 1)
    if (role.trim() === 'assistant') return { role: 'assistant', end: at + 1, complete: true }
  }
  const [name] = role.trim().split(/\s/, 1) as [string]
  const spelt = name === '' || roleKind(name) !== 'other' ? name : 'tool'
  if (at === limit) return { role: spelt, end: at, complete: false }
  if (at === last) return { role: '', end: start + 1, complete: true }
  const closing = ids.subarray(at, last).indexOf(message)
  return { role: spelt, end: closing < 0 ? at : at + closing + 1, complete: true }
}

/**
 * Where the model's turn goes on behind a message that ends at token `at` and began at token `from`: after the header of its next message, which it sampled as
 * well; at the end of the row, where only a thought has ended; -1 where the turn ends.
 */
export function resumedAt(lookup: FrameLookup, ids: Int32Array, from: number, at: number, limit: number): number {
  const { end } = lookup.frame.messages as MessageTokens
  if (ids[at] !== end || isFinal(lookup, ids, from, at)) return -1
  if (at + 1 === limit) return limit
  if (!((lookup.marks[ids[at + 1] as number] ?? 0) & Mark.turnStart)) return -1
  const header = readHarmonyHeader(lookup, ids, at + 1, limit)
  return header.role === 'assistant' ? header.end : -1
}

/** An answer to the user, or a message without a channel: behind a thought, a preamble and a plan the model goes on. */
function isFinal(lookup: FrameLookup, ids: Int32Array, from: number, end: number): boolean {
  const { channel, message } = lookup.frame.messages as MessageTokens
  const opening = ids.subarray(from, end).indexOf(channel)
  if (opening < 0) return true
  const closing = ids.subarray(from + opening, end).indexOf(message)
  const name = decodeSpan(lookup.table, ids, from + opening + 1, from + opening + (closing < 0 ? 1 : closing))
  return name.trimStart().startsWith('final')
}

/** Thoughts with their channel, and the arguments of calls, in a turn of the model that may hold several messages. */
export function harmonySpans(
  lookup: FrameLookup,
  ids: Int32Array,
  {
    contentStart,
    contentEnd,
    closed,
  }: { readonly contentStart: number; readonly contentEnd: number; readonly closed: boolean },
): SubSpan[] {
  const { message, end } = lookup.frame.messages as MessageTokens
  const spans: SubSpan[] = []
  for (let from = contentStart; from < contentEnd; ) {
    const length = ids.subarray(from, contentEnd).indexOf(end)
    const to = length < 0 ? contentEnd : from + length
    const opening = ids.subarray(from, to).indexOf(message)
    const header = decodeSpan(lookup.table, ids, from, opening < 0 ? to : from + opening)
    const isClosed = length >= 0 || closed
    if (/\bto=/.test(header)) {
      const start = opening < 0 ? from : from + opening + 1
      if (to > start) spans.push({ part: 'tool_call', start, end: to, closed: isClosed })
    } else if (header.includes('analysis')) {
      spans.push({ part: 'think', start: from, end: Math.min(to + 1, contentEnd), closed: isClosed })
    }
    from = to + 1
  }
  return spans
}
