import type { Span } from '../../model/tokens.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'

/** Rows of one width at an end of a text by which it is a board or a table, which its format ends there. */
const GRID_ROWS = 3
/** Characters of the widest row that is looked for: a line beyond them is one of text, and reading it to its end takes as long as all else that a reply is asked. */
const WIDEST_ROW = 400
const [NEWLINE, RETURN, QUOTE, BACKSLASH, SMALL_N] = [0x0a, 0x0d, 0x22, 0x5c, 0x6e]

/**
 * Whether a text begins (`left`) or ends (`right`) with whole rows of a grid: its outermost lines are equally wide. A limit that counts tokens or
 * characters cuts a row, and leaves the outermost one narrower than those next to it. Newlines may be escaped, as in a JSON string.
 *
 * @param characters of the text: of one long line no more is read than a row can have
 */
export function isGridAt(
  side: 'left' | 'right',
  { bytes, offsets, size }: TokenTable,
  ids: Int32Array,
  { start, end }: Span,
  characters: number,
): boolean {
  const widest = Math.min(characters / GRID_ROWS, WIDEST_ROW)
  const step = side === 'left' ? 1 : -1
  let [rows, width, length, previous] = [0, 0, 0, -1]
  for (let i = side === 'left' ? start : end - 1; i >= start && i < end; i += step) {
    const id = ids[i] as number
    if (id < 0 || id >= size) continue
    const [from, to] = [offsets[id] as number, offsets[id + 1] as number]
    for (let at = side === 'left' ? from : to - 1; at >= from && at < to; at += step) {
      const byte = bytes[at] as number
      const isEscape =
        side === 'left' ? previous === BACKSLASH && byte === SMALL_N : previous === SMALL_N && byte === BACKSLASH
      // What stands around the text belongs to no row: quotes of a JSON string, and the newlines of its tags.
      const isAround = length === 0 && rows === 0 && (byte === NEWLINE || byte === QUOTE)
      const isContinued = (byte & 0xc0) === 0x80
      previous = byte
      if (isAround || byte === RETURN) continue
      if (byte !== NEWLINE && !isEscape) {
        if (!isContinued) length++
        if (length > widest) return false
        continue
      }
      // The other half of the escape was counted.
      if (isEscape) length--
      if (length < 2 || (rows > 0 && length !== width)) return false
      if (++rows === GRID_ROWS) return true
      width = length
      length = 0
      previous = -1
    }
  }
  return rows === GRID_ROWS - 1 && length === width
}
