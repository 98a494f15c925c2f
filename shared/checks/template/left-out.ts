import { roleKind } from '../../model/roles.ts'
import type { Turn } from '../../model/tokens.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import type { TrajectoryView } from '../check.ts'
import { normalised } from '../texts/normalised-text.ts'
import { callsOfMessage, canonicalCall, type MessageCall, PYTHON_TAG, proseOfMessage } from './message-calls.ts'
import type { PairedTurn } from './paired-turns.ts'
import { promptTools } from './prompt-tools.ts'

/** Llama's template writes one bare call, and nothing beside it: T13 tells what it leaves out. */
export function writesOneBareCall({ tokenizer }: TrajectoryView): boolean {
  return tokenizer?.frame?.style === 'llama' && learnedTemplateOf(tokenizer)?.parallelCalls === false
}

/**
 * Whether a turn lacks the call that its message has: a tool answers it in the ids as in the messages, the prompt describes the tools, and nothing that
 * is asked of the tool stands in the turn. A call in another syntax would hold that.
 */
export function lacksCall(view: TrajectoryView, { turn, message, index }: PairedTurn): boolean {
  if (!isWhole(turn) || turn.spans.some(({ part }) => part === 'tool_call')) return false
  const calls = callsOfMessage(message)
  if (calls.length === 0 || !isAnswered(view, turn, index) || promptTools(view)?.state !== 'described') return false
  const there = wordsOf(view, turn)
  // Another text than the message's would prove nothing.
  return there.includes(opening(view, proseOfMessage(message))) && !calls.some((call) => isNamed(there, call, view))
}

/**
 * Whether a turn holds nothing but the calls of its message, which says something before them that the turn has nowhere. A message that only repeats
 * what the calls ask is not the model's own words.
 */
export function lacksProse(view: TrajectoryView, { turn, message }: PairedTurn): boolean {
  const calls = turn.spans.filter(({ part }) => part === 'tool_call')
  if (!isWhole(turn) || calls.length === 0 || calls.some(({ closed }) => !closed) || !isCallsAlone(view, turn))
    return false
  const prose = proseOfMessage(message)
  const said = normalised(prose)
  if (said === '' || wordsOf(view, turn).includes(opening(view, prose))) return false
  const own = callsOfMessage(message)
  const isSame = calls.every((call, i) => own[i]?.canonical === canonicalOf(callText(view.text(call))))
  return isSame && own.length === calls.length && !own.some((call) => isRepeated(said, call))
}

/** A call without its tags. */
export function callText(text: string): string {
  return text
    .replace(/^\s*<tool_call>/, '')
    .replace(/<\/tool_call>\s*$/, '')
    .replace(PYTHON_TAG, '')
    .trim()
}

/** A turn that is cut may have lost anything. */
function isWhole({ header, endToken }: Turn): boolean {
  return header === 'present' && endToken >= 0
}

/** The next turn is the reply that the next message is. */
function isAnswered(view: TrajectoryView, turn: Turn, index: number): boolean {
  const reply = view.segmentation?.turns[turn.index + 1]
  const message = view.trajectory.messages?.[index + 1]
  if (reply?.kind !== 'tool' || message === undefined || roleKind(message.role) !== 'tool') return false
  const said = opening(view, message.content ?? '')
  return said !== '' && normalised(view.text({ start: reply.contentStart, end: reply.contentEnd })).includes(said)
}

/** Whatever the turn holds that names the call: a word of its arguments, or its name where they have none. */
function isNamed(there: string, { name, values }: MessageCall, view: TrajectoryView): boolean {
  const asked = values.map((value) => opening(view, value)).filter((value) => value !== '')
  if (asked.length > 0) return asked.some((value) => there.includes(value))
  return name === null || ` ${there} `.includes(` ${normalised(name)} `)
}

function isRepeated(said: string, { name, values }: MessageCall): boolean {
  const asked = values.map(normalised).filter((value) => value !== '')
  if (asked.length > 0) return asked.every((value) => said.includes(value))
  return name === null || ` ${said} `.includes(` ${normalised(name)} `)
}

/** Nothing but white space stands beside thought and calls. */
function isCallsAlone(view: TrajectoryView, { contentStart, contentEnd, spans }: Turn): boolean {
  let at = contentStart
  for (const { part, start, end } of spans) {
    if (part !== 'tool_call' && part !== 'think') continue
    if (!isBlank(view, at, start)) return false
    at = Math.max(at, end)
  }
  return isBlank(view, at, contentEnd)
}

function isBlank(view: TrajectoryView, start: number, end: number): boolean {
  return end <= start || (end - start <= MOST_BLANKS && view.text({ start, end }).trim() === '')
}

/** Tokens; no template writes so many between thought and calls, and words are not decoded for it. */
const MOST_BLANKS = 4

function canonicalOf(text: string): string | null {
  try {
    return canonicalCall(JSON.parse(text))
  } catch {
    return null
  }
}

function wordsOf(view: TrajectoryView, { headerEnd, contentEnd }: Turn): string {
  return normalised(view.text({ start: headerEnd, end: contentEnd }))
}

function opening(view: TrajectoryView, text: string): string {
  return normalised(text).slice(0, view.thresholds['looked-up-characters']).trim()
}
