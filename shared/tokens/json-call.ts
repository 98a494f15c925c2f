import { decodeSpan, tokenTexts } from './text.ts'
import type { TokenTable } from './tokenizer.ts'

/** How a call begins that is JSON and has no tag, as Llama writes them. */
const OPENING = /\{\s*"(?:type"\s*:\s*"function"\s*,\s*"name|name)"\s*:/g
const ARGUMENTS = /"(?:parameters|arguments)"\s*:/
const OPENING_TOKENS = 12

/** A turn that is one call without tags: a JSON object with a name, and parameters as far as it goes. */
export function isJsonCall(
  table: TokenTable,
  ids: Int32Array,
  { contentStart, contentEnd, closed }: { contentStart: number; contentEnd: number; closed: boolean },
): boolean {
  const opening = decodeSpan(table, ids, contentStart, Math.min(contentEnd, contentStart + OPENING_TOKENS)).trimStart()
  if (opening.search(OPENING) !== 0) return false
  return !closed || ARGUMENTS.test(decodeSpan(table, ids, contentStart, contentEnd))
}

/**
 * The token with which such a call begins behind other words, between `start` and `end`; -1 where there is none. For what a reply of a tool answers: an
 * answer may quote a call, or be JSON itself.
 */
export function callBehindProse(table: TokenTable, ids: Int32Array, start: number, end: number): number {
  if (
    !decodeSpan(table, ids, Math.max(start, end - CLOSING_TOKENS), end)
      .trimEnd()
      .endsWith('}')
  )
    return -1
  const at = jsonCallAt(decodeSpan(table, ids, start, end))
  if (at < 0) return -1
  const { textOffsets } = tokenTexts(table, ids.subarray(start, end))
  let token = 0
  while ((textOffsets[token + 1] as number) <= at) token++
  return start + token
}

/** A brace and the white space behind it. */
const CLOSING_TOKENS = 4

/** Where the calls begin with which a text ends, and that are whole; -1 where it ends with none. */
export function jsonCallAt(text: string): number {
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
