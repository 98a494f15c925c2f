import type { Span } from '../model/tokens.ts'
import { decodeSpan, tokenTexts } from './text.ts'
import type { TokenTable } from './tokenizer.ts'

/** How a call begins that is JSON and has no tag, as Llama writes them. */
const OPENING = /\{\s*"(?:type"\s*:\s*"function"\s*,\s*"name|name)"\s*:/g
const ARGUMENTS = /"(?:parameters|arguments)"\s*:/
const OPENING_TOKENS = 12

interface JsonTurn {
  readonly contentStart: number
  readonly contentEnd: number
  /** It has its end token. */
  readonly closed: boolean
  /** A reply of a tool follows. */
  readonly answered: boolean
}

/** A turn that is one call without tags: a JSON object with a name, and parameters as far as it goes; what a tool answers needs none. */
export function isJsonCall(
  table: TokenTable,
  ids: Int32Array,
  { contentStart, contentEnd, closed, answered }: JsonTurn,
): boolean {
  const opening = decodeSpan(table, ids, contentStart, Math.min(contentEnd, contentStart + OPENING_TOKENS)).trimStart()
  if (opening.search(OPENING) !== 0) return false
  return !closed || answered || ARGUMENTS.test(decodeSpan(table, ids, contentStart, contentEnd))
}

/**
 * The tokens of such a call behind other words, between `start` and `end`; null where there is none. For what a reply of a tool answers: an answer may
 * quote a call, or be JSON itself. One in a code block is looked for only where that is sure, since answers quote in these.
 */
export function callBehindProse(
  table: TokenTable,
  ids: Int32Array,
  { start, end }: Span,
  isAnswered: boolean,
): Span | null {
  const closing = decodeSpan(table, ids, Math.max(start, end - CLOSING_TOKENS), end).trimEnd()
  if (!closing.endsWith('}') && !(isAnswered && closing.endsWith(FENCE))) return null
  const text = decodeSpan(table, ids, start, end)
  const found = jsonCallIn(text)
  if (found === null) return null
  const { textOffsets } = tokenTexts(table, ids.subarray(start, end))
  let first = 0
  while ((textOffsets[first + 1] as number) <= found.start) first++
  if (found.end === text.length) return { start: start + first, end }
  let behind = first
  while ((textOffsets[behind] as number) < found.end) behind++
  return { start: start + first, end: start + behind }
}

/** A brace, or the end of a code block behind one, and white space. */
const CLOSING_TOKENS = 4

/** What opens and closes a block of code. */
const FENCE = '```'
const FENCE_BEHIND = /\s*```\s*$/
const FENCE_BEFORE = /```(?:json)?\s*$/i
/** No fence with the white space behind it is longer. */
const FENCE_CHARACTERS = 16

/** The calls with which a text ends, and that are whole, alone or in a code block of JSON; null where it ends with none. */
export function jsonCallIn(text: string): Span | null {
  const fence = FENCE_BEHIND.exec(text)
  const end = fence?.index ?? text.length
  const start = jsonCallAt(text.slice(0, end))
  const isFenced = () => FENCE_BEFORE.test(text.slice(Math.max(0, start - FENCE_CHARACTERS), start))
  return start < 0 || (fence !== null && !isFenced()) ? null : { start, end }
}

function jsonCallAt(text: string): number {
  let tried = 0
  for (const { index } of text.matchAll(OPENING)) {
    if (tried++ === MOST_TRIED) return -1
    // A program that the interpreter runs may keep such an object.
    if (!/=\s*$/.test(text.slice(Math.max(0, index - 8), index)) && areCalls(text.slice(index))) return index
  }
  return -1
}

/** Text that quotes more calls than this is not looked through further. */
const MOST_TRIED = 16

/** Several calls are parted by a semicolon or a line. */
function areCalls(text: string): boolean {
  return isCall(text) || text.split(/;\s*(?=\{)|\n\s*(?=\{)/).every(isCall)
}

function isCall(json: string): boolean {
  if (!ARGUMENTS.test(json)) return false
  try {
    const call: unknown = JSON.parse(json)
    return typeof call === 'object' && call !== null && ('parameters' in call || 'arguments' in call)
  } catch {
    return false
  }
}
