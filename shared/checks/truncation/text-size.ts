import type { Span } from '../../model/tokens.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'

/** How much of a tool reply there is, as its environment counts: without what the template makes of it. */
export interface TextSize {
  readonly tokens: number
  /** Code points, as Python counts. */
  readonly characters: number
  /** Its first and its last byte, -1 where it has none. */
  readonly first: number
  readonly last: number
  /** Most of its bytes are letters of any script or blanks. */
  readonly isProse: boolean
}

const [QUOTE, BACKSLASH, NEWLINE, SMALL_A, SMALL_U, SMALL_Z, BLANK] = [0x22, 0x5c, 0x0a, 0x61, 0x75, 0x7a, 0x20]
/** Hex digits of an escaped character. */
const HEX_DIGITS = 4

/**
 * The size of a text in the ids. One between quotes is a JSON string, as which Llama's template writes a reply: neither its quotes nor the
 * backslashes of its escapes are counted, which take a token each. A newline before a closing tag is the tag's, also where it shares a token.
 */
export function textSize(table: TokenTable, ids: Int32Array, { start, end }: Span, isTagged: boolean): TextSize {
  const counts = countsOf(table)
  let bytes = 0
  let characters = 0
  let letters = 0
  for (let i = start; i < end; i++) {
    const id = ids[i] as number
    if (id < 0 || id >= table.size) continue
    bytes += counts.bytes[id] as number
    characters += counts.characters[id] as number
    letters += counts.letters[id] as number
  }
  const isProse = letters * 2 > bytes
  const text = { table, ids, start, end }
  const [first, last] = [byteAt(text, 0), byteFromEnd(text, 0)]
  if (first === QUOTE && last === QUOTE && bytes > 2) {
    const escapes = escapesIn(text)
    const quotes = [ids[start], ids[end - 1]].filter((id) => counts.bytes[id as number] === 1).length
    return {
      tokens: end - start - quotes - escapes.count,
      characters: characters - 2 - escapes.characters,
      first: byteAt(text, 1),
      last: byteFromEnd(text, 1),
      isProse,
    }
  }
  const ofTag = isTagged && last === NEWLINE ? 1 : 0
  return { tokens: end - start, characters: characters - ofTag, first, last: byteFromEnd(text, ofTag), isProse }
}

/** Per id: its bytes, the code points that begin in them, and those that are letters or blanks. */
interface Counts {
  readonly bytes: Uint16Array
  readonly characters: Uint16Array
  readonly letters: Uint16Array
}

const known = new WeakMap<TokenTable, Counts>()

function countsOf(table: TokenTable): Counts {
  let counts = known.get(table)
  if (counts === undefined) {
    const { bytes, offsets, size } = table
    counts = { bytes: new Uint16Array(size), characters: new Uint16Array(size), letters: new Uint16Array(size) }
    for (let id = 0; id < size; id++) {
      const [from, to] = [offsets[id] as number, offsets[id + 1] as number]
      counts.bytes[id] = to - from
      for (let at = from; at < to; at++) {
        const byte = bytes[at] as number
        if ((byte & 0xc0) !== 0x80) counts.characters[id] = (counts.characters[id] as number) + 1
        if (byte >= 0x80 || byte === BLANK || isLetter(byte)) counts.letters[id] = (counts.letters[id] as number) + 1
      }
    }
    known.set(table, counts)
  }
  return counts
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

/** Where the bytes of an id stand; nowhere for one that the table does not have. */
function placeOf({ offsets, size }: TokenTable, id: number): readonly [number, number] {
  return id >= 0 && id < size ? [offsets[id] as number, offsets[id + 1] as number] : [0, 0]
}

/** The escapes of a JSON string, and how many characters they have beyond the ones they stand for. */
function escapesIn({ table, ids, start, end }: Text): { readonly count: number; readonly characters: number } {
  let count = 0
  let characters = 0
  let escaped = false
  for (let i = start; i < end; i++) {
    const [from, to] = placeOf(table, ids[i] as number)
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
