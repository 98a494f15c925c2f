import type { Span } from '../../model/tokens.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import { lookAt } from './reply-tokens.ts'

/** How much of a tool reply there is, as its environment counts: without what the template makes of it. */
export interface TextSize {
  readonly tokens: number
  /** Code points, as Python counts. */
  readonly characters: number
  /** Its first and its last byte, -1 where it has none. */
  readonly first: number
  readonly last: number
}

const [QUOTE, BACKSLASH, NEWLINE, BLANK, NOT_ASCII] = [0x22, 0x5c, 0x0a, 0x20, 0x80]
const [SMALL_A, SMALL_N, SMALL_R, SMALL_T, SMALL_U, SMALL_Z] = [0x61, 0x6e, 0x72, 0x74, 0x75, 0x7a]
/** Hex digits of an escaped character. */
const HEX_DIGITS = 4

/**
 * The size of a text in the ids. One between quotes is a JSON string, as which Llama's template writes a reply: neither its quotes nor the
 * backslashes of its escapes are counted, which take a token each. A newline behind an opening tag or before a closing one is the tag's, also
 * where it shares a token.
 *
 * @param isOpened an opening tag stands before the text
 * @param isClosed a closing one stands behind it
 * @param characters code points of all its tokens, where they were counted
 */
export function textSize(
  table: TokenTable,
  ids: Int32Array,
  span: Span,
  isOpened: boolean,
  isClosed: boolean,
  characters = lookAt(table, ids, span).characters,
): TextSize {
  const { start, end } = span
  const text = { table, ids, start, end }
  const [first, last] = [byteAt(text, 0), byteFromEnd(text, 0)]
  if (first === QUOTE && last === QUOTE && byteAt(text, 2) >= 0) {
    const escapes = escapesIn(text)
    const quotes = [ids[start], ids[end - 1]].filter((id) => bytesIn(table, id as number) === 1).length
    return {
      tokens: end - start - quotes - escapes.count,
      characters: characters - 2 - escapes.characters,
      first: byteAt(text, 1),
      last: lastOfString(text),
    }
  }
  const ofOpening = isOpened && first === NEWLINE && !endsLine(table, ids[start - 1]) ? 1 : 0
  const ofClosing = isClosed && last === NEWLINE && characters > ofOpening ? 1 : 0
  return {
    tokens: end - start,
    characters: characters - ofOpening - ofClosing,
    first: byteAt(text, ofOpening),
    last: byteFromEnd(text, ofClosing),
  }
}

/** The newline of an opening tag stands before the text where it does not share a token with it. */
function endsLine({ bytes, offsets, size }: TokenTable, id: number | undefined): boolean {
  return id !== undefined && id >= 0 && id < size && bytes[(offsets[id + 1] as number) - 1] === NEWLINE
}

/** Whether most bytes of a text are letters of any script or blanks. */
export function isProse(table: TokenTable, ids: Int32Array, span: Span): boolean {
  return surplusOfLetters(table, ids, span) > 0
}

/** A function of its own: what is asked behind a loop that never ended is not known when the loop is compiled, which is then thrown away there, each time. */
function surplusOfLetters(table: TokenTable, ids: Int32Array, { start, end }: Span): number {
  const known = surplusesOf(table)
  let surplus = 0
  for (let i = start; i < end; i++) {
    const id = ids[i] as number
    if (id < 0 || id >= table.size) continue
    const own = known[id] as number
    surplus += own === UNKNOWN ? learnSurplus(table, id, known) : own
  }
  return surplus
}

const UNKNOWN = -0x8000

/** Of each id that was met, by how many more of its bytes are letters or blanks than are none; `UNKNOWN` of the others. */
const surpluses = new WeakMap<TokenTable, Int16Array>()

function surplusesOf(table: TokenTable): Int16Array {
  let known = surpluses.get(table)
  if (known === undefined) surpluses.set(table, (known = new Int16Array(table.size).fill(UNKNOWN)))
  return known
}

function learnSurplus({ bytes, offsets }: TokenTable, id: number, known: Int16Array): number {
  let surplus = 0
  for (let at = offsets[id] as number; at < (offsets[id + 1] as number); at++) {
    const byte = bytes[at] as number
    surplus += byte >= NOT_ASCII || byte === BLANK || isLetter(byte) ? 1 : -1
  }
  if (Math.abs(surplus) < -UNKNOWN) known[id] = surplus
  return surplus
}

/** Of ASCII. */
export function isLetter(byte: number): boolean {
  const small = byte | 0x20
  return small >= SMALL_A && small <= SMALL_Z
}

interface Text extends Span {
  readonly table: TokenTable
  readonly ids: Int32Array
}

function byteAt({ table, ids, start, end }: Text, index: number): number {
  let left = index
  for (let i = start; i < end; i++) {
    const [from, to] = placeOf(table, ids[i] as number)
    if (to - from > left) return table.bytes[from + left] as number
    left -= to - from
  }
  return -1
}

function byteFromEnd({ table, ids, start, end }: Text, index: number): number {
  let left = index
  for (let i = end - 1; i >= start; i--) {
    const [from, to] = placeOf(table, ids[i] as number)
    if (to - from > left) return table.bytes[to - 1 - left] as number
    left -= to - from
  }
  return -1
}

/** What the last byte before the closing quote of a JSON string stands for, 0x80 for an escaped character: the `n` of an escaped newline is no letter. */
function lastOfString(text: Text): number {
  const last = byteFromEnd(text, 1)
  if (isEscaped(text, 1)) return last === SMALL_N || last === SMALL_R || last === SMALL_T ? NEWLINE : last
  return byteFromEnd(text, 1 + HEX_DIGITS) === SMALL_U && isEscaped(text, 1 + HEX_DIGITS) ? NOT_ASCII : last
}

/** Whether a backslash that is not escaped itself stands before the byte at `index` from the end. */
function isEscaped(text: Text, index: number): boolean {
  let backslashes = 0
  while (byteFromEnd(text, index + 1 + backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

function bytesIn(table: TokenTable, id: number): number {
  const [from, to] = placeOf(table, id)
  return to - from
}

/** Where the bytes of an id stand; nowhere for one that the table does not have. */
function placeOf({ offsets, size }: TokenTable, id: number): readonly [number, number] {
  return id >= 0 && id < size ? [offsets[id] as number, offsets[id + 1] as number] : [0, 0]
}

/** The escapes of a JSON string, and how many characters they have beyond the ones they stand for. */
function escapesIn({ table, ids, start, end }: Text): { readonly count: number; readonly characters: number } {
  let count = 0
  let characters = 0
  let escaped = false
  const known = backslashesOf(table)
  for (let i = start; i < end; i++) {
    const id = ids[i] as number
    if (id < 0 || id >= table.size) continue
    // Few tokens have one, and every reply of a family that quotes them comes by.
    if (!escaped && (known[id] === NO_BACKSLASH || (known[id] === 0 && !learnBackslash(table, id, known)))) continue
    const [from, to] = placeOf(table, id)
    for (let at = from; at < to; at++) {
      const byte = table.bytes[at] as number
      if (escaped) {
        escaped = false
        count++
        characters += byte === SMALL_U ? 1 + HEX_DIGITS : 1
      } else escaped = byte === BACKSLASH
    }
  }
  return { count, characters }
}

/** Of each id that was met, whether its bytes have a backslash; 0 of the others. */
const backslashes = new WeakMap<TokenTable, Uint8Array>()
const [NO_BACKSLASH, HAS_BACKSLASH] = [1, 2]

function backslashesOf(table: TokenTable): Uint8Array {
  let known = backslashes.get(table)
  if (known === undefined) backslashes.set(table, (known = new Uint8Array(table.size)))
  return known
}

function learnBackslash({ bytes, offsets }: TokenTable, id: number, known: Uint8Array): boolean {
  const has = bytes.subarray(offsets[id], offsets[id + 1]).includes(BACKSLASH)
  known[id] = has ? HAS_BACKSLASH : NO_BACKSLASH
  return has
}
