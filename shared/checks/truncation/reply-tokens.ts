import type { Span } from '../../model/tokens.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'

/** What one look at tokens tells: how many code points begin in them, as Python counts, and whether one may be a part of a marker. */
export interface LookedAt {
  readonly characters: number
  readonly mayHoldMarker: boolean
}

/** Replies are most of a dump: all that is asked of every token of theirs is found out in one loop. */
export function lookAt(table: TokenTable, ids: Int32Array, { start, end }: Span): LookedAt {
  const known = knownOf(table)
  let sum = 0
  let marks = 0
  let outside = 0
  for (let i = start; i < end; i++) {
    const id = ids[i] as number
    if (id >>> 0 >= known.length) {
      outside++
      continue
    }
    let what = known[id] as number
    if (what === 0) what = learn(table, id, known)
    sum += what >> 1
    marks |= what
  }
  return { characters: sum - Math.max(0, end - start - outside), mayHoldMarker: (marks & 1) === 1 }
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

/** Whether an id holds a piece of a word, and beside it what the word has there: ` submitted` is no part of `omitted`. */
function mayBePartOf(
  { bytes, offsets }: TokenTable,
  id: number,
  { word, at, length, anyCase }: (typeof PIECES)[number],
): boolean {
  const start = offsets[id] as number
  const end = offsets[id + 1] as number
  for (let from = start; from + length <= end; from++) {
    const first = from - at
    const last = Math.min(end, first + word.length)
    let byte = Math.max(start, first)
    while (byte < last && ((bytes[byte] as number) | anyCase) === word[byte - first]) byte++
    if (byte === last) return true
  }
  return false
}
