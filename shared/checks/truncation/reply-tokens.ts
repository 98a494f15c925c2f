import type { Kernel } from '../../containers/kernel/kernel.ts'
import { kernelWith } from '../../containers/kernel/thread-kernel.ts'
import type { Span } from '../../model/tokens.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'

/** What one look at tokens tells: how many code points begin in them, as Python counts, and whether a word of a marker stands in them. */
export interface LookedAt {
  readonly characters: number
  readonly mayHoldMarker: boolean
}

/** Replies are most of a dump: all that is asked of every token of theirs is found out in one loop. */
export function lookAt(table: TokenTable, ids: Int32Array, span: Span): LookedAt {
  const { start, end } = span
  const kernel = kernelWith(ids)
  const shared = kernel?.knownTo(table, table.size) ?? null
  const known = shared ?? knownOf(table)
  let sum = 0
  let mayHoldMarker = false
  let outside = 0
  for (let i = start; i < end; i++) {
    if (shared !== null) {
      // Where nothing is to be learnt, and none may be of a marker, only characters are counted.
      i = (kernel as Kernel).look(ids, shared, i, end)
      sum = (sum + (kernel as Kernel).lookedAt) | 0
      if (i >= end) break
    }
    const id = ids[i] as number
    if (id >>> 0 >= known.length) {
      outside++
      continue
    }
    let what = known[id] as number
    if (what === 0) what = learn(table, id, known)
    sum += what >> 1
    if ((what & 1) === 1 && !mayHoldMarker) mayHoldMarker = isPartOfWord(table, ids, span, i)
  }
  // An integer in every look: whoever reads one is compiled for numbers of one kind.
  return { characters: (sum - Math.max(0, end - start - outside)) | 0, mayHoldMarker }
}

/**
 * Of each id that was met: one more than the code points that begin in it, times two, and 1 more where a marker may show in it. 0 of the others, and
 * of those whose number does not fit: a byte an id stays near the processor.
 */
const knownOfTable = new WeakMap<TokenTable, Uint8Array>()

function knownOf(table: TokenTable): Uint8Array {
  let known = knownOfTable.get(table)
  if (known === undefined) knownOfTable.set(table, (known = new Uint8Array(table.size)))
  return known
}

function learn(table: TokenTable, id: number, known: Uint8Array): number {
  const { bytes, offsets } = table
  let characters = 0
  for (let at = offsets[id] as number; at < (offsets[id + 1] as number); at++) {
    if (((bytes[at] as number) & 0xc0) !== 0x80) characters++
  }
  const isMarked = PIECES.some((piece) => mayBePartOf(table, id, piece))
  const what = 2 * (characters + 1) + (isMarked ? 1 : 0)
  if (what <= 0xff) known[id] = what
  return what
}

const LOWER_CASE = 0x20

/** The words of markers, each with pieces one of which lies in a token, whatever a vocabulary makes of small letters; or of capitals alone. */
const PIECES = (
  [
    ['truncated', 'unc'],
    ['clipped', 'clip'],
    ['clipped', 'ipped'],
    ['omitted', 'itted'],
    ['elided', 'ided'],
    ['removed', 'oved'],
    ['CLIPPED', 'IPP'],
    ['OMITTED', 'TED'],
    ['ELIDED', 'EL'],
    ['REMOVED', 'MOVED'],
    ['REMOVED', 'VED'],
  ] as const
).map(([word, piece]) => ({
  word: new TextEncoder().encode(word),
  at: word.indexOf(piece),
  length: piece.length,
  /** What makes small letters of the capitals of a token, where either may stand there. */
  anyCase: word === word.toLowerCase() ? LOWER_CASE : 0,
}))

type Piece = (typeof PIECES)[number]

/** Whether an id holds a piece of a word, and beside it what the word has there: ` submitted` is no part of `omitted`. */
function mayBePartOf(table: TokenTable, id: number, piece: Piece): boolean {
  return wordStart(table, id, piece, table.offsets[id] as number) !== null
}

/**
 * Where in the bytes of a vocabulary the word of a piece would begin of which an id holds the piece, maybe before those of the id itself; null where
 * the id has no such piece from `from` on.
 */
function wordStart(
  { bytes, offsets }: TokenTable,
  id: number,
  { word, at, length, anyCase }: Piece,
  from: number,
): number | null {
  const start = offsets[id] as number
  const end = offsets[id + 1] as number
  for (let piece = from; piece + length <= end; piece++) {
    const first = piece - at
    const last = Math.min(end, first + word.length)
    let byte = Math.max(start, first)
    while (byte < last && ((bytes[byte] as number) | anyCase) === word[byte - first]) byte++
    if (byte === last) return first
  }
  return null
}

/** Whether a whole word stands around the id at `place`, which may be part of one: `EL` is of `ELIDED`, and of much else. */
function isPartOfWord(table: TokenTable, ids: Int32Array, span: Span, place: number): boolean {
  for (const piece of PIECES) if (isSpelt(table, ids, span, place, piece)) return true
  return false
}

/** Whether the word of a piece stands where the id at `place` has the piece. */
function isSpelt(table: TokenTable, ids: Int32Array, span: Span, place: number, piece: Piece): boolean {
  const id = ids[place] as number
  let from = table.offsets[id] as number
  for (let first = wordStart(table, id, piece, from); first !== null; first = wordStart(table, id, piece, from)) {
    if (isSpeltFrom(table, ids, span, place, first, piece.word)) return true
    from = first + piece.at + 1
  }
  return false
}

/** The same of a word, in any case, that begins at `first`, counted in the bytes of the id at `place`. */
function isSpeltFrom(
  { bytes, offsets, size }: TokenTable,
  ids: Int32Array,
  { start, end }: Span,
  place: number,
  first: number,
  word: Uint8Array,
): boolean {
  let at = place
  let byte = first
  while (byte < (offsets[ids[at] as number] as number)) {
    const before = (offsets[ids[at] as number] as number) - byte
    at--
    if (at < start || (ids[at] as number) >>> 0 >= size) return false
    byte = (offsets[(ids[at] as number) + 1] as number) - before
  }
  for (const letter of word) {
    while (byte === offsets[(ids[at] as number) + 1]) {
      at++
      if (at === end || (ids[at] as number) >>> 0 >= size) return false
      byte = offsets[ids[at] as number] as number
    }
    if (((bytes[byte] as number) | LOWER_CASE) !== (letter | LOWER_CASE)) return false
    byte++
  }
  return true
}
